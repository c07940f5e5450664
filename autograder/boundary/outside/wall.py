"""The wall: raised once, it admits submissions, each into a process of its own.

    with raise_wall() as wall:
        process = wall.admit(cells)
        answers = process.ask(requests)
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from autograder.catalogue.cell import Cell
from autograder.catalogue.result import StudentError

from ..inside.wire import FrameError, Message
from . import frames, syscalls
from .exchange import Limits, Loaded, LoadProblem
from .process import HungUp, Silent, StudentProcess
from .zygote import BubblewrapRefused, Build, WallError, Zygote, bubblewrap_path, hide_this_process

__all__ = ["LAYERS", "StudentProcess", "Wall", "WallError", "raise_wall"]

LAYERS = ("bwrap", "landlock", "seccomp", "uid", "limits")
NO_WALL = frozenset(("bwrap", "landlock", "seccomp"))
_HIDING = ("bwrap", "landlock")
_RESTARTS = 4


class Wall:
    """A raised wall. `layers` names what stands, `troubles` why a layer doesn't."""

    def __init__(self, without: frozenset[str], limits: Limits):
        self.limits = limits
        self.troubles: dict[str, str] = {}
        self._zygotes: dict[tuple[str, ...], Zygote] = {}
        self._build = self._build_of(without)
        self._raise()

    def _build_of(self, without: frozenset[str]) -> Build:
        program = b""
        if "seccomp" not in without:
            try:
                program = syscalls.program()
            except syscalls.NoSeccompError as error:
                self.troubles["seccomp"] = str(error)
        bwrap = None if "bwrap" in without else bubblewrap_path()
        if bwrap is None and "bwrap" not in without:
            self.troubles["bwrap"] = "bubblewrap is not installed (Debian: apt install bubblewrap)"
        is_root = os.geteuid() == 0
        return Build(bwrap, not is_root, "landlock" not in without, program,
                     is_root and "uid" not in without, None if "limits" in without else self.limits)

    def _raise(self) -> None:
        try:
            self._zygote(("numpy",))
        except BubblewrapRefused as error:
            self.troubles["bwrap"] = str(error)
            self._build = Build(None, False, self._build.landlock, self._build.seccomp, self._build.own_uids,
                                self._build.limits)
            self._zygote(("numpy",))

    def _zygote(self, preload: tuple[str, ...]) -> Zygote:
        if preload not in self._zygotes:
            self._zygotes[preload] = zygote = Zygote(self._build, preload)
            if zygote.landlock_trouble:
                self.troubles["landlock"] = zygote.landlock_trouble
        return self._zygotes[preload]

    @property
    def layers(self) -> tuple[str, ...]:
        """The layers that stand around every student's process."""
        landlock = all(zygote.landlock for zygote in self._zygotes.values())
        standing = {"bwrap": self._build.bwrap, "landlock": landlock, "seccomp": self._build.seccomp,
                    "uid": self._build.own_uids, "limits": self._build.limits}
        return tuple(layer for layer in LAYERS if standing[layer])

    @property
    def hides_files(self) -> bool:
        """Does a layer stand that keeps the grader's files from student code?"""
        return any(layer in self.layers for layer in _HIDING)

    def admit(self, cells: Sequence[Cell]) -> StudentProcess:
        """A new process that has loaded `cells`; its `loaded` tells what came of it.

        A top-level statement that takes too long or ends the process is skipped in a new process, up to 4 times.
        """
        needs_torch = any("torch" in cell.source for cell in cells)
        loading = _Loading(cells, self.limits.load_seconds)
        while not loading.over:
            process = self._fork(("numpy", "torch") if needs_torch else ("numpy",))
            loading.attempt(process)
        return process

    def _fork(self, preload: tuple[str, ...]) -> StudentProcess:
        zygote = self._zygote(preload)
        try:
            return StudentProcess(zygote, self.limits)
        except WallError:  # the warm process has been killed: warm up another one, once
            zygote.close()
            del self._zygotes[preload]
            return StudentProcess(self._zygote(preload), self.limits)

    def close(self) -> None:
        """End every process behind the wall."""
        for zygote in self._zygotes.values():
            zygote.close()
        self._zygotes.clear()


class _Loading:
    """One submission on its way in: where it stands, what is skipped, what went wrong."""

    def __init__(self, cells: Sequence[Cell], seconds: float):
        self.over = False
        self._cells = cells
        self._seconds = seconds
        self._skip: list[tuple[int, int]] = []
        self._fatal: list[LoadProblem] = []
        self._place: tuple[int, int, int] | None = None
        self._attempts: tuple[str, ...] = ()

    def attempt(self, process: StudentProcess) -> None:
        """Load into `process`; `over` afterwards, or to be tried again with one statement less."""
        self._place = None
        self._process = process
        frame = frames.load_frame(self._cells, self._skip, True)
        try:
            process.load(frame, self._seconds, self._read)
        except (Silent, HungUp, FrameError) as reason:
            process.end(reason)
            self._attempts = tuple(dict.fromkeys(self._attempts + process.attempts))
            self._give_up_statement(reason, process.why)
            process.attempts = self._attempts

    def _read(self, message: list[Any]) -> bool:
        if message[0] == Message.PROGRESS:
            cell, statement, line = frames.progress(message)
            if not 0 <= cell < len(self._cells):
                raise FrameError("no such cell")
            self._place = cell, statement, line
            return False
        problems, stand_ins = frames.loaded(message, self._cells)
        self._process.attempts = self._attempts
        self._process.loaded = Loaded((*self._fatal, *problems), stand_ins, self._attempts)
        self.over = True
        return True

    def _give_up_statement(self, reason: Exception, why: str) -> None:
        cell, statement, line = self._place or (0, -1, 0)
        self._fatal.append(_fatal_problem(self._cells[cell], line, reason, why))
        self.over = len(self._skip) == _RESTARTS or (cell, statement) in self._skip
        self._skip.append((cell, statement))
        self._process.loaded = Loaded(tuple(self._fatal), (), self._attempts)


def _fatal_problem(cell: Cell, line: int, reason: Exception, why: str) -> LoadProblem:
    lines = cell.source.splitlines()
    source = lines[line - 1].strip()[:200] if 0 < line <= len(lines) else ""
    if isinstance(reason, Silent):
        error = StudentError("Timeout", "this statement did not come to an end in its time", line or None, source)
    else:
        error = StudentError("Crashed", f"this statement ended the process: {why}", line or None, source)
    return LoadProblem(cell.name, line or None, error)


@contextmanager
def raise_wall(without: frozenset[str] = frozenset(), limits: Limits | None = None) -> Iterator[Wall]:
    """The wall, until the end of the block. `without` takes layers of LAYERS away.

    Raises WallError where nothing hides the grader's files, unless both layers that do were taken away in so many words.
    """
    if unknown := set(without) - set(LAYERS):
        raise ValueError(f"no layer is called {', '.join(sorted(unknown))}; the layers are {', '.join(LAYERS)}")
    if sys.platform != "linux":
        raise WallError("student code can be walled in on Linux alone; run the grader in Docker or WSL2")
    hide_this_process()
    wall = Wall(frozenset(without), limits or Limits())
    try:
        if not wall.hides_files and not without.issuperset(_HIDING):
            told = "; ".join(f"{layer}: {trouble}" for layer, trouble in wall.troubles.items())
            raise WallError(
                f"no layer hides the hidden tests and other students' work from student code ({told}). Install "
                "bubblewrap, or use a kernel with Landlock (Linux 5.13 or later), or accept the risk with --no-wall")
        yield wall
    finally:
        wall.close()
