"""Every dependency is declared, used, pinned and told; what the kit runs with asks no licence of its users."""

import ast
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
NEEDED = tuple(Requirement(line) for line in PROJECT["project"]["dependencies"])
TESTED_WITH = tuple(Requirement(line) for line in PROJECT["dependency-groups"]["tests"])
NOT_IMPORTED = {"soupsieve", "pytest"}  # a bound on what nbgrader brings; run by those who use the release
STRONG_COPYLEFT = re.compile(r"\bA?GPL|Affero|(?<!Lesser )General Public", re.IGNORECASE)


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def table(heading: str) -> set[str]:
    page = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    section = page.split(f"## {heading}\n")[1].split("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| ")]
    assert all(len(row) == 4 and all(cell.strip() for cell in row) for row in rows), "a cell is empty"
    return {row[0] for row in rows[1:]}


def pinned(file: str) -> set[str]:
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    return {normal(Requirement(line).name) for line in lines if line and not line.startswith("#")}


def with_all_they_need(requirements) -> set[str]:
    """The names of all packages that this Python gets for these."""
    found, waiting = set(), list(requirements)
    while waiting:
        requirement = waiting.pop()
        key = (normal(requirement.name), frozenset(requirement.extras))
        if key in found:
            continue
        found.add(key)
        for line in metadata.distribution(requirement.name).requires or ():
            further = Requirement(line)
            extras = requirement.extras or {""}
            if further.marker is None or any(further.marker.evaluate({"extra": extra}) for extra in extras):
                waiting.append(further)
    return {name for name, _ in found} - {"setuptools"}  # which every environment has


def imported_by_the_kit() -> set[str]:
    """The distributions that modules below autograder/ import, student-facing templates aside."""
    tops = set()
    for path in (ROOT / "autograder").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module]
            tops.update(name.partition(".")[0] for name in names)
    owners = metadata.packages_distributions()
    foreign = tops - sys.stdlib_module_names - {"autograder"}
    return {normal(owner) for top in foreign for owner in owners[top]}


def licences(name: str) -> str:
    told = metadata.metadata(name)
    classifiers = [line for line in told.get_all("Classifier") or () if line.startswith("License")]
    return " ".join((told.get("License-Expression") or (told.get("License") or "")[:200], *classifiers))


def test_what_the_kit_imports_is_declared_and_what_is_declared_is_imported():
    assert {normal(needed.name) for needed in NEEDED} - NOT_IMPORTED == imported_by_the_kit()


def test_each_dependency_is_told_with_its_purpose_its_keeper_and_its_licence():
    assert table("What the kit runs with") == {needed.name for needed in NEEDED}
    assert table("What its tests need besides") == {needed.name for needed in TESTED_WITH}


def test_what_the_kit_runs_with_is_pinned_and_nothing_else():
    assert pinned("requirements.txt") == with_all_they_need(NEEDED)


def test_what_the_tests_need_besides_is_pinned_and_nothing_else():
    try:
        needed = with_all_they_need(TESTED_WITH)
    except metadata.PackageNotFoundError as missing:
        pytest.skip(f"{missing} is not installed on this Python")
    assert pinned("tests/requirements.txt") == needed - pinned("requirements.txt")


def test_nothing_that_the_kit_runs_with_is_under_a_licence_that_its_users_would_have_to_take_over():
    assert [name for name in sorted(with_all_they_need(NEEDED)) if STRONG_COPYLEFT.search(licences(name))] == []


def test_a_gradescope_container_gets_what_grading_imports_at_the_versions_of_the_kit():
    pins = (ROOT / "autograder" / "integrations" / "gradescope_files" / "requirements.txt").read_text().splitlines()[1:]
    assert set(pins) <= set((ROOT / "requirements.txt").read_text().splitlines())
    imported = "import sys, autograder.integrations.gradescope; print(*{name.split('.')[0] for name in sys.modules})"
    told = subprocess.run([sys.executable, "-c", imported], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    owners = metadata.packages_distributions()
    used = {normal(owner) for top in told.split() for owner in owners.get(top, ())}
    given = [Requirement(line) for line in pins]
    assert {normal(one.name) for one in given} - used == {"torch", "pyseccomp"}, "these two the wall alone imports"
    assert used - with_all_they_need(given) <= {"self-attention-kit", "setuptools"}
