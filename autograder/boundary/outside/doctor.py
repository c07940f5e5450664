"""Which layers stand around student code on this machine, each proved by trying to cross it."""

from __future__ import annotations

import os
import secrets
import socket
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from autograder.catalogue.cell import Cell
from autograder.whole_file import temporary_folder

from .exchange import Answer, AnswerKind, Call, Limits
from .wall import LAYERS, Wall

_WORDS = {
    "bwrap": "bubblewrap: a file system, processes and network of its own",
    "landlock": "Landlock: the kernel lets student code read Python, NumPy and PyTorch, and nothing else",
    "seccomp": "seccomp: only harmless system calls",
    "uid": "a user of its own for each student's process",
    "limits": "limits on memory, time, threads and files",
}
_INTRUDER = textwrap.dedent("""
    import os, socket

    def read(path):
        with open(path) as file:
            return file.read()

    def names(path):
        return os.listdir(path)

    def write(path):
        with open(path, "w") as file:
            file.write("crossed")
        return "wrote"

    def connect(port):
        socket.create_connection(("127.0.0.1", port), timeout=1)
        return "connected"

    def start():
        return os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)

    def fork():
        child = os.fork()
        if child == 0:
            os._exit(0)
        return child

    def look(pid):
        with open(f"/proc/{pid}/environ", "rb") as file:
            return file.read()

    def reach(pid):
        os.kill(pid, 0)
        return "reached"

    def fill(size):
        return len(bytearray(size))
""")


@dataclass(frozen=True)
class Crossing:
    """One thing that student code tried."""

    attempt: str
    crossed: bool
    outcome: str


@dataclass(frozen=True)
class Examination:
    """What `examine` found. `ok`: the grader's files are hidden from student code."""

    layers: tuple[str, ...]
    troubles: dict[str, str]
    crossings: tuple[Crossing, ...]
    ok: bool

    def lines(self) -> list[str]:
        """Plain sentences for a terminal."""
        told = ["Layers around student code:"]
        for layer in LAYERS:
            state = "stands" if layer in self.layers else "missing"
            trouble = self.troubles.get(layer, "")
            told.append(f"  {layer:<9} {state:<8} {_WORDS[layer]}{f' ({trouble})' if trouble else ''}")
        told.append("What student code tried:")
        width = max(len(crossing.attempt) for crossing in self.crossings)
        for crossing in self.crossings:
            result = "CROSSED" if crossing.crossed else "stopped"
            told.append(f"  {crossing.attempt:<{width}}  {result}  {crossing.outcome}")
        if self.ok:
            told.append("The grader's files are hidden from student code: hidden tests can be run here.")
        else:
            told.append("The grader's files are NOT hidden from student code: hidden tests run only with --no-wall.")
        return told


def examine(without: frozenset[str] = frozenset()) -> Examination:
    """Raise a wall without the layers in `without`, and try to cross it.

    Raises WallError where none can be raised, OutputError where no bait can be laid out.
    """
    wall = Wall(without, Limits(call_seconds=5.0, memory_bytes=256 << 20))
    try:
        with _bait() as (planted, writable, port):
            crossings = tuple(_cross(wall, *attempt) for attempt in _attempts(planted, writable, port, wall.limits))
    finally:
        wall.close()
    files_read = any(crossing.crossed for crossing in crossings[:2])
    return Examination(wall.layers, wall.troubles, crossings, wall.hides_files and not files_read)


@contextmanager
def _bait() -> Iterator[tuple[Path, Path, int]]:
    """A readable file with a secret, a folder where anyone may write, and a port that accepts connections."""
    with temporary_folder("doctor") as folder, socket.create_server(("127.0.0.1", 0)) as server:
        os.chmod(folder, 0o777)
        planted = folder / "planted.txt"
        planted.write_text(secrets.token_hex(16), encoding="utf-8")
        yield planted, folder, server.getsockname()[1]


def _attempts(planted: Path, folder: Path, port: int, limits: Limits) -> list[tuple[str, Call, Callable[[], bool]]]:
    """What is tried, how, and whether traces of it can be seen outside."""
    secret, written = planted.read_text(encoding="utf-8"), folder / "written"
    kit = Path(__file__).resolve().parents[2]

    def returned() -> bool:
        return False

    return [
        ("read a file of the grader", Call("read", (str(planted),)), returned),
        ("list the kit's folder", Call("names", (str(kit),)), returned),
        ("write a file", Call("write", (str(written),)), lambda: written.exists() or secret not in _text(planted)),
        ("connect to the network", Call("connect", (port,)), returned),
        ("start a program", Call("start"), returned),
        ("fork", Call("fork"), returned),
        ("read the grader's environment", Call("look", (os.getpid(),)), returned),
        ("send the grader a signal", Call("reach", (os.getpid(),)), returned),
        ("take more memory than allowed", Call("fill", (4 * limits.memory_bytes,)), returned),
    ]


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _cross(wall: Wall, attempt: str, call: Call, seen_outside: Callable[[], bool]) -> Crossing:
    process = wall.admit([Cell(_INTRUDER, "intruder")])
    try:
        (answer,) = process.ask([call])
    finally:
        process.close()
    crossed = answer.kind is AnswerKind.VALUE or seen_outside()
    return Crossing(attempt, crossed, _outcome(answer))


def _outcome(answer: Answer) -> str:
    if answer.error is not None:
        return f"{answer.error.type}: {answer.error.message}".split("\n")[0][:80]
    return "" if answer.kind is AnswerKind.VALUE else answer.detail
