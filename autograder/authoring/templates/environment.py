"""What a student's Python lacks: copied into the notebooks and the visible tests."""

import importlib
import platform
import sys


def environment_problems(needs):
    """Say what this Python lacks, a sentence each. `needs` maps a package to its lowest (major, minor)."""
    problems = []
    if sys.version_info[:2] < (3, 10):
        problems.append(f"This is Python {platform.python_version()}; install 3.10 or later from python.org.")
    for package, lowest in needs.items():
        problems += package_problems(package, tuple(lowest))
    if any("torch" in problem for problem in problems) and intel_mac():
        problems.append("On a Mac with an Intel chip PyTorch ends at 2.2: take Python 3.12 or earlier, "
                        'and install "torch<2.3" "numpy<2".')
    return problems


def package_problems(package, lowest):
    python = f'& "{sys.executable}"' if sys.platform == "win32" else f'"{sys.executable}"'
    install = f"in a notebook cell run `%pip install -U {package}`, " \
              f"in a terminal `{python} -m pip install -U {package}`"
    try:
        module = importlib.import_module(package)
        version = tuple(int(part) for part in module.__version__.split(".")[:2])
    except ModuleNotFoundError as error:
        missing = f"{package} is missing" if error.name == package else f"{package} needs {error.name}"
        return [f"{missing}: {install}."]
    except AttributeError:
        place = getattr(module, "__file__", None) or f"a folder named {package}"
        return [f"Something of yours hides {package}: {place}. Give it another name, and restart Python."]
    except (ImportError, OSError) as error:
        windows = " PyTorch also needs the Microsoft Visual C++ Redistributable (x64)."
        return [f"{package} does not start ({str(error)[:150]}). Install it again: {install}."
                + (windows if sys.platform == "win32" else "")]
    wanted = ".".join(map(str, lowest))
    return [] if version >= lowest else [f"{package} {module.__version__} is older than {wanted}: {install}."]


def intel_mac():
    return sys.platform == "darwin" and platform.machine() == "x86_64"


def versions(needs):
    """Name this Python and its packages in one line."""
    found = [f"{package} {importlib.import_module(package).__version__}" for package in needs]
    return ", ".join([f"Python {platform.python_version()}", *found])
