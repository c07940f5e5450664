"""`attnkit nbgrader init`: a course, all of it or nothing."""

from __future__ import annotations

import os

import pytest
from traitlets.config.loader import PyFileConfigLoader
from traitlets.utils.importstring import import_item

from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.commands import main
from autograder.integrations.nbgrader import course as making

from .conftest import Course, grade_id


def test_the_gradebook_knows_every_assignment_with_a_hundred_points(made_course: Course) -> None:
    with made_course.gradebook() as gradebook:
        known = {assignment.name: assignment.max_score for assignment in gradebook.assignments}
    assert known == dict.fromkeys(ASSIGNMENTS, 100.0)


@pytest.mark.parametrize("id", ASSIGNMENTS)
def test_source_and_release_have_what_students_work_with(made_course: Course, id: str) -> None:
    file = ASSIGNMENTS[id].file
    expected = {f"{file}.ipynb", f"{file}.py", f"test_visible_{file}.py", "README.md", "hints.md"}
    for version in ("source", "release"):
        assert {path.name for path in (made_course.folder / version / id).iterdir()} == expected
    answers = [cell for cell in made_course.released(id).cells if cell.metadata.get("nbgrader", {}).get("solution")]
    assert {grade_id(cell) for cell in answers} >= {exercise.name for exercise in ASSIGNMENTS[id].exercises}
    assert not any("BEGIN" in cell.source for cell in answers)


def test_every_step_that_the_configuration_names_can_be_imported(made_course: Course) -> None:
    config = PyFileConfigLoader("nbgrader_config.py", str(made_course.folder)).load_config()
    assert config.CourseDirectory.course_id == "attention"
    names = [
        *config.Autograde.sanitize_preprocessors,
        *config.Autograde.autograde_preprocessors,
        *config.GenerateFeedback.preprocessors,
        config.Autograde.exporter_class,
    ]
    assert all(callable(import_item(name)) for name in names)
    assert "nbgrader.preprocessors.Execute" not in names


def test_the_course_is_its_makers_alone(made_course: Course) -> None:
    assert made_course.folder.stat().st_mode & 0o077 == 0
    assert (made_course.folder / "course_secret").stat().st_mode & 0o077 == 0


def test_a_folder_in_use_is_left_alone(tmp_path, capsys) -> None:
    (tmp_path / "marks.txt").write_text("mine")
    assert main(["nbgrader", "init", str(tmp_path)]) == 2
    assert "is in use" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["marks.txt"]


def test_a_course_that_cannot_be_finished_leaves_nothing_behind(tmp_path, monkeypatch, capsys) -> None:
    def full(*_arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(making, "_generate", full)
    assert main(["nbgrader", "init", str(tmp_path / "attention")]) == 1
    assert "No space left on device" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_the_environment_stays_as_it_was(monkeypatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin")
    with making._programs_beside_python():
        assert os.environ["PATH"].endswith(f"{os.pathsep}/usr/bin")
    assert os.environ["PATH"] == "/usr/bin"
