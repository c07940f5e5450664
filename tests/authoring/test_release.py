"""`attnkit release` writes all or nothing, and over nobody's work."""

import ast
import re
import shutil

import nbformat
import pytest

from autograder.authoring import release as module
from autograder.authoring.author import assignment_files
from autograder.authoring.release import release, release_solutions, released_names
from autograder.catalogue import shipped
from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.whole_file import FolderInUseError


def names(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_students_receive_six_folders_a_readme_and_what_to_install(tmp_path, reference):
    release(tmp_path / "out")
    wanted = {f"{a.id}/{name}" for a in ASSIGNMENTS.values() for name in released_names(a)}
    assert names(tmp_path / "out") == wanted | {"README.md", "requirements.txt"}
    assert set(released_names(reference.assignment)) == set(assignment_files(reference))


def test_assignments_can_be_handed_out_one_at_a_time_and_need_no_more_than_they_use(tmp_path):
    first = ASSIGNMENTS["01_numpy_self_attention"]
    release(tmp_path / "release", [first])
    release_solutions(tmp_path / "solutions", [first])
    for folder in ("release", "solutions"):
        assert {path.name for path in (tmp_path / folder).iterdir() if path.is_dir()} == {first.id}
        readme = (tmp_path / folder / "README.md").read_text(encoding="utf-8")
        assert [a.id for a in ASSIGNMENTS.values() if a.id in readme] == [first.id]
    wanted = (tmp_path / "release" / "requirements.txt").read_text(encoding="utf-8")
    assert "numpy" in wanted and "torch" not in wanted


def test_a_release_shows_no_solution_and_needs_nothing_of_the_kit(tmp_path):
    release(tmp_path / "out")
    for name in names(tmp_path / "out"):
        text = (tmp_path / "out" / name).read_text(encoding="utf-8")
        assert "BEGIN SOLUTION" not in text and "HIDDEN" not in text, name
        assert "autograder" not in re.sub(r"python -m autograder author", "", text), name


@pytest.mark.parametrize("write", [release, release_solutions])
def test_a_folder_that_holds_files_is_left_alone(tmp_path, write):
    (tmp_path / "work.py").write_text("mine\n")
    with pytest.raises(FolderInUseError, match="may hold somebody's work"):
        write(tmp_path)
    assert names(tmp_path) == {"work.py"}


def test_an_empty_folder_and_a_new_one_both_serve(tmp_path):
    (tmp_path / "empty").mkdir()
    release(tmp_path / "empty")
    release(tmp_path / "term" / "new")
    assert names(tmp_path / "empty") == names(tmp_path / "term" / "new")


def test_a_write_that_fails_in_the_middle_leaves_nothing(tmp_path, monkeypatch):
    real, written = module.write_whole, []

    def fail_at_the_tenth(path, text):
        written.append(path)
        if len(written) == 10:
            raise OSError(28, "No space left on device")
        real(path, text)

    monkeypatch.setattr(module, "write_whole", fail_at_the_tenth)
    with pytest.raises(OSError, match="No space left"):
        release(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_the_solutions_are_whole_scripts_and_notebooks_without_marks(tmp_path):
    release_solutions(tmp_path / "out")
    for assignment in ASSIGNMENTS.values():
        folder = tmp_path / "out" / assignment.id
        script = (folder / f"{assignment.file}.py").read_text(encoding="utf-8")
        ast.parse(script)
        notebook = nbformat.read(folder / f"{assignment.file}.ipynb", as_version=4)
        for text in (script, *(cell.source for cell in notebook.cells)):
            assert "SOLUTION" not in text and "not implemented yet" not in text
        assert not any("nbgrader" in cell.metadata for cell in notebook.cells)


def test_an_installed_kit_releases_what_lies_in_its_wheel(tmp_path, monkeypatch, root):
    package = tmp_path / "site-packages" / "autograder"
    for folder in ("assignments", "reference_solutions"):
        shutil.copytree(root / folder, package / "shipped" / folder)
    monkeypatch.setattr(shipped, "PACKAGE", package)
    release(tmp_path / "release")
    release_solutions(tmp_path / "solutions")
    assert len(names(tmp_path / "release")) == 5 * len(ASSIGNMENTS) + 2


def test_an_incomplete_installation_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(shipped, "PACKAGE", tmp_path / "nowhere" / "autograder")
    with pytest.raises(FileNotFoundError, match="install self-attention-kit again"):
        release(tmp_path / "out")
    assert not (tmp_path / "out").exists()
