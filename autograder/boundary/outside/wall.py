"""The wall: raised once, it admits submissions, each into a process of its own.

    with raise_wall() as wall:
        process = wall.admit(cells)
        answers = process.ask(requests)

Whatever a process does costs its own submission, and no other.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from autograder.catalogue.cell import Cell
from autograder.catalogue.result import StudentError

from ..inside.wire import FrameError, Message, UnsendableError
from . import frames, syscalls
from .clock import clock
from .exchange import Limits, Loaded, LoadProblem
from .process import HungUp, Silent, StudentProcess
from .readable import readable
from .zygote import BubblewrapRefused, Build, WallError, Zygote, ZygoteEnded, bubblewrap_path, hide_this_process

__all__ = ["LAYERS", "Disturbed", "StudentProcess", "Wall", "WallError", "raise_wall"]

LAYERS = ("bwrap", "landlock", "seccomp", "uid", "limits")
NO_WALL = frozenset(("bwrap", "landlock", "seccomp"))
_HIDING = ("bwrap", "landlock")
_RESTARTS = 4
_PARSING = -1  # in place of a statement's number
_LEAST_SECONDS = 0.5
_AT_ONCE = 4  # a cell that is run at once has so small a part of the time for all statements
_DISTURBANCES = 3
_NUMPY, _TORCH = ("numpy",), ("numpy", "torch")  # what a zygote has imported


_Used = TypeVar("_Used")


def _itself(zygote: Zygote) -> Zygote:
    return zygote


class Disturbed(WallError):
    """Something outside the wall kills students' processes: what they answered says nothing; it is to be asked anew."""

    def __init__(self) -> None:
        super().__init__(
            "Students' processes were killed from outside again and again; is the machine out of memory? "
            "Grade again with --resume, perhaps with fewer --jobs."
        )


class Wall:
    """A raised wall. `layers` names what stands around every student's process, `troubles` why a layer doesn't."""

    def __init__(self, without: frozenset[str], limits: Limits):
        if sys.platform != "linux":
            raise WallError("student code can be walled in on Linux alone; run the grader in Docker or WSL2")
        hide_this_process()
        self.limits = limits
        self.troubles: dict[str, str] = {}
        self._zygotes: dict[tuple[str, ...], Zygote] = {}
        self._raise(without)

    def _build_of(self, without: frozenset[str]) -> Build:
        bwrap = None
        if "bwrap" not in without:
            bwrap = bubblewrap_path()
            if bwrap is None:
                self.troubles["bwrap"] = "bubblewrap is not installed; Debian: apt install bubblewrap"
        program = b""
        if "seccomp" not in without:
            try:
                program = syscalls.program()
            except syscalls.NoSeccompError as error:
                self.troubles["seccomp"] = str(error)
        return Build(
            bwrap,
            "landlock" not in without,
            program,
            "uid" not in without and self._can_change_user(bwrap),
            None if "limits" in without else self.limits,
        )

    def _can_change_user(self, bwrap: str | None) -> bool:
        if os.geteuid() != 0:
            self.troubles["uid"] = "needs root"
            return False
        if closed := readable().closed():
            self.troubles["uid"] = f"other users can't read {closed}, which student code needs; chmod -R go+rX mends it"
        elif barred := None if bwrap else readable().barred():
            self.troubles["uid"] = f"other users can't enter {barred}, where Python or a package lies"
        return "uid" not in self.troubles

    def _raise(self, without: frozenset[str]) -> None:
        try:
            self._build = self._build_of(without)
            zygote = self._undisturbed(_NUMPY, _itself)
        except BubblewrapRefused as error:
            self._build = self._build_of(without | {"bwrap"})
            self.troubles["bwrap"] = str(error)
            zygote = self._undisturbed(_NUMPY, _itself)
        if zygote.landlock_trouble:
            self.troubles["landlock"] = zygote.landlock_trouble
        standing = {
            "bwrap": self._build.bwrap,
            "landlock": zygote.landlock,
            "seccomp": self._build.seccomp,
            "uid": self._build.own_uids,
            "limits": self._build.limits,
        }
        self.layers = tuple(layer for layer in LAYERS if standing[layer])

    def _zygote(self, preload: tuple[str, ...]) -> Zygote:
        if preload not in self._zygotes:
            self._zygotes[preload] = Zygote(self._build, preload)
        return self._zygotes[preload]

    @property
    def hides_files(self) -> bool:
        """Does a layer stand that keeps the grader's files from student code?"""
        return any(layer in self.layers for layer in _HIDING)

    @property
    def with_torch(self) -> TorchWall:
        """The same wall for submissions that will be asked with tensors or modules, whatever they mention."""
        return TorchWall(self)

    def admit(self, cells: Sequence[Cell]) -> StudentProcess:
        """A new process that has loaded `cells`, with torch at hand if they mention it; `loaded` tells what came of it.

        A top-level statement that takes too long or ends the process is skipped in a new process, up to 4 times.
        """
        return self._admit(cells, _TORCH if any("torch" in cell.source for cell in cells) else _NUMPY)

    def _admit(self, cells: Sequence[Cell], preload: tuple[str, ...]) -> StudentProcess:
        for _ in range(_DISTURBANCES):
            loading = _Loading(cells, self.limits.load_seconds)
            while not loading.over:
                process = self._fork(preload)
                loading.attempt(process)
            if not process.disturbed:
                return process
        raise Disturbed

    def _fork(self, preload: tuple[str, ...]) -> StudentProcess:
        return self._undisturbed(preload, lambda zygote: StudentProcess(zygote, self.limits))

    def _undisturbed(self, preload: tuple[str, ...], use: Callable[[Zygote], _Used]) -> _Used:
        """What `use` makes of a zygote; of another one where it was killed, or had been."""
        for _ in range(_DISTURBANCES - 1):
            try:
                return use(self._zygote(preload))
            except ZygoteEnded:
                if preload in self._zygotes:
                    self._zygotes.pop(preload).close()
        return use(self._zygote(preload))

    def close(self) -> None:
        """End every process behind the wall."""
        for zygote in self._zygotes.values():
            zygote.close()
        self._zygotes.clear()


@dataclass(frozen=True)
class TorchWall:
    """A wall all of whose processes have torch at hand."""

    wall: Wall

    def admit(self, cells: Sequence[Cell]) -> StudentProcess:
        return self.wall._admit(cells, _TORCH)


class _Loading:
    """One submission on its way in: what is skipped, what went wrong, and how much time is left."""

    def __init__(self, cells: Sequence[Cell], seconds: float):
        self.over = False
        self._cells = cells
        self._seconds, self._left = seconds, 2 * seconds
        self._at_once = True
        self._skip: list[frames.Place] = []
        self._until: frames.Place | None = None
        self._fatal: list[LoadProblem] = []
        self._attempts: tuple[str, ...] = ()

    def attempt(self, process: StudentProcess) -> None:
        """Load into `process`; `over` afterwards, or to be tried again in another: statement by statement, so that it
        is known which one it was, and then with that one less."""
        self._line: int | None = None
        self._place: frames.Place = (0, _PARSING)
        self._process = process
        started = clock()
        try:
            frame = frames.load_frame(self._cells, self._at_once, self._skip, self._until)
            seconds = self._seconds / _AT_ONCE if self._at_once else min(self._seconds, self._left)
            process.load(frame, max(seconds, _LEAST_SECONDS), self._read)
        except (Silent, HungUp, FrameError) as reason:
            process.end(reason)
            if self._at_once:
                self._at_once, self.over = False, process.disturbed
                self._note_attempts()
                return
            self._left -= max(process.cpu_seconds, (clock() - started) / 2)
            self.over = process.disturbed or self._until is not None
            if not process.disturbed:
                self._give_up_statement(reason)
        except UnsendableError as error:  # more text than a frame holds
            process.close()
            self._finish([LoadProblem(self._cells[0].name, None, StudentError("TooLong", str(error)))], ())

    def _read(self, message: list[Any]) -> bool:
        if message[0] == Message.PROGRESS:
            cell, statement, line = frames.progress(message)
            if not 0 <= cell < len(self._cells):
                raise FrameError("no such cell")
            self._place, self._line = (cell, statement), line or None
            return False
        self._finish(*frames.loaded(message, self._cells))
        return True

    def _give_up_statement(self, reason: Exception) -> None:
        """Note it, and skip it from now on; the last one that may be skipped ends the loading."""
        self._note_attempts()
        cell = self._cells[self._place[0]]
        self._fatal.append(_fatal_problem(cell, self._line, reason, self._process))
        if len(self._skip) == _RESTARTS or self._left <= 0:
            self._until = self._place
        self._skip.append(self._place)
        self._process.loaded = Loaded(tuple(self._fatal), (), self._attempts)

    def _note_attempts(self) -> None:
        """What was seen in one process of this submission is known of the next."""
        self._process.attempts = self._attempts = tuple(dict.fromkeys(self._attempts + self._process.attempts))

    def _finish(self, problems: Sequence[LoadProblem], stand_ins: tuple[str, ...]) -> None:
        self._note_attempts()
        self._process.loaded = Loaded((*self._fatal, *problems), stand_ins, self._attempts)
        self.over = True


def _fatal_problem(cell: Cell, line: int | None, reason: Exception, process: StudentProcess) -> LoadProblem:
    lines = cell.source.splitlines()
    source = lines[line - 1].strip()[:200] if line is not None and 0 < line <= len(lines) else ""
    if isinstance(reason, Silent):
        error = StudentError("Timeout", "this statement did not come to an end in its time", line, source)
    elif process.ran_out_of_memory:
        error = StudentError("MemoryError", "this statement took more memory than there is", line, source)
    else:
        error = StudentError("Crashed", f"this statement ended the process: {process.why}", line, source)
    return LoadProblem(cell.name, line, error)


@contextmanager
def raise_wall(without: frozenset[str] = frozenset(), limits: Limits | None = None) -> Iterator[Wall]:
    """The wall, until the end of the block. `without` takes layers of LAYERS away.

    Raises WallError where nothing hides the grader's files, unless both layers that do were taken away by name.
    """
    if unknown := set(without) - set(LAYERS):
        raise ValueError(f"no layer is called {', '.join(sorted(unknown))}; the layers are {', '.join(LAYERS)}")
    wall = Wall(frozenset(without), limits or Limits())
    try:
        if not wall.hides_files and not without.issuperset(_HIDING):
            told = "; ".join(f"{layer}: {wall.troubles[layer]}" for layer in _HIDING if layer in wall.troubles)
            raise WallError(
                f"no layer hides the hidden tests and other students' work from student code ({told}). Install "
                "bubblewrap and let it make namespaces, or use a kernel with Landlock (Linux 5.13 or later), or accept "
                "the risk with --no-wall."
            )
        yield wall
    finally:
        wall.close()
