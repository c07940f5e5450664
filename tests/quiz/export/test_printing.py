"""Print: exam and key apart, read back from the PDF as a person reads them."""

import re
import shutil
import subprocess

import pytest

from autograder.quiz.export import pdf
from autograder.quiz.export.formulas_in_html import mathml_math
from autograder.quiz.export.latex_text import LatexText
from autograder.quiz.export.output import File
from autograder.quiz.export.printing import export_print
from autograder.quiz.export.quiz import Quiz
from autograder.quiz.formulas import number_text
from autograder.quiz.model import Choice, Numeric, ShortAnswer
from autograder.quiz.texts.html_text import HtmlText

from .taking import Attempt, all_ten_as_choices, knowledge_check, marked_wrongly, traps

NO_READER = "pdftotext is not installed (Debian: poppler-utils), so no PDF is read back"
NO_WRITER = "neither pdflatex (Debian: texlive-latex-base) nor Chromium is installed, so no PDF is made"
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
HAS_WRITER = shutil.which("pdflatex") is not None or CHROMIUM is not None

needs_pdf = [
    pytest.mark.skipif(shutil.which("pdftotext") is None, reason=NO_READER),
    pytest.mark.skipif(not HAS_WRITER, reason=NO_WRITER),
]


@pytest.fixture(scope="module")
def printed() -> dict[str, dict[str, File]]:
    """By quiz, the files by name. PDFs take seconds, so each is made once."""
    quizzes = {"ten": knowledge_check(), "choices": all_ten_as_choices(), "traps": traps()}
    return {name: {file.path: file for file in export_print(quiz).files} for name, quiz in quizzes.items()}


def read(file: File) -> str:
    command = ["pdftotext", "-", "-"]
    return subprocess.run(command, input=file.data, capture_output=True, check=True, timeout=600).stdout.decode()


def key_of(text: str, quiz: Quiz) -> dict[str, str]:
    """What the key says of each item."""
    found = {}
    for item in quiz.items:
        _, _, after = text.partition(f" {item.id} (")
        found[item.id] = re.search(r"Key: (.+)", after)[1].strip()
    return found


def marked_by_key(key: dict[str, str], attempt: Attempt) -> float:
    said = key[attempt.item.id]
    if isinstance(attempt.item, Choice):
        return float(said.partition(" (")[0] == ", ".join(attempt.chosen))
    number, _, within = said.partition(" (within ")
    return float(abs(float(attempt.typed) - float(number)) <= float(within.rstrip(")") or 0))


@pytest.mark.parametrize("name, load", [("ten", knowledge_check), ("choices", all_ten_as_choices), ("traps", traps)])
class TestThePdf:
    pytestmark = needs_pdf

    def test_its_key_gives_the_right_mark_to_right_and_wrong_responses(self, printed, name, load):
        quiz = load()
        key = key_of(read(printed[name][f"{quiz.name}-key.pdf"]), quiz)
        assert marked_wrongly(quiz, lambda attempt: marked_by_key(key, attempt)) == []

    def test_its_exam_asks_every_item_and_tells_no_answer(self, printed, name, load):
        quiz = load()
        text = " ".join(read(printed[name][f"{quiz.name}-exam.pdf"]).split())
        assert [item.id for item in quiz.items if item.id not in text] == []
        assert "Key:" not in text


@pytest.mark.parametrize("name", ["ten", "traps"])
def test_the_exams_html_and_latex_hold_nothing_of_the_key(printed, name):
    quiz = {"ten": knowledge_check, "traps": traps}[name]()
    for ending, text in (("html", HtmlText(mathml_math)), ("tex", LatexText())):
        exam = printed[name][f"{quiz.name}-exam.{ending}"].data.decode()
        key = printed[name][f"{quiz.name}-key.{ending}"].data.decode()
        for item in quiz.items:
            wrong = [option.feedback for option in getattr(item, "options", ()) if not option.correct]
            for feedback in (*wrong, item.explanation):
                assert text.line(feedback) in key
                assert text.line(feedback) not in exam
            if isinstance(item, ShortAnswer):
                assert text.line(item.answer) in key
                assert text.line(item.answer) not in exam


def test_the_key_tells_of_each_wrong_number_what_to_say(printed):
    text = printed["traps"]["traps-key.html"].data.decode()
    for item in traps().items:
        for wrong in item.wrong if isinstance(item, Numeric) else ():
            assert f"<li>{number_text(wrong.value)}: " in text


def test_signs_of_latex_in_a_text_stay_text(printed):
    text = printed["traps"]["traps-exam.tex"].data.decode()
    assert r"a {\#}hash, a {\{}brace{\}}, a =sign, a {\textasciitilde}tilde" in text
    assert r"a {\textbackslash}nabla" in text
    assert r"$\nabla_{W_Q} L$" in text


def test_without_pdflatex_and_chromium_the_sources_are_written_and_it_is_told(monkeypatch):
    monkeypatch.setattr(pdf.shutil, "which", lambda name: None)
    export = export_print(traps())
    assert [file.path.rpartition(".")[2] for file in export.files] == ["html", "tex"] * 2
    assert all("is not made: install pdflatex" in loss.what for loss in export.losses) and len(export.losses) == 2


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed (texlive-latex-base)")
def test_a_formula_that_pdflatex_refuses_is_told_with_its_words():
    with pytest.raises(pdf.PdfError, match="Undefined control sequence"):
        pdf.pdf("", r"\documentclass{article}\begin{document}$\nothing$\end{document}")


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed, so it prints no page")
@pytest.mark.skipif(shutil.which("pdftotext") is None, reason=NO_READER)
def test_without_pdflatex_chromium_prints_the_page(printed, monkeypatch):
    monkeypatch.setattr(pdf.shutil, "which", lambda name: None if name == "pdflatex" else CHROMIUM)
    made = pdf.pdf(printed["traps"]["traps-key.html"].data.decode(), "")
    key = key_of(read(File("traps-key.pdf", made)), traps())
    assert marked_wrongly(traps(), lambda attempt: marked_by_key(key, attempt)) == []


@pytest.mark.parametrize("name", ["traps-exam.html", "traps-key.html"])
def test_axe_finds_nothing_wrong_with_the_pages(printed, axe, name):
    assert axe(printed["traps"][name].data.decode()) == []
