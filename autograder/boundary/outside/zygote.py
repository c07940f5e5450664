"""The grader's handle on a zygote: starts it, has it fork, and hears how its children ended."""

from __future__ import annotations

import ctypes
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .exchange import Limits
from .readable import Readable, environment, readable

_START_SECONDS = 120.0  # importing torch from a cold disk takes long
_REPLY_SECONDS = 20.0
_MESSAGE_BYTES = 1 << 18
_MOUNTED_INSIDE = "/wall/inside"
_THREADS, _THREADS_BESIDE_OTHERS = 128, 512
_FIRST_UID, _UIDS = 640_000, 100_000
_MAIN = "import sys; sys.path[:0] = {path!r}; from inside.zygote import main; del sys.path[0]; main({fd})"


class WallError(RuntimeError):
    """The wall can't be raised, or has fallen. The text says what to do."""


class BubblewrapRefused(WallError):
    """bwrap is there and can't run on this machine."""


class ZygoteEnded(WallError):
    """The warm process is gone."""


@dataclass(frozen=True)
class Build:
    """Which layers a zygote and its children get."""

    bwrap: str | None  # the program's path
    landlock: bool
    seccomp: bytes
    own_uids: bool
    limits: Limits | None

    @property
    def user_namespace(self) -> bool:
        """Root's bwrap needs none, and with none its children can have users of their own."""
        return self.bwrap is not None and os.geteuid() != 0


@dataclass(frozen=True)
class Ended:
    """How a child ended, as the zygote saw it."""

    status: int
    cpu_seconds: float

    @property
    def exit_status(self) -> int | None:
        return os.WEXITSTATUS(self.status) if os.WIFEXITED(self.status) else None

    @property
    def was_killed(self) -> bool:
        """By SIGKILL, which student code can't send."""
        return os.WIFSIGNALED(self.status) and os.WTERMSIG(self.status) == signal.SIGKILL

    def __str__(self) -> str:
        if os.WIFSIGNALED(self.status):
            number = os.WTERMSIG(self.status)
            return f"killed by {signal.Signals(number).name if number in signal.valid_signals() else number}"
        return f"exited with status {os.WEXITSTATUS(self.status)}"


class Zygote:
    """A running zygote. Raises WallError where it can't be started."""

    def __init__(self, build: Build, preload: Sequence[str]):
        self._build = build
        self._number = 0
        self._ended: dict[int, Ended] = {}
        self._living: set[int] = set()
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._stderr = os.fdopen(
            os.memfd_create("stderr"), "w+b"
        )  # no pipe, which fills up; not in /tmp, which may be full
        try:
            with theirs:
                self._process = subprocess.Popen(
                    command(build, readable(), theirs.fileno()),
                    pass_fds=[theirs.fileno()],
                    env=environment(),
                    stdin=subprocess.DEVNULL,
                    stdout=self._stderr,
                    stderr=self._stderr,
                    cwd="/",
                )
            self._start(preload)
        except BaseException:
            self.close()
            raise

    def _start(self, preload: Sequence[str]) -> None:
        message, _ = self._receive(_START_SECONDS)
        if message is None:
            words = self.last_words()
            if self._build.bwrap and self._refused():
                raise BubblewrapRefused(f"it can't run here: {words}")
            raise ZygoteEnded(f"the warm process did not start: {words}")
        limits = self._build.limits
        self._control.send(
            json.dumps(
                {
                    "preload": list(preload),
                    "readable": [*readable().exact(), self._inside()],
                    "landlock": self._build.landlock,
                    "seccomp": self._build.seccomp.hex(),
                    "frame_bytes": (limits or Limits()).frame_bytes,
                    "limits": limits
                    and {
                        "memory_bytes": limits.memory_bytes,
                        "cpu_seconds": _cpu_backstop(limits),
                        "threads": self._threads(),
                    },
                }
            ).encode()
        )
        ready, _ = self._receive(_START_SECONDS)
        if ready is None:
            raise ZygoteEnded(f"the warm process failed while it warmed up: {self.last_words()}")
        self.landlock: bool = ready["landlock"]
        self.landlock_trouble: str = ready["landlock_trouble"]

    def _refused(self) -> bool:
        """Did bwrap itself end, and not a signal end it or what it ran? A kill must not make the wall a weaker one."""
        status = self._process.poll()
        return status is not None and 0 < status < 128

    def _threads(self) -> int:
        """The kernel counts by user: students' threads alone where they have a user or namespace of their own."""
        alone = self._build.own_uids or self._build.user_namespace
        return _THREADS if alone else _THREADS_BESIDE_OTHERS

    def _inside(self) -> str:
        return _MOUNTED_INSIDE if self._build.bwrap else str(readable().inside)

    @property
    def pid(self) -> int:
        return self._process.pid

    def fork(self) -> tuple[int, socket.socket, int]:
        """A new child: its number here, the grader's end of its socket, and its pidfd."""
        self._number += 1
        ours, theirs = socket.socketpair()
        uid = None
        if self._build.own_uids:
            uid = _FIRST_UID + (os.getpid() * 1009 + self._number) % _UIDS
        try:
            request = json.dumps({"fork": self._number, "uid": uid}).encode()
            try:
                with theirs:
                    socket.send_fds(self._control, [request], [theirs.fileno()])
                pidfd = self._wait_for_fork()
            except OSError as error:
                raise ZygoteEnded(f"the warm process has ended: {error.strerror}") from None
        except BaseException:
            ours.close()
            raise
        self._living.add(self._number)
        return self._number, ours, pidfd

    def _wait_for_fork(self) -> int:
        while True:
            message, descriptors = self._receive(_REPLY_SECONDS)
            if message is None:
                raise ZygoteEnded(f"the warm process has ended: {self.last_words()}")
            if "forked" in message:
                return descriptors[0]
            self._note_end(message)

    def ended(self, number: int) -> Ended | None:
        """How child `number`, which has been killed or has hung up, ended; None where the zygote doesn't say."""
        until = time.monotonic() + _REPLY_SECONDS
        while number not in self._ended and time.monotonic() < until:
            try:
                message, _ = self._receive(until - time.monotonic())
            except OSError:
                break
            if message is None:
                break
            self._note_end(message)
        self._living.discard(number)
        return self._ended.pop(number, None)

    def forget(self, number: int) -> None:
        """Nobody will ask how child `number` ended."""
        self._living.discard(number)
        self._ended.pop(number, None)

    def _note_end(self, message: dict[str, Any]) -> None:
        if message["ended"] in self._living:
            self._ended[message["ended"]] = Ended(message["status"], message["cpu_seconds"])

    def _receive(self, seconds: float) -> tuple[dict[str, Any] | None, list[int]]:
        """The next datagram and its descriptors; None where the zygote has hung up or is silent."""
        if not select.select([self._control], [], [], max(seconds, 0))[0]:
            return None, []
        try:
            message, descriptors, _, _ = socket.recv_fds(self._control, _MESSAGE_BYTES, 1)
        except ConnectionResetError:
            return None, []
        return (json.loads(message) if message else None), descriptors

    def last_words(self) -> str:
        """The end of what the zygote, or bwrap, wrote to its stderr."""
        try:
            self._process.wait(2)
        except subprocess.TimeoutExpired:
            return "it doesn't answer"
        self._stderr.seek(0)
        lines = self._stderr.read()[-2000:].decode("utf-8", "replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), f"status {self._process.returncode}")

    def close(self) -> None:
        """End the zygote and every child of it."""
        self._control.close()
        if hasattr(self, "_process"):
            try:
                self._process.wait(1)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._stderr.close()


def _cpu_backstop(limits: Limits) -> int:
    """Seconds of CPU time after which the kernel itself ends a child, should the grader be gone."""
    return int(600 + 4 * limits.load_seconds + 100 * limits.call_seconds)


def command(build: Build, read: Readable, control: int) -> list[str]:
    """The command line that starts a zygote with its control socket on descriptor `control`."""
    parent = os.path.dirname(_MOUNTED_INSIDE) if build.bwrap else str(read.inside.parent)
    main = _MAIN.format(path=[parent, *map(str, read.site)], fd=control)
    python = [str(read.interpreter), "-s", "-S", "-P", "-B", "-c", main]
    return [*_bubblewrap(build, read), *python] if build.bwrap else python


def _bubblewrap(build: Build, read: Readable) -> list[str]:
    """bwrap with namespaces of its own for all that has one, and only what is readable mounted."""
    assert build.bwrap
    line = [build.bwrap, "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "wall"]
    line += ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    if build.user_namespace:
        line += ["--unshare-user", "--uid", "65534", "--gid", "65534"]
    elif build.own_uids:
        line += ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
        line += _folders_that_all_may_enter((*read.paths, Path(_MOUNTED_INSIDE)))
    line += ["--size", str(1 << 24), "--tmpfs", "/tmp"]
    line += [*_mounts(read), "--ro-bind", str(read.inside), _MOUNTED_INSIDE, *_system_libraries()]
    return [*line, "--proc", "/proc", "--dev", "/dev", "--remount-ro", "/", "--chdir", "/", "--"]


def _folders_that_all_may_enter(mounted: Sequence[Path]) -> Iterator[str]:
    """The folders above what is mounted: bwrap would make them its user's alone."""
    for folder in sorted({folder for path in mounted for folder in path.parents} - {Path("/")}):
        yield from ("--perms", "0755", "--dir", str(folder))


def _mounts(read: Readable) -> Iterator[str]:
    """Readable paths, with empty folders over what is hidden in them; then what lies in a hidden folder."""
    for path in read.paths:
        yield from ("--ro-bind", str(path), str(path))
        for hidden in read.hidden:
            if path in hidden.parents:
                yield from ("--tmpfs", str(hidden))
    for path in read.paths:
        if any(hidden in path.parents for hidden in read.hidden):
            yield from ("--ro-bind", str(path), str(path))


def _system_libraries() -> Iterator[str]:
    """Where the loader looks: folders, or links to those of /usr."""
    for system in ("/lib", "/lib64"):
        if os.path.islink(system):
            yield from ("--symlink", os.readlink(system), system)
        elif os.path.isdir(system):
            yield from ("--ro-bind", system, system)
    if os.path.isdir("/usr/lib64"):
        yield from ("--ro-bind", "/usr/lib64", "/usr/lib64")


def bubblewrap_path() -> str | None:
    return shutil.which("bwrap") if sys.platform == "linux" else None


def hide_this_process() -> None:
    """Let no other process of this user read the grader's memory, nor a core dump keep it."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE
