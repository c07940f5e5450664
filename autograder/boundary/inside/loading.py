"""Run a submission's cells statement by statement, as a module named `submission`."""

import __future__

import ast
import builtins
import linecache
import os
import sys
import types

from .errors import describe, own_text
from .exits import OUT_OF_MEMORY
from .imports import Imports
from .stand_ins import inert_names
from .wire import PROBLEMS

_NAME = 80  # characters of an imported package's name
PARSING = -1  # in place of a statement's number
_UNPARSABLE = (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError)


class Submission:
    """A student's module, and what went wrong while it was made."""

    def __init__(self):
        self.files = set()
        self._sources = []
        self._mentioned = {}
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

    def mentions(self, text):
        """Does `text` stand anywhere in the submission?"""
        if text not in self._mentioned:
            self._mentioned[text] = any(text in source for source in self._sources)
        return self._mentioned[text]

    def put(self, name, value):
        setattr(self._module, name, value)

    def load(self, cells, skip, until, progress):
        """Run every statement but those in `skip`, a list of [cell, statement]; one that raises is noted.

        `progress(cell, statement, line)` is called before each. At the place `until`, if not None, loading ends.
        """
        skip = {tuple(place) for place in skip}
        for number, (name, source) in enumerate(cells):
            self.files.add(name)
            self._sources.append(source)
            linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
            if [number, PARSING] == until:
                return
            if (number, PARSING) in skip:
                continue
            progress(number, PARSING, 0)
            for statement, (line, code) in enumerate(self._compiled(name, source)):
                if [number, statement] == until:
                    return
                if (number, statement) in skip:
                    continue
                progress(number, statement, line)
                try:
                    exec(code, vars(self._module))
                except MemoryError:  # what it holds may leave nothing for the rest: to be loaded again without it
                    os._exit(OUT_OF_MEMORY)
                except BaseException as error:  # SystemExit too: the rest is still to run
                    self._note(name, error)

    def _compiled(self, name, source):
        try:
            tree = compile(source, name, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
            for statement in tree.body:
                self._note_future(statement)
            return [(statement.lineno, self._compile(name, statement)) for statement in tree.body]
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
