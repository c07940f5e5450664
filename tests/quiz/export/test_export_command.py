"""`attnkit quiz export`: every format, the same ids and bytes every time, and a report of what is lost."""

import argparse
import gzip
import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import replace
from html import unescape
from pathlib import Path
from shutil import which

import pytest

from autograder.quiz.banks.loading import load_bank
from autograder.quiz.export.commands import DONE, NOT_DONE, WRONG_USAGE, add_export
from autograder.quiz.export.html_pages import export_html
from autograder.quiz.export.output import Export, File, Loss
from autograder.quiz.export.quiz import load_quiz, with_choices_for_short_answers
from autograder.quiz.export.report import Exported, report
from autograder.quiz.export.targets import TARGETS, Sentences
from autograder.quiz.marks.marking import mark
from autograder.quiz.model import ShortAnswer
from autograder.quiz.outcome import Outcome
from autograder.quiz.pages.page_text import PAGE_TEXT
from autograder.quiz.texts.plain import plain_text

from .taking import TRAPS, knowledge_check, traps

ROOT = Path(__file__).parents[3]
PROMISED = ("canvas", "moodle", "print", "html", "gift", "qti3", "jupyterquiz", "olx", "anki", "qti21")


def run(*arguments: object) -> int:
    parser = argparse.ArgumentParser()
    add_export(parser.add_subparsers(required=True))
    parsed = parser.parse_args(["export", *map(str, arguments)])
    return parsed.run(parsed)


def inside(path: Path) -> bytes:
    """All that a file holds, unpacked."""
    data = path.read_bytes()
    if path.name.endswith(".tar.gz"):
        with tarfile.open(fileobj=io.BytesIO(gzip.decompress(data))) as archive:
            return b"".join(archive.extractfile(entry).read() for entry in archive)
    if path.suffix in (".zip", ".apkg"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return b"".join(archive.read(name) for name in archive.namelist())
    return data


@pytest.fixture(scope="module")
def every_format(tmp_path_factory) -> Path:
    """The ten questions in all formats."""
    out = tmp_path_factory.mktemp("export")
    assert run("knowledge_check", *(f"--format={name}" for name in TARGETS), "--out", out) == DONE
    return out


def test_the_formats_are_those_that_instructors_were_promised():
    assert tuple(TARGETS) == PROMISED


def test_every_item_has_the_same_id_in_every_format(every_format):
    written = [path for path in every_format.iterdir() if path.suffix not in (".md", ".pdf")]
    assert len(written) >= len(TARGETS)
    for path in written:
        missing = [item.id for item in knowledge_check().items if item.id.encode() not in inside(path)]
        assert missing == [], path.name


def test_no_formula_stands_as_it_is_typed_in_a_bank_but_where_dollars_are_read(every_format):
    read_dollars = {".tex", ".ipynb", ".json"}
    for path in every_format.rglob("*.*"):
        if path.suffix not in read_dollars:
            assert b"$d_k$" not in inside(path), path.name


def test_the_same_bank_gives_the_same_bytes_in_another_process(every_format, tmp_path):
    """Chromium writes dates into a PDF, pdflatex doesn't: without pdflatex, PDFs are left out."""
    command = [sys.executable, "-m", "autograder", "quiz", "export", "knowledge_check", "--out", tmp_path]
    command += [f"--format={name}" for name in TARGETS]
    other = os.environ | {"PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "PYTHONPATH": str(ROOT)}
    subprocess.run(command, check=True, env=other, cwd=ROOT, capture_output=True, timeout=300)

    def sums(folder: Path) -> dict[str, str]:
        return {
            path.name: hashlib.sha256(path.read_bytes()).hexdigest()
            for path in folder.iterdir()
            if path.suffix != ".pdf" or which("pdflatex")
        }

    assert sums(tmp_path) == sums(every_format)


def test_the_report_has_a_line_for_each_item_and_thing_lost(every_format):
    text = (every_format / "export_report.md").read_text()
    for item in knowledge_check().items:
        if isinstance(item, ShortAnswer):
            assert f"| {item.id} | an essay question: marked by a person" in text
            assert f"| {item.id} | the short answer is a choice of the model answer among known wrong answers |" in text
    whole = report([Exported(traps(), TARGETS["gift"], Export((File("a.txt", b""),), (Loss("x", "a | b\nc"),)))])
    assert "| x | a \\| b c |" in whole


@pytest.mark.parametrize("name", TARGETS)
def test_a_loss_of_an_item_is_told_once_however_many_variants_it_has(name):
    quiz = with_choices_for_short_answers(traps(variants=3))
    told = [(loss.item, loss.what) for loss in TARGETS[name].export(quiz).losses]
    assert len(told) == len(set(told))
    assert not [item for item, _ in told if item and "-v" in item]


def test_nothing_is_said_to_be_lost_where_everything_is_carried():
    quiz = replace(knowledge_check(), losses=())
    assert "Everything is carried." in report([Exported(quiz, TARGETS["qti3"], Export((File("a.zip", b""),)))])


def test_sentences_become_choices_only_where_nobody_could_mark_them(tmp_path):
    assert {name for name, target in TARGETS.items() if target.sentences is Sentences.CHOICE} == {"olx", "jupyterquiz"}
    run("knowledge_check", "--format=moodle", "--format=html", "--short-answers=choice", "--out", tmp_path)
    assert b'type="essay"' not in (tmp_path / "knowledge_check-moodle.xml").read_bytes()
    # what the graded page saves goes to `attnkit quiz grade`, which expects a sentence
    assert b"<textarea" in (tmp_path / "knowledge_check-graded.html").read_bytes()


@pytest.mark.parametrize("name", ["knowledge_check", "module_08", "objectives"])
def test_a_choice_made_of_a_short_answer_has_its_model_answer_as_key_and_wrong_answers_beside_it(name):
    short = {item.id: item for item in load_quiz(name).items if isinstance(item, ShortAnswer)}
    choices = {item.id: item for item in with_choices_for_short_answers(load_quiz(name)).items if item.id in short}
    assert set(choices) == set(short)
    for item_id, choice in choices.items():
        assert len(choice.key) == 1 and len(choice.options) > 1
        for option in choice.options:
            text = plain_text(option.text)
            if option.correct:
                assert text == plain_text(short[item_id].answer)
            else:
                assert mark(short[item_id], text).outcome is Outcome.INCORRECT
                assert option.belief is not None and option.feedback


def test_a_variant_is_what_its_seed_makes_so_that_it_can_be_marked():
    quiz = load_quiz(str(TRAPS), "course", variants=3)
    slot = next(slot for slot in quiz.slots if slot.first.id == "trap-number")
    assert len({item.variables for item in slot.variants}) == 3
    for item in slot.variants[1:]:
        number = item.id.rpartition("-v")[2]
        assert load_bank(TRAPS, f"course-{number}").item("trap-number").variables == item.variables


def test_more_variants_than_there_are_is_told():
    quiz = load_quiz(str(TRAPS), "course", variants=50)
    assert [loss.what for loss in quiz.losses] == ["50 variants were asked for, and its variables make 6"]


def test_variants_without_a_seed_are_wrong_usage(tmp_path, capsys):
    assert run("knowledge_check", "--format=gift", "--variants=2", "--out", tmp_path) == WRONG_USAGE
    assert "give --seed" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_bank_that_is_not_there_is_named_and_nothing_is_written(tmp_path, capsys):
    assert run("knowledge_check", "nothing", "--format=gift", "--out", tmp_path) == NOT_DONE
    assert "there is no bank nothing" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_an_unwritable_folder_is_told(tmp_path, capsys):
    (tmp_path / "file").write_text("kept")
    assert run("knowledge_check", "--format=gift", "--out", tmp_path / "file") == NOT_DONE
    assert "file" in capsys.readouterr().err
    assert (tmp_path / "file").read_text() == "kept"


def test_the_graded_page_holds_no_key_and_the_self_check_page_does():
    practice, graded = (file.data.decode() for file in export_html(knowledge_check()).files)
    for item in knowledge_check().items:
        if isinstance(item, ShortAnswer):
            answer = json.dumps(str(PAGE_TEXT.blocks(item.answer)))
            assert answer in unescape(practice) and answer not in unescape(graded)
