"""The system calls that student code may make, as a BPF program for seccomp."""

from __future__ import annotations

import errno
import os
from functools import cache
from types import ModuleType

# By kind, in lines: one a line would be three pages.
# fmt: off
ALLOWED = (
    # memory and descriptors
    "read", "write", "close", "fstat", "lseek", "mmap", "mprotect", "munmap", "brk", "mremap", "madvise", "mincore",
    "msync", "pread64", "pwrite64", "readv", "writev", "dup", "dup2", "dup3", "pipe", "pipe2", "eventfd2",
    # its own signal handlers
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "restart_syscall",
    # files, to read what other layers let it; `open` is restricted below
    "open", "openat", "stat", "lstat", "newfstatat", "access", "faccessat", "faccessat2", "statx", "readlink",
    "readlinkat", "getdents64", "getcwd", "chdir", "statfs", "fstatfs", "umask",
    # what it is
    "getpid", "gettid", "getppid", "getpgrp", "getpgid", "getsid", "getuid", "getgid", "geteuid", "getegid",
    "getgroups", "getresuid", "getresgid", "getpriority", "uname", "sysinfo", "times", "getrusage", "getrlimit",
    # time
    "gettimeofday", "time", "clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep",
    # threads
    "sched_yield", "sched_getaffinity", "sched_getparam", "sched_getscheduler", "sched_get_priority_max",
    "sched_get_priority_min", "futex", "futex_waitv", "set_robust_list", "set_tid_address", "rseq", "membarrier",
    "arch_prctl", "get_mempolicy", "getcpu", "getrandom",
    # waiting, and the one socket that it has
    "poll", "ppoll", "select", "pselect6", "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "shutdown",
    # the end
    "exit", "exit_group",
)
# fmt: on
_CLONE_THREAD = 0x10000
_OPEN_TO_WRITE = os.O_ACCMODE | os.O_CREAT | os.O_TRUNC | 0o20000000  # the last is O_TMPFILE without O_DIRECTORY
_ALLOWED_WITH = (  # a call, the place of an argument, and the values that it may have
    ("ioctl", 1, (0x5401, 0x5413, 0x5451, 0x5421, 0x541B)),  # TCGETS TIOCGWINSZ FIOCLEX FIONBIO FIONREAD
    ("fcntl", 1, (1, 2, 3, 4, 1030)),  # get and set flags, and duplicate
    ("prctl", 0, (15, 16, 0x53564D41)),  # set and get a thread's name, name a mapping
    ("sendto", 3, (0,)),  # no flags: out-of-band bytes are of no use but to attack the kernel
    ("recvfrom", 3, (0,)),
)


class NoSeccompError(RuntimeError):
    """libseccomp is missing, or doesn't know this machine."""


@cache
def program() -> bytes:
    """An allowlist: what is not named fails with EPERM. Raises NoSeccompError.

    A process can start threads but no process, and open nothing for writing. Its one socket is there already.
    """
    try:
        import pyseccomp as seccomp
    except (ImportError, RuntimeError, OSError) as error:
        raise NoSeccompError(f"{error}; install the system's libseccomp (Debian: libseccomp2)") from None
    rules = seccomp.SyscallFilter(seccomp.ERRNO(errno.EPERM))
    masked = seccomp.MASKED_EQ

    def allow(name: str, *conditions: seccomp.Arg) -> None:
        rules.add_rule(seccomp.ALLOW, name, *conditions)

    known = {name for name in ALLOWED if _is_known(seccomp, name)}
    for name in sorted(known - {"open", "openat"}):
        allow(name)
    for name, flags in (("open", 1), ("openat", 2)):
        if name in known:
            allow(name, seccomp.Arg(flags, masked, _OPEN_TO_WRITE, 0))
            for bit in (os.O_WRONLY, os.O_RDWR, os.O_CREAT, os.O_TRUNC, 0o20000000):
                rules.add_rule(seccomp.ERRNO(errno.EACCES), name, seccomp.Arg(flags, masked, bit, bit))
    allow("clone", seccomp.Arg(0, masked, _CLONE_THREAD, _CLONE_THREAD))
    rules.add_rule(seccomp.ERRNO(errno.EAGAIN), "clone", seccomp.Arg(0, masked, _CLONE_THREAD, 0))
    rules.add_rule(seccomp.ERRNO(errno.ENOSYS), "clone3")  # its flags can't be seen; the C library falls back to clone
    for name, place, values in _ALLOWED_WITH:
        for value in values:
            allow(name, seccomp.Arg(place, masked, 0xFFFFFFFF, value))
    allow("prlimit64", seccomp.Arg(0, seccomp.EQ, 0), seccomp.Arg(2, seccomp.EQ, 0))  # its own limits, to read
    return _compiled(rules)


def _is_known(seccomp: ModuleType, name: str) -> bool:
    try:
        return bool(seccomp.resolve_syscall(seccomp.Arch.NATIVE, name) >= 0)
    except (OSError, ValueError):
        return False


def _compiled(rules: object) -> bytes:
    with os.fdopen(os.memfd_create("rules"), "w+b") as file:  # /tmp may be full
        rules.export_bpf(file)  # type: ignore[attr-defined]  # pyseccomp has no types
        file.seek(0)
        return file.read()
