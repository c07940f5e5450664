"""The site: the guide, the docs and the API's docstrings, by Sphinx. Built with `make site` into site/.

Why Sphinx: MkDocs 1 has had no release since 2024, and the theme that most of its sites use is kept for security
alone; Sphinx, MyST and the PyData theme are released steadily, test their pages for accessibility, search without a
server, and read docstrings without a further tool. All three are BSD or MIT.
"""

import re
import shutil
from pathlib import Path

from docutils import nodes
from math_core import LatexToMathML

from autograder import __version__

ROOT = Path(__file__).resolve().parent.parent

project = "Self-attention kit"
author = "the Self-attention kit's contributors"
copyright = author
release = version = __version__
language = "en"

# The project's root is the source folder, so that a link between pages is the same here and in the repository.
root_doc = "README"
include_patterns = ["*.md", "docs/*.md", "instructor_guide/*.md", "assignments/*/*.md"]
exclude_patterns = ["site", "build", "dist", "**/node_modules", ".venv", "release", "demo-out"]
source_suffix = {".md": "markdown"}

extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
add_module_names = False
default_role = "code"  # docstrings write `names` as Markdown does
autodoc_member_order = "bysource"
autodoc_typehints = "signature"

html_theme = "pydata_sphinx_theme"
html_title = project
html_show_sourcelink = False
html_copy_source = False
html_math_renderer = "mathml"
html_theme_options = {
    "show_prev_next": True,
    "navigation_with_keys": False,
    "navbar_persistent": ["search-word"],
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_static_path = ["site.css"]
templates_path = ["templates"]
html_css_files = ["site.css"]

# Which pages stand below which, in which order; pages of the same folder that are not named follow.
BELOW = {
    "README": ["instructor_guide/README", "docs/assignments", "docs/README"],
    "instructor_guide/README": [
        "objectives",
        "plan_50",
        "plan_75",
        "plan_90",
        "unit_two_weeks",
        "worksheet",
        "worksheet_answers",
        "board",
        "live_coding",
        "hands_on_and_discussion",
        "exit_tickets",
        "reflections",
        "reading_the_report",
        "reteaching",
        "lesson_words",
        "lesson_map",
        "nbgrader",
        "grading_policy",
        "integrity",
        "hidden_tests",
        "adding_an_exercise",
    ],
    "docs/assignments": [f"/assignments/{folder.name}/README" for folder in sorted(ROOT.glob("assignments/*/"))],
    "docs/README": [
        "platforms",
        "records",
        "quiz_exports",
        "architecture",
        "api",
        "/CONTRIBUTING",
        "/CHANGELOG",
        "/SECURITY",
        "walls",
        "speed",
    ],
}


def _pages_below(docname):
    if docname.startswith("assignments/") and docname.endswith("/README"):
        return ["hints"]
    folder = (ROOT / docname).parent
    named = BELOW.get(docname, [])
    has_all_of_its_folder = docname.endswith("/README")
    placed = {*BELOW, *(page for pages in BELOW.values() for page in pages)}
    others = sorted(page.stem for page in folder.glob("*.md")) if has_all_of_its_folder else []
    return [page for page in named if _file(folder, page).is_file()] + [
        page for page in others if page not in placed and f"{folder.name}/{page}" not in placed
    ]


def _file(folder, page):
    return ROOT / f"{page[1:]}.md" if page.startswith("/") else folder / f"{page}.md"


DATA_MARK = re.compile(r"<!-- (?:data: [^>]*|/) -->")
TOGGLE = '<summary><span class="toctree-toggle"'
_mathml = LatexToMathML()


def _prepare(app, docname, source):
    """Take out the marks of the guide's data, and add the table of pages below this one."""
    text = DATA_MARK.sub("", source[0])
    if pages := _pages_below(docname):
        text += "\n```{toctree}\n:hidden:\n" + "\n".join(pages) + "\n```\n"
    source[0] = text


def _write_math(displaystyle):
    """A writer of formulas as MathML, which needs no script and which screen readers read."""

    def write(writer, node):
        writer.body.append(_mathml.convert_with_local_state(node.astext(), displaystyle=displaystyle))
        raise nodes.SkipNode

    return write


def _write_first_page(app, exception):
    """The first page under the name that servers and file managers open."""
    if exception is None and app.builder.name == "html":
        shutil.copyfile(Path(app.outdir) / "README.html", Path(app.outdir) / "index.html")


def _name_toggles(app, exception):
    """The theme's toggles in the list of pages have no text; give them one that screen readers read."""
    if exception is None and app.builder.name == "html":
        for page in Path(app.outdir).rglob("*.html"):
            text = page.read_text(encoding="utf-8")
            if TOGGLE in text:
                page.write_text(
                    text.replace(TOGGLE, f'<summary aria-label="Pages below"{TOGGLE[8:]}'), encoding="utf-8"
                )


def setup(app):
    """Sphinx calls this with the application that builds the site."""
    app.connect("source-read", _prepare)
    app.connect("build-finished", _name_toggles)
    app.connect("build-finished", _write_first_page)
    app.add_html_math_renderer("mathml", (_write_math(False), None), (_write_math(True), None))
