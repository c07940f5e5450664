"""Run a submission's cells as a module named `submission`, of which a statement that fails costs itself alone.

A cell is run at once, which is compiled in half the time; what comes after a statement that raises, and whatever the
grader wants to be told of before it runs, is run statement by statement.
"""

import __future__

import ast
import builtins
import itertools
import linecache
import math
import os
import re
import sys
import types

from .errors import describe, own_text
from .exits import NOT_SERVED, OUT_OF_MEMORY
from .imports import Imports
from .stand_ins import inert_names
from .wire import PROBLEMS

_NAME = 80  # characters of an imported package's name
PARSING = -1  # in place of a statement's number
_NOTHING, _ALL = (0, 0), (math.inf, 0)  # of a cell: lines and columns
_FEATURES = sum({getattr(__future__, name).compiler_flag for name in __future__.all_feature_names})  # a bit each
_OTHER_GENERATORS = re.compile(r"\brandom\.default_rng\b|\btorch\.rand")
_UNPARSABLE = (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError)


class Submission:
    """A student's module, and what went wrong while it was made."""

    def __init__(self):
        self.files = set()
        self.may_draw = False  # from the generators of `random` and NumPy that all code shares?
        self.problems = []  # [cell, line, type, message, source, is a syntax error]
        self._future = 0
        self._imports = Imports()
        self._module = types.ModuleType("submission")
        self._module.__builtins__ = {**vars(builtins), **inert_names(), "__import__": self._imports}
        sys.modules["submission"] = self._module

    @property
    def stand_ins(self):
        """Names of imported packages that are not there, and were replaced."""
        return [name[:_NAME] for name in list(self._imports.replaced)[:PROBLEMS]]

    def get(self, name):
        return vars(self._module).get(name)

    def put(self, name, value):
        setattr(self._module, name, value)

    def load(self, cells, at_once, skip, until, progress):
        """Run every statement but those in `skip`, a list of [cell, statement]; one that raises is noted.

        `progress(cell, statement, line)` is called before each cell, and before each statement where cells are not to
        be run at once. At the place `until`, if not None, loading ends.
        """
        skip = {tuple(place) for place in skip}
        for number, (name, source) in enumerate(cells):
            self.files.add(name)
            lines = source.splitlines(keepends=True)
            linecache.cache[name] = (len(source), None, lines, name)
            self.may_draw = self.may_draw or any(map(_may_draw, lines))
            if [number, PARSING] == until:
                return
            if (number, PARSING) in skip:
                continue
            progress(number, PARSING, 0)
            done = self._run_at_once(name, source) if at_once else _NOTHING
            if done == _ALL:
                continue
            for statement, (node, code) in enumerate(self._compiled(name, source)):
                if [number, statement] == until:
                    return
                if (number, statement) in skip or _begin(node) <= done:
                    continue
                if not at_once:
                    progress(number, statement, node.lineno)
                self._run(name, code)

    def _run_at_once(self, name, source):
        """Run a cell; the line and column up to which its statements are dealt with."""
        try:
            code = compile(source, name, "exec", self._future, dont_inherit=True)
        except _UNPARSABLE:
            return _NOTHING
        self._future |= code.co_flags & _FEATURES
        traceback = self._run(name, code)
        if traceback is None:
            return _ALL
        return _place_in(code, traceback.tb_next) or os._exit(NOT_SERVED)  # and all is run statement by statement

    def _run(self, name, code):
        """Note what `code` raises; its traceback, which begins here."""
        try:
            exec(code, vars(self._module))
        except MemoryError:  # what it holds may leave nothing for the rest: to be loaded again without it
            os._exit(OUT_OF_MEMORY)
        except BaseException as error:  # SystemExit too: the rest is still to run
            traceback = sys.exc_info()[2]
            self._note(name, error)
            return traceback
        return None

    def _compiled(self, name, source):
        """Each statement with its code."""
        try:
            tree = compile(source, name, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
            for statement in tree.body:
                self._note_future(statement)
            return [(statement, self._compile(name, statement)) for statement in tree.body]
        except _UNPARSABLE as error:
            self._note_unparsable(name, error)
            return []

    def _compile(self, name, statement):
        return compile(ast.Module([statement], []), name, "exec", self._future, dont_inherit=True)

    def _note_future(self, statement):
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
            for alias in statement.names:
                feature = getattr(__future__, alias.name, None)
                self._future |= getattr(feature, "compiler_flag", 0)

    def _note(self, cell, error):
        kind, message, line, source = describe(error, self.files)
        self._keep([cell, line, kind, message, source, False])

    def _note_unparsable(self, cell, error):
        line = error.lineno if isinstance(error, SyntaxError) else None
        message = error.msg if isinstance(error, SyntaxError) else str(error)
        source = linecache.getline(cell, line).strip() if line else ""
        self._keep([cell, line, type(error).__name__, own_text(message)[:200], own_text(source)[:200], True])

    def _keep(self, problem):
        if len(self.problems) < PROBLEMS:
            self.problems.append(problem)


def _place_in(code, traceback):
    """Line and column of what raised in `code`; None where they can't be told."""
    if traceback is None or traceback.tb_frame.f_code is not code:
        return None
    line, _, column, _ = next(itertools.islice(code.co_positions(), traceback.tb_lasti // 2, None))
    return None if line is None or column is None else (line, column)


def _begin(statement):
    """Line and column of its first decorator where it has one, as an error's are where a decorator raises."""
    first = (getattr(statement, "decorator_list", None) or [statement])[0]
    return first.lineno, first.col_offset


def _may_draw(line):
    """Whether a line of more than a comment mentions other random numbers than torch's or a `default_rng`'s."""
    return "rand" in line and not line.lstrip().startswith("#") and "rand" in _OTHER_GENERATORS.sub("", line)
