"""Catalogue, reference solution, stub and notebook say the same."""

import ast
import itertools
import re
import shutil

import pytest

from autograder.authoring.author import assignment_files, author, authored, stale
from autograder.authoring.reference import Role, read_reference
from autograder.authoring.scripts import stub
from autograder.authoring.sheets import summary
from autograder.catalogue.assignments import ASSIGNMENTS, Kind

NUMPY = ASSIGNMENTS["01_numpy_self_attention"]


def signature(definition):
    """A function's parameters, or those of a class's __init__ without self, as the catalogue writes them."""
    if isinstance(definition, ast.ClassDef):
        definition = next(node for node in definition.body if getattr(node, "name", "") == "__init__")
        definition.args.args.pop(0)
    return f"({ast.unparse(definition.args)})"


@pytest.mark.parametrize("make", [lambda reference: reference.text, stub], ids=["reference", "stub"])
def test_catalogue_and_code_have_the_same_signatures(reference, make):
    definitions = {node.name: node for node in ast.parse(make(reference)).body if hasattr(node, "name")}
    for exercise in reference.assignment.exercises:
        definition = definitions[exercise.name]
        assert isinstance(definition, ast.ClassDef) == (exercise.kind is Kind.MODULE), exercise.name
        assert signature(definition) == exercise.signature.replace("1e-", "1e-0"), "ast writes 1e-6 as 1e-06"


def test_what_is_committed_is_what_the_references_make(root):
    assert stale(root) == [], "run `python -m autograder author`"


def test_authoring_twice_gives_the_same_bytes(root):
    assert authored(root) == authored(root)


def test_a_stub_is_complete_and_shows_no_solution(reference):
    text = stub(reference)
    for forbidden in ("HIDDEN", "BEGIN SOLUTION", "END SOLUTION", "# %%"):
        assert forbidden not in text
    for exercise in reference.assignment.exercises:
        assert f'raise NotImplementedError("exercise {exercise.name}: not implemented yet")' in text
        assert f"{exercise.name} ({exercise.points} points)" in text


def test_no_line_of_a_solution_is_in_what_students_receive(reference):
    solution = solution_lines(reference)
    for name, text in assignment_files(reference).items():
        lines = {line.strip() for line in text.splitlines()}
        if name.endswith(".md") or name == f"{reference.assignment.file}.py":
            assert not solution & lines, name


def test_no_hint_gives_a_line_of_the_solution_away(reference):
    solution = {line.removeprefix("return ") for line in solution_lines(reference)}
    for exercise in reference.assignment.exercises:
        for step in reference.hints(exercise.name):
            given = [line for line in solution if len(line) > 6 and line in step]
            assert not given, f"{exercise.name}: {given}"


def solution_lines(reference):
    """The lines between the marks of a reference solution that compute something."""
    lines, inside = set(), False
    for line in map(str.strip, reference.text.splitlines()):
        if line.startswith("### "):
            inside = line == "### BEGIN SOLUTION"
        elif inside and not line.startswith("#") and len(line) > 1:
            lines.add(line)
    return lines


def test_no_wrapped_line_of_prose_turns_into_a_numbered_list(reference):
    texts = [cell.source for cell in reference.of(Role.TEXT)] + [cell.source for cell in reference.of(Role.REFLECTION)]
    texts += [step for exercise in reference.assignment.exercises for step in reference.hints(exercise.name)]
    for text in texts:
        for before, line in itertools.pairwise(text.splitlines()):
            starts_list = re.match(r"\d+\. ", line) and not re.match(r"\d+\. |   |$", before)
            assert not starts_list, f"{before} / {line}"


def test_every_docstring_has_shapes_or_a_result_and_an_example_by_hand(reference):
    for cell in reference.of(Role.ANSWER):
        docstring = ast.get_docstring(ast.parse(cell.source).body[0])
        assert "By hand" in docstring, cell.name
        assert any(word in docstring for word in ("returns", "forward:", "right where")), cell.name
        assert summary(reference, cell.name)


def test_author_writes_only_what_is_not_current(root, tmp_path):
    shutil.copytree(root / "reference_solutions", tmp_path / "reference_solutions")
    assert len(author(tmp_path)) == 5 * len(ASSIGNMENTS)
    assert author(tmp_path) == []
    sheet = tmp_path / "assignments" / NUMPY.id / "README.md"
    sheet.write_text("changed by hand", encoding="utf-8")
    (sheet.parent / "left_over.txt").write_text("not made by anything", encoding="utf-8")
    assert [path.name for path in stale(tmp_path)] == ["README.md", "left_over.txt"]
    assert [path.name for path in author(tmp_path)] == ["README.md"]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (('# %% check="scale_scores"', "# %%"), "has 0 cells check='scale_scores'"),
        (('hints="softmax_rows"', 'hints="softmax"'), "has 0 cells hints='softmax_rows'"),
        (("    ### END SOLUTION\n", ""), "answer='matrix_dimensions': .* without its"),
        (
            ("    ### BEGIN SOLUTION\n    return X @ W_Q\n    ### END SOLUTION\n", "    return X @ W_Q\n"),
            "answer='project_query': no solution region",
        ),
        (("def project_key(", "def key("), "must define project_key and nothing else"),
        (
            ("def project_key(X, W_K):", "def project_key(X, W_K)"),
            "answer='project_key' is not Python: line 1: expected",
        ),
        (("import numpy as np", "import numpy as"), "the cell imports is not Python: line"),
        (("# 3. Nothing needs", "# Nothing needs"), "project_query has 2 hints, not three"),
        (("# %% imports=true", "# %%"), "exactly one cell with imports=true"),
    ],
)
def test_an_incomplete_reference_is_told_with_its_place(root, tmp_path, change, fault):
    text = (root / "reference_solutions" / f"{NUMPY.file}.py").read_text(encoding="utf-8")
    (tmp_path / f"{NUMPY.file}.py").write_text(text.replace(*change, 1), encoding="utf-8")
    with pytest.raises(ValueError, match=fault):
        read_reference(tmp_path, NUMPY)


def test_a_missing_reference_is_told(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"write .*/numpy_self_attention\.py"):
        read_reference(tmp_path, NUMPY)
