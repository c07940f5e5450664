"""IPython's lines go, Python's lines stay, and every line keeps its number."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.intake.magics import without_cell_magic, without_leading_indent, without_magics


@pytest.mark.parametrize(
    "line",
    [
        "%matplotlib inline",
        "%pip install numpy",
        "!pip install numpy",
        "!!ls",
        "?np.dot",
        "??np.dot",
        "np.dot?",
        "np.dot??",
        "%timeit?",
        "pip install numpy",
        "conda install numpy",
        "get_ipython().system('ls')",
        "get_ipython().run_line_magic('matplotlib', 'inline')",
        "%%time",
        "%load_ext autoreload",
        "np.dot? ;",
    ],
)
@pytest.mark.parametrize("indent", ["", "    ", "\t"])
def test_a_magic_line_becomes_pass_with_its_indentation(line, indent):
    head = "if True:\n" if indent else ""
    assert without_magics(f"{head}{indent}{line}\nx = 1") == f"{head}{indent}pass\nx = 1"


@pytest.mark.parametrize(
    ("line", "replaced"),
    [
        ("files = !ls", "files = None"),
        ("  t = %timeit -o f()", "  t = None"),
        ("out=get_ipython().getoutput('ls')", "out= None"),
    ],
)
def test_an_assigned_magic_leaves_its_name_as_none(line, replaced):
    assert without_magics(line) == replaced


@pytest.mark.parametrize(
    "source",
    [
        "x = (a\n % b)",
        "x = a \\\n % b",
        "x = [\n    a\n    % b,\n]",
        "s = '''\n%matplotlib inline\n!ls\nwhat?\n'''",
        's = """\\\n%s\n"""',
        "s = 'a\\\n%s'",
        "s = r'\\\\'\nx = (1  # (\n% 2)",
        "x %= 3\ny = x % 2\nz = x != y\nw = x!=y",
        "f(a,\n  # ) a comment that closes nothing\n  b\n  % c)",
        "s = f'{x}' f\"{y % 2}\"",
        "pip = 1\npip",
        "s = '!pip install x'; t = 'why?'",
        "x = '%s' % y",
        "def get_ipython():\n    return 1\nget_ipython()",
        's = "it\'s (" # [\nx = 1',
        "s = ''\nt = ''''''\nu = '''a'''",
    ],
)
def test_python_is_left_as_it_is(source):
    ast.parse(source)
    assert without_magics(source) == source


def test_a_shell_line_goes_with_the_lines_that_continue_it():
    assert without_magics("!pip install \\\n  numpy \\\n  torch\nx = 1") == "pass\n\n\nx = 1"


def test_a_magic_after_a_closed_string_and_bracket_is_seen():
    assert without_magics("s = '''\n'''\nx = (\n)\n%ls") == "s = '''\n'''\nx = (\n)\npass"


def test_a_string_that_is_never_closed_ends_with_its_line():
    assert without_magics("s = 'abc\n%ls\n") == "s = 'abc\npass\n"


@pytest.mark.parametrize(
    ("source", "left"),
    [
        ("%%time\nx = 1", "pass\nx = 1"),
        ("\n# a note\n%%capture out\nx = 1", "\n# a note\npass\nx = 1"),
        ("%%capture\n%%time\nx = 1", "pass\npass\nx = 1"),
        ("x = 1\n%%time", "x = 1\n%%time"),
        ("%%bash\nrm -r /", None),
        ("%%html\n<p>", None),
        ("%%writefile a.py\nx = 1", None),
        ("%%unheard_of\nx = 1", None),
        ("%%\nx = 1", None),
        ("%%time\n%%bash\nls", None),
        ("", ""),
    ],
)
def test_a_cell_magic_keeps_its_body_only_where_that_runs_as_python_here(source, left):
    assert without_cell_magic(source) == left


def test_a_cell_that_is_indented_throughout_is_read_as_ipython_reads_it():
    assert without_leading_indent("\n  x = 1\n  if x:\n    y = 2\nz = 3") == "\nx = 1\nif x:\n  y = 2\nz = 3"


@given(
    st.lists(
        st.sampled_from(
            [
                "x = (a",
                "% b)",
                "'''",
                '"""',
                "%ls",
                "!ls",
                "'",
                "\\",
                "# (",
                "f(",
                ")",
                "    y = 1",
                "a?",
                "s = '\\'",
                "",
            ]
        ),
        max_size=12,
    ).map("\n".join)
)
def test_lines_keep_their_number_and_python_its_text(source):
    stripped = without_magics(source)
    assert stripped.count("\n") == source.count("\n")
    assert without_magics(stripped) == stripped
    try:
        ast.parse(source)
    except (SyntaxError, ValueError):
        return
    assert stripped == source


@pytest.mark.parametrize(
    "line",
    [
        "a" * 10**6,
        "a." * 500_000 + "(",
        " " * 10**6,
        "get_ipython().system(" + ")" * 10**6 + "x",
        "a, " * 330_000,
        "?" * 10**6,
        "pip " * 250_000,
        "a = " * 250_000,
        " a" * 500_000 + "=",
        "a?" + " " * 10**6 + "x",
        "('a'" * 250_000,
        "'" * 10**6,
        "\\" * 10**6,
    ],
)
def test_a_line_that_is_made_to_be_slow_comes_back(line):
    # In one pass that takes a second; with a pass for every character this test would not end.
    assert without_magics(line) in (line, "pass")


@given(st.text(max_size=300))
def test_any_text_is_scanned_and_keeps_its_lines(source):
    assert without_magics(source).count("\n") == source.count("\n")
