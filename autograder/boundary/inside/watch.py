"""Notice what looks like an attempt on the grader. It stops nothing, and what does not want to be noticed may not be.

Only what honest work has no use for counts. A download, a plot that is saved, a `pip install`, a patched library are
none; the wall refuses them where it must, and that is all.
"""

import os
import re
import sys

import numpy as np
import numpy.testing  # so that it is known before student code may change it

_FILES = re.compile(
    r"/proc/(\d+|self)/(environ|mem|maps|root|cwd|fd)\b|/etc/(passwd|shadow)\b|/\.ssh/"
    r"|test_hidden|\boracle\.py|reference_solutions|course_secret|gradebook|/autograder/"
)
_OWN = os.path.dirname(__file__) + os.sep  # whatever reads the source of all callers reads ours
_CALLS = {
    "gc.get_objects": "searches-memory",
    "gc.get_referrers": "searches-memory",
    "sys._current_frames": "searches-memory",
    "sys.settrace": "watches-execution",
    "sys.setprofile": "watches-execution",
    "ctypes.dlopen": "calls-c-directly",
    "ctypes.string_at": "calls-c-directly",
    "os.kill": "sends-a-signal",
    "os.killpg": "sends-a-signal",
    "os.exec": "replaces-the-process",
}
_COMPARISONS = (
    ("numpy", ("allclose", "isclose", "array_equal")),
    ("numpy.testing", ("assert_allclose", "assert_array_equal", "assert_almost_equal", "assert_array_almost_equal")),
    ("torch", ("allclose", "isclose", "equal")),
    ("torch.testing", ("assert_close",)),
    ("builtins", ("all", "any", "isinstance")),
)
_DISGUISES = ("__eq__", "__array_ufunc__", "__array_function__", "__array__", "__torch_function__", "shape")


def noted_by(tell, files):
    """Have `tell(name, detail)` called for each kind of attempt once, the first time that it is noticed.

    `files` are the names of the submission's cells: calls from elsewhere are the libraries' own.
    """
    noted = set()

    def note(name, detail):
        if name not in noted:
            noted.add(name)
            tell(name, detail)

    def hook(event, args):
        if event == "open":
            if isinstance(args[0], str) and _of_others(args[0]) and _meant(files, sys._getframe(1)):
                note("opens-files-of-others", args[0])
        elif event in _CALLS and _called_by(files, sys._getframe(1)):
            note(_CALLS[event], f"called {event}")

    sys.addaudithook(hook)
    return note


def _of_others(path):
    return _FILES.search(path) and not path.startswith(_OWN)


def _called_by(files, frame):
    """By the submission itself, or by ctypes at its bidding."""
    while frame is not None and "ctypes" in frame.f_code.co_filename:
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename in files


def _meant(files, frame):
    """Does the submission stand behind it, and not an import, at which libraries look around?"""
    while frame is not None and not frame.f_code.co_filename.startswith("<frozen importlib"):
        if frame.f_code.co_filename in files:
            return True
        frame = frame.f_back
    return False


def comparisons():
    """The functions by which graders compare, as they are now."""
    modules = ((name, sys.modules[name], names) for name, names in _COMPARISONS if name in sys.modules)
    return {
        f"{name}.{function}": getattr(module, function, None)
        for name, module, functions in modules
        for function in functions
    }


def replaced(before):
    """Which of the functions in `before` is another one now; None where none is."""
    now = comparisons()
    return next((name for name, function in before.items() if now[name] is not function), None)


def disguised(value):
    """The name of a student's class that makes `value` compare, or look, as it is not; None where it doesn't."""
    parts = value if type(value) in (list, tuple) and len(value) <= 4 else (value,)
    return next((name for part in parts if (name := _disguise(part))), None)


def _disguise(value):
    kind = type(value)
    if kind in (np.ndarray, float, int, bool, list, tuple, dict):
        return None
    for base in type.__dict__["__mro__"].__get__(kind):
        if base.__module__ == "submission" and any(name in vars(base) for name in _DISGUISES):
            return type.__dict__["__name__"].__get__(kind)
    return None
