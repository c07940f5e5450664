"""The notebooks are nbgrader's source and release versions, as nbgrader itself reads them."""

from collections import Counter

import pytest
from nbgrader.preprocessors import CheckCellMetadata, ClearSolutions, ComputeChecksums, LockCells
from nbgrader.utils import compute_checksum

from autograder.authoring.notebook import notebook_text, release_notebook, source_notebook
from autograder.authoring.reference import Role


def nbgrader_cells(notebook):
    return {cell.metadata.nbgrader.grade_id: cell for cell in notebook.cells if "nbgrader" in cell.metadata}


@pytest.mark.parametrize("make", [source_notebook, release_notebook])
def test_nbgrader_accepts_the_metadata(reference, make):
    CheckCellMetadata().preprocess(make(reference), {})


def test_an_exercises_points_stand_in_its_check_cell(reference):
    cells = nbgrader_cells(release_notebook(reference))
    for exercise in reference.assignment.exercises:
        check = cells[f"{exercise.name}-check"].metadata.nbgrader
        assert (check.points, check.grade, check.solution, check.locked) == (exercise.points, True, False, True)
        answer = cells[exercise.name].metadata.nbgrader
        assert (answer.grade, answer.solution, answer.locked) == (False, True, False)
    assert sum(cell.metadata.nbgrader.get("points", 0) for cell in cells.values()) == 100


def test_each_answer_is_followed_by_its_hints_and_its_check(reference):
    ids = [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in release_notebook(reference).cells]
    for exercise in reference.assignment.exercises:
        place = ids.index(exercise.name)
        assert ids[place + 1 : place + 3] == [None, f"{exercise.name}-check"]


def test_written_answers_are_graded_by_hand_and_leave_the_hundred_points_alone(reference):
    cells = nbgrader_cells(release_notebook(reference))
    written = [cell for cell in cells.values() if cell.cell_type == "markdown"]
    assert len(written) == len(list(reference.of(Role.REFLECTION))) >= 1
    for cell in written:
        assert (cell.metadata.nbgrader.grade, cell.metadata.nbgrader.solution) == (True, True)
        assert cell.metadata.nbgrader.points == 0
        assert cell.source == "YOUR ANSWER HERE"


def test_grade_ids_and_cell_ids_are_unique_and_stay_the_same(reference):
    notebook = release_notebook(reference)
    assert max(Counter(cell.id for cell in notebook.cells).values()) == 1
    assert all(grade_id == cell.id for grade_id, cell in nbgrader_cells(notebook).items())
    assert notebook_text(notebook) == notebook_text(release_notebook(reference))


def test_the_checksums_are_those_that_nbgrader_computes(reference):
    for cell in nbgrader_cells(release_notebook(reference)).values():
        assert cell.metadata.nbgrader.checksum == compute_checksum(cell)


def test_nbgrader_makes_the_same_release_from_the_source_but_for_the_stubs_words(reference):
    theirs, resources = source_notebook(reference), {}
    for step in (LockCells(), ClearSolutions(), ComputeChecksums()):
        theirs, resources = step.preprocess(theirs, resources)
    ours = nbgrader_cells(release_notebook(reference))
    for grade_id, cell in nbgrader_cells(theirs).items():
        settings = {**cell.metadata.nbgrader, "checksum": None, "cell_type": None}
        assert settings == {**ours[grade_id].metadata.nbgrader, "checksum": None, "cell_type": None}
        their_lines = [line.strip() for line in cell.source.splitlines() if line.strip() != "# YOUR CODE HERE"]
        our_lines = [line.strip() for line in ours[grade_id].source.splitlines()]
        assert [line.partition("NotImplementedError(")[0] for line in their_lines] == [
            line.partition("NotImplementedError(")[0] for line in our_lines
        ]


def test_the_source_notebook_holds_every_solution_and_hides_nothing(reference):
    cells = nbgrader_cells(source_notebook(reference))
    for role in (Role.ANSWER, Role.HELPER):
        for cell in reference.of(role):
            assert cells[cell.name].source == cell.source
    assert not any("HIDDEN" in cell.source for cell in cells.values())
