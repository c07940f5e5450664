"""Run a command as it would run on another machine: without bubblewrap, in Docker, on an old kernel, as another user.

    python -m tests.attacks.emulation "a container" user -- attnkit doctor

What a machine lacks is refused by this machine's kernel (a seccomp filter that every process inherits, capabilities
that are dropped for good) or covered up in a mount namespace of the command's own. Nothing of the kit is changed, and
nothing outside the command. Needs root.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyseccomp

from autograder.boundary.outside.readable import readable

ORDINARY_USER = 1000
USERS = ("root", "user")
_NAMESPACES = (0x00000080, 0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000)
_USER_NAMESPACE = 0x10000000
_CLONE_NEWNS = 0x00020000
_LANDLOCK = (444, 445, 446)
# What Docker's default profile refuses to a container without CAP_SYS_ADMIN, of what is of use to get out.
_REFUSED_BY_DOCKER = (
    "mount",
    "umount2",
    "setns",
    "pivot_root",
    "bpf",
    "perf_event_open",
    "add_key",
    "keyctl",
    "request_key",
    "fsopen",
    "fsmount",
    "move_mount",
    "open_tree",
    "userfaultfd",
)
_DOCKERS_CAPABILITIES = (
    "chown",
    "dac_override",
    "fowner",
    "fsetid",
    "kill",
    "setgid",
    "setuid",
    "setpcap",
    "net_bind_service",
    "net_raw",
    "sys_chroot",
    "mknod",
    "audit_write",
    "setfcap",
)


@dataclass(frozen=True)
class Machine:
    """Another machine. `how` says how it is emulated, `stands` which layers the kit must find there, by user."""

    name: str
    how: str
    stands: dict[str, str]
    refuse: tuple[Callable[[pyseccomp.SyscallFilter], None], ...] = ()
    cover: Callable[[], Iterator[Path]] = lambda: iter(())
    docker: bool = False
    crossed: tuple[str, ...] = ()  # what is not stopped there, and is told so

    @property
    def hides_files(self) -> bool:
        return any({"bwrap", "landlock"} & set(layers.split()) for layers in self.stands.values())


def _no_user_namespaces(rules: pyseccomp.SyscallFilter) -> None:
    _no_namespaces(rules, (_USER_NAMESPACE,))


def _no_namespaces(rules: pyseccomp.SyscallFilter, flags: tuple[int, ...] = _NAMESPACES) -> None:
    for flag in flags:
        for call in ("clone", "unshare"):
            rules.add_rule(pyseccomp.ERRNO(errno.EPERM), call, pyseccomp.Arg(0, pyseccomp.MASKED_EQ, flag, flag))
    rules.add_rule(pyseccomp.ERRNO(errno.ENOSYS), "clone3")


def _dockers_profile(rules: pyseccomp.SyscallFilter) -> None:
    _no_namespaces(rules)
    for call in _REFUSED_BY_DOCKER:
        rules.add_rule(pyseccomp.ERRNO(errno.EPERM), call)


def _no_landlock(rules: pyseccomp.SyscallFilter) -> None:
    for call in _LANDLOCK:
        rules.add_rule(pyseccomp.ERRNO(errno.ENOSYS), call)


def _bwrap() -> Iterator[Path]:
    if path := shutil.which("bwrap"):
        yield Path(path).resolve()


def _libseccomp() -> Iterator[Path]:
    for folder in ("/lib", "/lib64", "/usr/lib", "/usr/lib64"):
        yield from {path.resolve() for path in Path(folder).glob("**/libseccomp.so*")}


EMULATED = (
    Machine(
        "this machine as it is",
        "nothing is taken away",
        {"root": "bwrap landlock seccomp uid limits", "user": "bwrap landlock seccomp limits"},
    ),
    Machine(
        "no bubblewrap",
        "/dev/null is mounted over `bwrap`",
        {"root": "landlock seccomp uid limits", "user": "landlock seccomp limits"},
        cover=_bwrap,
    ),
    Machine(
        "a container",
        "Docker's default capabilities, and a seccomp filter that refuses what Docker's default profile refuses: "
        "every namespace, mounts, bpf, keys",
        {"root": "landlock seccomp uid limits", "user": "landlock seccomp limits"},
        refuse=(_dockers_profile,),
        docker=True,
    ),
    Machine(
        "no user namespaces",
        "a seccomp filter refuses `CLONE_NEWUSER`, as a sysctl or AppArmor does",
        {"root": "bwrap landlock seccomp uid limits", "user": "landlock seccomp limits"},
        refuse=(_no_user_namespaces,),
    ),
    Machine(
        "a kernel without Landlock",
        "a seccomp filter answers Landlock's system calls with ENOSYS",
        {"root": "bwrap seccomp uid limits", "user": "bwrap seccomp limits"},
        refuse=(_no_landlock,),
    ),
    Machine(
        "no libseccomp",
        "/dev/null is mounted over the library",
        {"root": "bwrap landlock uid limits", "user": "bwrap landlock limits"},
        cover=_libseccomp,
        crossed=("fork",),
    ),
    Machine(
        "a container on a kernel without Landlock",
        "both of these",
        {"root": "seccomp uid limits", "user": "seccomp limits"},
        refuse=(_dockers_profile, _no_landlock),
        docker=True,
    ),
)
MACHINES = {machine.name: machine for machine in EMULATED}


def why_not() -> str:
    """Why nothing can be emulated here; empty where it can."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "another machine is emulated as root on Linux only"
    missing = [program for program in ("setpriv", "mount") if shutil.which(program) is None]
    return f"{' and '.join(missing)} (util-linux) is missing" if missing else ""


def python_for_anyone() -> str | None:
    """An interpreter that any user can run with this one's packages, or None."""
    if readable().closed() is not None:
        return None
    if readable().barred() is None:
        return sys.executable
    system = f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}"
    return system if Path(system).exists() else None


def command(machine: str, user: str, *inner: str) -> list[str]:
    """The command line that runs `inner` on `machine` as `user`."""
    return [sys.executable, "-m", "tests.attacks.emulation", machine, user, "--", *inner]


def become(machine: Machine, user: str, inner: list[str]) -> None:
    """Run `inner` in this process's place."""
    covered = list(machine.cover())
    if covered:
        _own_mounts()
    for path in covered:
        subprocess.run(["mount", "--bind", "/dev/null", path], check=True)
    if machine.refuse:
        rules = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
        rules.set_attr(pyseccomp.Attr.CTL_NNP, 0)  # as Docker does; root needs it not
        for refuse in machine.refuse:
            refuse(rules)
        rules.load()
    line = ["setpriv"]
    if machine.docker:
        line += ["--bounding-set", ",".join(["-all", *(f"+{name}" for name in _DOCKERS_CAPABILITIES)])]
    if user == "user":
        line += [f"--reuid={ORDINARY_USER}", f"--regid={ORDINARY_USER}", "--clear-groups"]
    os.execvp("setpriv", [*line, "--", *inner])


def _own_mounts() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_CLONE_NEWNS) != 0:
        raise OSError(ctypes.get_errno(), "a mount namespace of one's own")
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)


if __name__ == "__main__":
    name, user, _, *inner = sys.argv[1:]
    become(MACHINES[name], user, inner)
