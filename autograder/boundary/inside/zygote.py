"""The warm process that students' processes are forked from.

Started by exec, never forked from the grader, so that it holds nothing of the grader's memory. It runs no student code
and sees no submission: the grader hands each child's socket through, and the submission goes down that socket.

Its control socket is datagrams of JSON. First comes the configuration; the answer is `ready`. Then `fork` with a
socket attached is answered by `forked` with a pidfd attached, and every child's end is told by `ended`.
"""

import array
import errno
import gc
import json
import os
import selectors
import signal
import socket

from . import cage, pages, student
from .exits import NOT_SERVED
from .wire import Message

_MESSAGE_BYTES = 1 << 18
_MANY = 40  # children: from here on it pays to have made the forks cheaper
_NO_LANDLOCK = (errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM)  # not built in, switched off, refused by a container


def main(control_fd):
    """Serve the grader until it closes the control socket."""
    control = socket.socket(fileno=control_fd)
    control.send(json.dumps({"started": True}).encode())
    Zygote(control, json.loads(control.recv(_MESSAGE_BYTES))).serve()


class Zygote:
    def __init__(self, control, config):
        self._control = control
        self._selector = selectors.DefaultSelector()
        self._selector.register(control, selectors.EVENT_READ)
        student.warm_up(config["preload"])
        landlock, trouble = _landlock(config["readable"]) if config["landlock"] else (None, "")
        seccomp = bytes.fromhex(config["seccomp"])
        self._cage = cage.Cage(seccomp, landlock, config["limits"])
        self._frame_bytes = config["frame_bytes"]
        cage.prctl(cage.PR_SET_DUMPABLE, 0)
        os.environ.clear()
        os.environ.update(PATH="/usr/bin:/bin", HOME="/nonexistent", LANG="C.UTF-8")
        gc.collect()
        gc.freeze()  # so that no child's collection touches, and so copies, the warm pages
        self._send({"ready": True, "landlock": landlock is not None, "landlock_trouble": trouble})

    def serve(self):
        while True:
            for key, _ in self._selector.select():
                if key.data is not None:
                    self._reap(key.fd, *key.data)
                elif not self._fork():
                    os._exit(0)  # at once; its children are killed with it

    def _fork(self):
        message, descriptors, _, _ = socket.recv_fds(self._control, _MESSAGE_BYTES, 1)
        if not message:
            return False
        request = json.loads(message)
        if request["fork"] == _MANY:
            pages.gather()
        pid = os.fork()
        if pid == 0:
            self._become_student(descriptors[0], request["uid"])
        os.close(descriptors[0])
        pidfd = os.pidfd_open(pid)
        self._selector.register(pidfd, selectors.EVENT_READ, (pid, request["fork"]))
        self._send({"forked": request["fork"]}, [pidfd])
        return True

    def _become_student(self, socket_fd, uid):
        try:
            landlock = self._cage.landlock
            keep = [socket_fd] if landlock is None else [socket_fd, landlock.fd]
            kept = cage.leave_nothing_open(keep)
            channel = student.Channel(socket.socket(fileno=kept[0]), self._frame_bytes)
            trouble = self._close_cage(kept[-1], uid)
            channel.send([Message.CAGED, trouble])
            if not trouble:
                student.Student(channel).serve()
        finally:
            os._exit(NOT_SERVED)  # before any frame of the zygote's can go on

    def _close_cage(self, landlock_fd, uid):
        try:
            self._cage.close(landlock_fd, uid)
        except (OSError, ValueError) as error:
            return f"{type(error).__name__}: {error}"
        return ""

    def _reap(self, pidfd, pid, number):
        _, status, usage = os.wait4(pid, 0)
        self._selector.unregister(pidfd)
        os.close(pidfd)
        self._send({"ended": number, "status": status, "cpu_seconds": usage.ru_utime + usage.ru_stime})

    def _send(self, message, descriptors=()):
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
        try:
            self._control.sendmsg([json.dumps(message).encode()], rights)
        except (BrokenPipeError, ConnectionResetError):
            os.kill(os.getpid(), signal.SIGKILL)  # the grader is gone, and children go with the zygote


def _landlock(readable):
    try:
        return cage.Landlock(readable), ""
    except OSError as error:
        if error.errno not in _NO_LANDLOCK:
            raise
        return None, f"{os.strerror(error.errno)}; Linux has it from 5.13 on, where it is switched on"
