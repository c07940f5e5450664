"""Shut a forked child in: limits, an own user, Landlock, seccomp. Linux only; no root needed but for the own user.

What can be prepared is prepared once, in the zygote; `Cage.close` then takes well under a millisecond in each child.
"""

import ctypes
import fcntl
import os
import resource
import signal

_libc = ctypes.CDLL(None, use_errno=True)
_prctl = _libc.prctl
_prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
SECCOMP_MODE_FILTER = 2
OPEN_FILES = 64


class SeccompProgram(ctypes.Structure):
    """struct sock_fprog: the number of BPF instructions and where they lie."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


class _RulesetAttributes(ctypes.Structure):
    """struct landlock_ruleset_attr: what is denied unless a rule allows it."""

    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathBeneath(ctypes.Structure):
    """struct landlock_path_beneath_attr: what is allowed at and below a path."""

    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


class Landlock:
    """A ruleset under which only `readable` paths can be read and nothing can be written.

    Since Linux 5.13; TCP is denied since 6.7, signals and abstract sockets to others since 6.12.
    """

    _CREATE, _ADD, _RESTRICT = 444, 445, 446  # the same numbers on every architecture
    _READ_FILE, _READ_DIR, _WRITE_FILE = 1 << 2, 1 << 3, 1 << 1
    _FILE_RIGHTS = (0, 13, 14, 15, 15, 16)  # by version: how many rights on files there are; since 5 no more

    def __init__(self, readable):
        """Raises OSError where the kernel has no Landlock."""
        version = self._call(self._CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
        rights = (1 << self._FILE_RIGHTS[min(version, 5)]) - 1
        attributes = _RulesetAttributes(rights, 0b11 if version >= 4 else 0, 0b11 if version >= 6 else 0)
        size = 8 if version < 4 else 16 if version < 6 else 24
        self.fd = self._call(self._CREATE, ctypes.byref(attributes), ctypes.c_size_t(size), ctypes.c_uint32(0))
        for path in readable:
            self._allow(path, self._READ_FILE | self._READ_DIR)
        self._allow("/dev/null", self._READ_FILE | self._WRITE_FILE)
        self._allow("/dev/urandom", self._READ_FILE)

    def _allow(self, path, rights):
        try:
            parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except FileNotFoundError:
            return
        try:
            if not os.path.isdir(path):
                rights &= ~self._READ_DIR
            rule = _PathBeneath(rights, parent)
            self._call(self._ADD, ctypes.c_int(self.fd), ctypes.c_int(1), ctypes.byref(rule), ctypes.c_uint32(0))
        finally:
            os.close(parent)

    def restrict(self, fd):
        """Put this process under the ruleset, of which `fd` is this process's descriptor. For good."""
        self._call(self._RESTRICT, ctypes.c_int(fd), ctypes.c_uint32(0))

    @staticmethod
    def _call(number, *arguments):
        result = _libc.syscall(ctypes.c_long(number), *arguments)
        if result < 0:
            raise OSError(ctypes.get_errno(), "Landlock")
        return result


def prctl(option, value=0):
    if _prctl(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"prctl {option}")


def drop_capabilities():
    """Be root in name alone, if at all."""
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)  # _LINUX_CAPABILITY_VERSION_3, this process
    if _libc.capset(header, (ctypes.c_uint32 * 6)()) != 0:
        raise OSError(ctypes.get_errno(), "capset")


def address_space():
    """Bytes of address space that this process has taken."""
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[0]) * resource.getpagesize()


class Cage:
    """The layers for one forked child: `seccomp` is a BPF program or None, `landlock` a ruleset or None."""

    def __init__(self, seccomp, landlock, limits):
        self._seccomp = SeccompProgram(len(seccomp) // 8, seccomp) if seccomp else None
        self.landlock = landlock
        self._limits = limits and {
            resource.RLIMIT_AS: address_space() + limits["memory_bytes"],
            resource.RLIMIT_CPU: limits["cpu_seconds"],
            resource.RLIMIT_FSIZE: 0,
            resource.RLIMIT_NOFILE: OPEN_FILES,
            resource.RLIMIT_NPROC: limits["threads"],
            resource.RLIMIT_CORE: 0,
            resource.RLIMIT_MEMLOCK: 0,
            resource.RLIMIT_MSGQUEUE: 0,
            resource.RLIMIT_STACK: 8 << 20,
        }

    def close(self, landlock_fd, uid):
        """Shut this process in. What cannot be done raises OSError, and no student code may then run."""
        if uid is not None:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
        drop_capabilities()
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # after the change of user, which clears it
        prctl(PR_SET_DUMPABLE, 0)
        for limit, value in (self._limits or {}).items():
            hard = resource.getrlimit(limit)[1]
            value = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(limit, (value, value))
        prctl(PR_SET_NO_NEW_PRIVS, 1)
        if self.landlock is not None:
            self.landlock.restrict(landlock_fd)
            os.close(landlock_fd)
        if self._seccomp is not None:
            address = ctypes.addressof(self._seccomp)
            if _prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, address, 0, 0) != 0:
                raise OSError(ctypes.get_errno(), "seccomp")


def leave_nothing_open(descriptors):
    """Move `descriptors` to 3, 4, …, put /dev/null on 0, 1 and 2, close all others. Returns the new numbers."""
    null = os.open("/dev/null", os.O_RDWR)
    first = 3
    aside = [fcntl.fcntl(fd, fcntl.F_DUPFD, first + len(descriptors)) for fd in descriptors]
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    kept = [os.dup2(fd, first + i) for i, fd in enumerate(aside)]
    os.closerange(first + len(kept), os.sysconf("SC_OPEN_MAX"))
    return kept
