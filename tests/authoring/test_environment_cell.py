"""The first cell and the first test say what is missing, on Windows and macOS too."""

import platform
import sys
import types

import pytest

from autograder.authoring.templates.environment import environment_problems, versions


@pytest.fixture
def package(monkeypatch):
    """Put a module of the given name, version and file in the way of the real one."""

    def install(name, **attributes):
        module = types.ModuleType(name)
        vars(module).update(attributes)
        monkeypatch.setitem(sys.modules, name, module)

    return install


def test_nothing_is_missing_here():
    assert environment_problems({"numpy": (1, 22)}) == []
    assert versions({"numpy": (1, 22)}).startswith(f"Python {platform.python_version()}, numpy ")


def test_a_missing_package_comes_with_both_ways_to_install_it():
    (problem,) = environment_problems({"no_such_package": (1, 0)})
    assert problem.startswith("no_such_package is missing: ")
    assert "in a notebook cell run `%pip install -U no_such_package`" in problem
    assert f'"{sys.executable}" -m pip install' in problem


def test_powershell_needs_an_ampersand_before_a_quoted_program(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    (problem,) = environment_problems({"no_such_package": (1, 0)})
    assert f'`& "{sys.executable}" -m pip' in problem


def test_an_old_package_is_told_with_both_versions(package):
    package("torch", __version__="1.13.1+cpu")
    (problem,) = environment_problems({"torch": (2, 0)})
    assert problem.startswith("torch 1.13.1+cpu is older than 2.0:")


def test_a_students_own_file_that_hides_a_package_is_named(package):
    package("numpy", __file__="/home/student-01/numpy.py")
    (problem,) = environment_problems({"numpy": (1, 22)})
    assert "hides numpy: /home/student-01/numpy.py. Give it another name" in problem


def test_an_intel_mac_is_told_which_versions_still_exist(monkeypatch, package):
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    package("torch", __version__="1.13.1")
    assert 'install "torch<2.3" "numpy<2"' in environment_problems({"torch": (2, 0)})[1]


def test_windows_is_told_of_the_library_that_pytorch_needs(monkeypatch, tmp_path):
    (tmp_path / "torch.py").write_text('raise OSError("[WinError 126] The module could not be found")\n')
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.setattr(sys, "platform", "win32")
    (problem,) = environment_problems({"torch": (2, 0)})
    assert "torch does not start ([WinError 126]" in problem
    assert "Visual C++ Redistributable" in problem


def test_an_old_python_is_told(monkeypatch):
    monkeypatch.setattr(sys, "version_info", (3, 8, 10))
    assert "install 3.10 or later" in environment_problems({})[0]
