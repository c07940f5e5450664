"""What SECURITY.md says is not promised, and no more than that."""

import pytest

from autograder.boundary.outside.exchange import AnswerKind, Call
from autograder.boundary.outside.wall import WallError, raise_wall
from autograder.catalogue.cell import Cell

ASKS = """
import os
def size(path): return os.stat(path).st_size
def text(path): return open(path).read()
def names(path): return os.listdir(path)
"""


@pytest.fixture(params=[(), ("bwrap",)], ids=["whole wall", "no bwrap"])
def process(request):
    try:
        with raise_wall(frozenset(request.param)) as wall:
            if {"bwrap", "landlock"} - set(wall.layers) - set(request.param):
                pytest.skip("not all layers can stand here")
            yield wall.admit([Cell(ASKS, "asks")]), "bwrap" in wall.layers
    except WallError as error:
        pytest.skip(f"no wall here: {error}")


def test_of_a_file_that_it_can_guess_student_code_learns_at_most_that_it_is_there(process, tmp_path):
    asked, hidden = process
    for folder in (tmp_path, *tmp_path.parents[:-1]):  # so that no other user is kept out by its mode alone
        if folder.owner() == tmp_path.owner() and folder.name.startswith(("pytest-", tmp_path.name)):
            folder.chmod(0o755)
    path = tmp_path / "results.json"
    path.write_text("{}", encoding="utf-8")
    path.chmod(0o644)
    size, text, names = asked.ask(
        [Call("size", (str(path),)), Call("text", (str(path),)), Call("names", (str(tmp_path),))]
    )
    assert text.kind is names.kind is AnswerKind.RAISED
    assert size.kind is AnswerKind.RAISED or (not hidden and size.value == 2)
