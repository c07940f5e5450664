"""What `import` does inside the wall."""

import ast
import linecache
import sys

from . import pytest_stand_in
from .stand_ins import stand_in_module

_REAL = frozenset(sys.stdlib_module_names) | {"numpy", "torch", "submission"}


class Imports:
    """`__import__` for the student's own statements: the standard library, NumPy and PyTorch, else a stand-in.

    A package that isn't there is missing, as it would be anywhere, where the student's `try` has another way.
    """

    def __init__(self):
        self.replaced = {}  # top-level names in the order of their import
        self._optional = {}  # by cell: the lines of imports for which there is another way

    def __call__(self, name, globals=None, locals=None, fromlist=(), level=0):
        top = name.partition(".")[0]
        if level == 0 and top in _REAL:
            try:
                return _without_stops(__import__(name, globals, locals, fromlist, level), top)
            except ModuleNotFoundError as error:
                if error.name == name or top in ("numpy", "torch"):
                    raise  # a wrong name; else a part of the standard library that this Python was built without
        if top == "pytest":
            return pytest_stand_in
        if self._is_optional(sys._getframe(1)):
            raise ModuleNotFoundError(f"No module named {top!r}", name=top)
        self.replaced.setdefault(top or (fromlist or ("a relative import",))[0])
        return stand_in_module(name if fromlist else top, name)

    def _is_optional(self, frame):
        cell = frame.f_code.co_filename
        if cell not in self._optional:
            self._optional[cell] = _optional_imports("".join(linecache.getlines(cell)))
        return frame.f_lineno in self._optional[cell]


def _without_stops(module, top):
    """A debugger that a student left in has nobody to ask."""
    if top == "pdb":
        module.set_trace = lambda *args, **options: None
    return module


_MISSING = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}


def _optional_imports(source):
    """The lines of imports in a `try` whose handler for what is missing imports, sets or defines something instead."""
    if "except" not in source:
        return frozenset()
    try:
        tries = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Try)]
    except (SyntaxError, ValueError, RecursionError):
        return frozenset()
    return frozenset(
        inner.lineno
        for node in tries
        if any(map(_is_another_way, node.handlers))
        for statement in node.body
        for inner in ast.walk(statement)
        if isinstance(inner, ast.Import | ast.ImportFrom)
    )


def _is_another_way(handler):
    caught = {getattr(node, "id", None) for node in ast.walk(handler.type)} if handler.type else _MISSING
    instead = (ast.Import, ast.ImportFrom, ast.Assign, ast.FunctionDef, ast.ClassDef)
    return bool(caught & _MISSING) and any(isinstance(n, instead) for s in handler.body for n in ast.walk(s))
