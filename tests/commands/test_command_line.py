"""What is asked for wrongly is told in one sentence that begins with the command, and nothing is done."""

import pytest

from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.command_line import one_of
from autograder.commands import main

NUMBERS = {
    "no submission at once": (["grade", "work", "--out", "out", "--jobs", "0"], "0 is no whole number of 1 or more"),
    "a word for a number": (["grade", "work", "--out", "out", "--jobs", "all"], "all is no whole number of 1 or more"),
    "no assignment at once": (["verify", "--jobs", "0"], "0 is no whole number of 1 or more"),
    "fewer items than one": (
        ["quiz", "assemble", "--objectives", "scale", "--count", "-1", "--seed", "1", "--out", "quiz.yaml"],
        "-1 is no whole number of 1 or more",
    ),
    "more variants than there are": (
        ["quiz", "export", "knowledge_check", "--format", "gift", "--out", "out", "--variants", "101"],
        "101 is no whole number from 1 to 100",
    ),
}
REFUSED = {
    "grade": (["grade", "nowhere", "--out", "out"], 2, "nowhere does not exist; name a file, a folder"),
    "verify": (["verify", "01", "07"], 2, "no assignment is called 07; there are 01_numpy_self_attention, "),
    "author": (["author", "--root", "nowhere"], 1, "01_numpy_self_attention has no reference solution; write "),
    "export": (["export", "canvas", "nowhere", "--gradebook", "g.csv"], 2, "nowhere holds no results. Give the folder"),
    "quiz check": (["quiz", "check", "nothing"], 1, "there is no bank nothing; the kit has "),
    "quiz take": (["quiz", "take", "knowledge_check", "--graded"], 2, "--graded makes a page: give --html FILE"),
    "quiz grade": (["quiz", "grade", "r.csv", "--quiz", "trace", "--out", "out"], 1, "r.csv can't be read: No such"),
}


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    yield
    assert not list(tmp_path.iterdir()), "something was written"


@pytest.mark.parametrize("case", NUMBERS)
def test_a_number_out_of_bounds_is_wrong_usage_and_says_the_bounds(case, capsys):
    arguments, told = NUMBERS[case]
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    assert capsys.readouterr().err.endswith(f"{told}\n")


ALL = ", ".join(ASSIGNMENTS)


@pytest.mark.parametrize("begun", ["0", "7", ""])
@pytest.mark.parametrize(
    "command",
    [
        ["grade", "work", "--out", "out"],
        ["release", "--out", "out"],
        ["export", "gradescope", "--out", "out.zip"],
        ["export", "github-classroom", "--out", "out"],
    ],
)
def test_an_assignment_that_is_not_one_is_wrong_usage_and_says_which_there_are(command, begun, capsys):
    with pytest.raises(SystemExit, match="2"):
        main([*command, "--assignment", begun])
    assert capsys.readouterr().err.endswith(f"{begun!r} is none, or more than one, of {ALL}\n")


@pytest.mark.parametrize("id_", ASSIGNMENTS)
def test_an_assignment_can_be_called_by_its_number(id_):
    assert [one_of(ASSIGNMENTS)(name) for name in (id_, id_[:2])] == [id_, id_]


@pytest.mark.parametrize("command", REFUSED)
def test_a_refusal_names_its_command_and_says_what_to_do(command, capsys):
    arguments, status, told = REFUSED[command]
    assert main(arguments) == status
    assert capsys.readouterr().err.startswith(f"attnkit {command}: {told}")
