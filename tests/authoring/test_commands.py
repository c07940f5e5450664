"""The commands answer in sentences and exit as the contract says."""

import argparse
import shutil

import pytest

from autograder.authoring.commands import add_commands


@pytest.fixture
def attnkit():
    def run(*words):
        parser = argparse.ArgumentParser(prog="attnkit")
        add_commands(parser.add_subparsers(required=True))
        arguments = parser.parse_args([str(word) for word in words])
        return arguments.run(arguments)

    return run


def test_release_says_where_to_read_first(attnkit, tmp_path, capsys):
    assert attnkit("release", "--out", tmp_path / "out") == 0
    assert "README.md" in capsys.readouterr().out


def test_release_takes_the_assignments_that_are_named(attnkit, tmp_path):
    two = ("01_numpy_self_attention", "03_attention_properties")
    assert attnkit("release", "--assignment", two[0], "--assignment", "03", "--out", tmp_path / "out") == 0
    assert {path.name for path in (tmp_path / "out").iterdir() if path.is_dir()} == set(two)


def test_release_into_a_folder_in_use_is_wrong_usage(attnkit, tmp_path, capsys):
    (tmp_path / "work.py").touch()
    assert attnkit("release", "--solutions", "--out", tmp_path) == 2
    assert "name a new folder" in capsys.readouterr().err


def test_release_to_a_place_that_cannot_be_written_says_that_nothing_was(attnkit, tmp_path, capsys):
    (tmp_path / "file").touch()
    assert attnkit("release", "--out", tmp_path / "file" / "out") == 1
    assert "nothing was" in capsys.readouterr().err


def test_author_writes_and_then_finds_all_current(attnkit, root, tmp_path, capsys):
    shutil.copytree(root / "reference_solutions", tmp_path / "reference_solutions")
    assert attnkit("author", "--check", "--root", tmp_path) == 1
    assert "is not current" in capsys.readouterr().out
    assert attnkit("author", "--root", tmp_path) == 0
    assert attnkit("author", "--check", "--root", tmp_path) == 0


def test_author_without_references_says_which_is_missing(attnkit, tmp_path, capsys):
    assert attnkit("author", "--root", tmp_path) == 1
    assert "write reference_solutions/numpy_self_attention.py" in capsys.readouterr().err


def test_author_says_where_it_cannot_write(attnkit, root, tmp_path, capsys):
    shutil.copytree(root / "reference_solutions", tmp_path / "reference_solutions")
    (tmp_path / "assignments").touch()
    assert attnkit("author", "--root", tmp_path) == 1
    assert "or something above it, is a file" in capsys.readouterr().err
