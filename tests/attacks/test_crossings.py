"""Every attempt to get through the wall fails behind each set of layers, and succeeds where there are none."""

import errno
import os
import platform
import secrets
import shutil
import socket
import subprocess
import sys
import textwrap
import time
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

import autograder
from autograder.boundary.outside import wall as walls
from autograder.boundary.outside import zygote
from autograder.boundary.outside.exchange import AnswerKind, Call, Limits
from autograder.catalogue.cell import Cell
from autograder.catalogue.shipped import shipped

from .crossings import CROSSINGS, PROGRAM

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux") or platform.machine() != "x86_64",
    reason="the attempts use the system calls of Linux on x86_64 by number",
)

KIT = Path(autograder.__file__).resolve().parent
LIMITS = Limits(load_seconds=2.0, call_seconds=1.0, memory_bytes=512 << 20)
_MADE = Path("/dev/shm/attnkit-crossing")
LAYER_SETS = {
    "all layers": frozenset(),
    "a container: no bwrap": frozenset({"bwrap"}),
    "an old kernel: no Landlock": frozenset({"landlock"}),
    "no user of its own": frozenset({"uid"}),
    "a container with one user": frozenset({"bwrap", "uid"}),
}
_DISARM = (
    "import os; os.environ.clear = lambda: None; from inside import cage; "
    "cage.drop_capabilities = lambda: None; cage.prctl = lambda *arguments: None; "
)
# What a kernel answers that was built without a feature, or has no hardware for it; a wall answers EPERM or EACCES.
NOT_IN_THIS_KERNEL = (errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOENT, errno.EINVAL)
NEED_ROOT = (
    "memory by: kcmp",
    "write by: the kernel's settings",
    "write by: a module in the interpreter's folder",
    "write by: its own oom score",
    "reach by: raw packets",
    "harm by: the host's name",
    "kernel: a mount namespace",
    "kernel: mount",
    "kernel: chroot",
    "kernel: bpf",
    "kernel: perf events",
    "kernel: fanotify",
    "read through: a file handle",
)
VICTIM = """
import ctypes, sys, time
secret = ctypes.create_string_buffer(sys.stdin.readline().strip().encode())
print(ctypes.addressof(secret), flush=True)
time.sleep(3600)
"""


class Bait:
    """Things worth stealing or breaking, each with a canary, and listeners that notice who comes."""

    def __init__(self, folder):
        self.canary = "canary_" + secrets.token_hex(12)
        self.folder = folder
        self._stack = ExitStack()
        self._losable = folder / "losable.txt"
        self._writable = folder / "writable"
        self._writable.mkdir()
        self._listener = self._stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        self._datagrams = self._stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        self._datagrams.bind(self._listener.getsockname())
        self._unix = self._stack.enter_context(socket.socket(socket.AF_UNIX))
        self._unix.bind(str(folder / "socket"))
        self._unix.listen()
        self._abstract = self._stack.enter_context(socket.socket(socket.AF_UNIX))
        self._abstract.bind("\0" + self.canary)
        self._abstract.listen()
        for noticing in (self._listener, self._datagrams, self._unix, self._abstract):
            noticing.setblocking(False)
        victim = subprocess.Popen(
            [sys.executable, "-c", VICTIM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "ATTNKIT_CANARY": self.canary},
        )
        self._stack.callback(victim.wait)
        self._stack.callback(victim.kill)
        victim.stdin.write(self.canary + "\n")
        victim.stdin.flush()
        self._shared = Path(f"/dev/shm/{folder.name}")
        self._left = Path(f"/tmp/{folder.name}-left")
        self._plant(self._left)
        suite = KIT / "suite" / "numpy_self_attention"
        self.known = {
            "secret_file": self._plant("secret.txt"),
            "other_student": self._plant("student-02/softmax.py"),
            "left": [self._left.name],
            "course_secret": self._plant("out/course_secret"),
            "shared_memory": self._plant(self._shared),
            "losable": str(self._losable),
            "writable": str(self._writable),
            "homes": [str(Path.home()), str(folder)],
            "hidden_test": str(suite / "test_hidden.py"),
            "oracle": str(suite / "oracle.py"),
            "reference": str(shipped("reference_solutions") / "numpy_self_attention.py"),
            "kit": str(KIT),
            "names": ["secret.txt", "course_secret", "test_hidden.py", self._shared.name],
            "victim": victim.pid,
            "victim_address": int(victim.stdout.readline()),
            "port": self._listener.getsockname()[1],
            "abstract": self.canary,
            "socket": str(folder / "socket"),
        }
        self._plant(".ssh/id_rsa")
        self.marks = (self.canary, "crossed", "def test_", "course_secret", "suite", "def self_attention")
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o777 if path.is_dir() or path.is_socket() else 0o666)
        self.reset()

    def _plant(self, name):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.canary, encoding="utf-8")
        return str(path)

    def reset(self):
        for path in self._writable.iterdir():
            path.unlink() if not path.is_dir() or path.is_symlink() else shutil.rmtree(path)
        self._losable.with_name("losable.txt.moved").unlink(missing_ok=True)
        self._losable.write_text("whole", encoding="utf-8")
        self._losable.chmod(0o666)
        self._before = self._losable.stat()
        _MADE.unlink(missing_ok=True)
        self._callers()

    def _callers(self):
        """How many have come to a listener."""
        came = 0
        for listener in (self._listener, self._unix, self._abstract):
            with suppress(BlockingIOError):
                listener.accept()[0].close()
                came += 1
        with suppress(BlockingIOError):
            self._datagrams.recv(100)
            came += 1
        return came

    def disturbed(self):
        """What an attempt changed outside, in words; empty where nothing."""
        if not self._losable.exists():
            return "a file is gone"
        now = self._losable.stat()
        if (now.st_mtime_ns, now.st_mode, now.st_size) != (
            self._before.st_mtime_ns,
            self._before.st_mode,
            self._before.st_size,
        ) or self._attributes():
            return "a file was changed"
        if any(self._writable.iterdir()) or _MADE.exists():
            return "a file was made"
        return "somebody was reached" if self._callers() else ""

    def _attributes(self):
        with suppress(OSError):
            return os.listxattr(self._losable)
        return []

    def close(self):
        self.reset()
        self._shared.unlink(missing_ok=True)
        self._left.unlink(missing_ok=True)
        self._stack.close()


@pytest.fixture(scope="module")
def bait(tmp_path_factory):
    folder = Path("/tmp", f"attnkit-bait-{secrets.token_hex(4)}")  # on no path that only its owner may enter
    folder.mkdir()
    bait = Bait(folder)
    os.environ["ATTNKIT_CANARY"] = bait.canary
    yield bait
    del os.environ["ATTNKIT_CANARY"]
    bait.close()
    shutil.rmtree(folder)


@pytest.fixture(scope="module", params=LAYER_SETS)
def standing(request, bait):
    """A wall with one of the sets of layers."""
    with walls.raise_wall(LAYER_SETS[request.param], LIMITS) as wall:
        yield wall


@pytest.fixture(scope="module")
def open_ground(bait):
    """No layer, and none of what the zygote does besides: there an attempt must succeed, or it would show nothing.

    Root's attempts are kept from this machine's mounts, host name and shared memory by namespaces of the ground's own.
    """
    monkeypatch = pytest.MonkeyPatch()
    if os.geteuid() == 0:
        if shutil.which("unshare") is None:
            pytest.skip("unshare (util-linux) is not installed, and without it root's attempts could do harm")
        command = zygote.command
        aside = ["unshare", "--mount", "--uts", "--ipc", "--propagation", "private", "--"]
        monkeypatch.setattr(zygote, "command", lambda *arguments: [*aside, *command(*arguments)])
    monkeypatch.setattr(zygote, "_MAIN", zygote._MAIN.replace("main({fd})", _DISARM + "main({fd})"))
    own = zygote.environment()
    monkeypatch.setattr(zygote, "environment", lambda: {**os.environ, **own})
    with walls.raise_wall(frozenset(walls.LAYERS), LIMITS) as wall:
        yield wall
    monkeypatch.undo()


def outcome_of(crossing, wall, bait):
    """(did it get through?, what was seen)"""
    bait.reset()
    body = textwrap.indent(crossing.body, "    ")
    process = wall.admit([Cell(f"{PROGRAM}\ndef attempt(bait):\n{body}", "attempt.py")])
    assert not process.loaded.problems, process.loaded.problems
    try:
        (answer,) = process.ask([Call("attempt", (bait.known,))])
    finally:
        process.close()
    text = f"{answer.value} {answer.error} {answer.printed}" if answer.kind is not AnswerKind.CRASHED else ""
    disturbed = bait.disturbed()
    if answer.kind is AnswerKind.CRASHED and not disturbed:
        time.sleep(0.05)  # a program that took the process's place may be still at work
        disturbed = bait.disturbed()
    stolen = answer.value is True or any(mark in str(answer.value) for mark in bait.marks) or bait.canary in text
    return stolen or bool(disturbed), f"{answer.kind} {str(answer.value)[:200]} {answer.error} {disturbed}"


@pytest.mark.parametrize("crossing", CROSSINGS, ids=lambda crossing: crossing.name)
def test_behind_the_wall_it_fails(crossing, standing, bait):
    through, seen = outcome_of(crossing, standing, bait)
    assert not through, f"wanted {crossing.wants}, and got it with {standing.layers}: {seen}"


@pytest.mark.parametrize("crossing", CROSSINGS, ids=lambda crossing: crossing.name)
def test_without_a_layer_it_gets_through(crossing, open_ground, bait):
    if crossing.name in NEED_ROOT and os.geteuid() != 0:
        pytest.skip("only root could do it anywhere")
    through, seen = outcome_of(crossing, open_ground, bait)
    if not through and any(f"[Errno {number}]" in seen for number in NOT_IN_THIS_KERNEL):
        pytest.skip(f"this machine's kernel does it for nobody: {seen}")
    assert through, f"shows nothing, for it fails anyhow: {seen}"
