"""The process that runs one student's code. Nothing in it is trusted by the grader.

It answers frames in the order in which they came. Between calls everything that one call could leave to the next is set
back: random generators, NumPy's error and print settings, torch's gradient mode and default dtype.
"""

import collections
import contextvars
import io
import os
import random
import sys
import threading

import msgpack
import numpy as np

from . import plain, watch, wire
from .errors import describe, lineage, own_text
from .loading import Submission
from .wire import Ext, Message

_RECEIVE_BYTES = 1 << 18
_PRINTED = 4096


def warm_up(preload):
    """Import what students use, and run it once: what is not warm here is paid for in every child."""
    np.linalg.svd(np.eye(2) @ np.eye(2))
    np.random.default_rng(0).normal(size=2)
    np.einsum("ij,jk->ik", np.eye(2), np.eye(2))
    if "torch" in preload:
        from . import modules

        modules.warm_up()


class Channel:
    """The socket to the grader, frame by frame."""

    def __init__(self, connection, frame_bytes):
        self._connection = connection
        self._received, self._at = b"", 0
        self._waiting = collections.deque()
        self._encoder = plain.encoder(frame_bytes)
        self._callbacks = None
        self._lock = threading.RLock()  # what is noticed is told in the middle of other things

    def send(self, message):
        """Raises UnsendableError where the message holds what cannot cross."""
        with self._lock:
            self._connection.sendall(self._encoder.frame(message))

    def next(self, callbacks=None):
        """The next message that is not a callback's result; `callbacks` makes the callables among its arguments."""
        meta, blob = self._waiting.popleft() if self._waiting else self._read()
        return self._decode(meta, blob, callbacks)

    def call_back(self, number, args):
        """Have the grader call its function `number`, and wait for what it returns."""
        with self._lock:
            self.send([Message.CALLED, number, plain.plain(list(args))])
            while True:
                meta, blob = self._read()
                message = self._decode(meta, blob, None) if meta[1] in _REPLIES else None
                if message is not None:
                    break
                self._waiting.append((meta, blob))  # a request that was sent ahead
        kind, value = message
        if kind == Message.REFUSED:
            raise ValueError(value)
        return value

    def _decode(self, meta, blob, callbacks):
        self._callbacks = callbacks
        return wire.decode(meta, blob, self._extension)

    def _read(self):
        """Meta and blob of the next frame."""
        head = wire.HEADER.size
        self._have(head)
        meta, blob = wire.HEADER.unpack_from(self._received, self._at)
        self._have(head + meta + blob)
        start, self._at = self._at + head, self._at + head + meta + blob
        return self._received[start : start + meta], self._received[start + meta : self._at]

    def _have(self, count):
        """Receive until `count` bytes lie ahead."""
        if len(self._received) - self._at >= count:
            return
        pieces, ahead = [self._received[self._at :]], len(self._received) - self._at
        while ahead < count:
            piece = self._connection.recv(_RECEIVE_BYTES)
            if not piece:
                os._exit(0)  # the grader has hung up
            pieces.append(piece)
            ahead += len(piece)
        self._received, self._at = b"".join(pieces), 0

    def _extension(self, code, data, blob):
        if code == Ext.ARRAY:
            return wire.read_array(data, blob).copy()
        if code == Ext.LAID_OUT_ARRAY:
            return wire.read_laid_out(data, blob)
        if code in (Ext.TENSOR, Ext.LAID_OUT_TENSOR):
            import torch

            laid_out = code == Ext.LAID_OUT_TENSOR
            return torch.from_numpy(wire.read_laid_out(data, blob) if laid_out else wire.read_array(data, blob).copy())
        if code == Ext.SCALAR:
            return wire.read_array(data, blob)[()]
        if code == Ext.COMPLEX:
            return complex(*msgpack.unpackb(data))
        if code == Ext.CALLBACK:
            return self._callbacks(*msgpack.unpackb(data))
        nested = msgpack.unpackb(
            data, ext_hook=lambda code, data: self._extension(code, data, blob), strict_map_key=False
        )
        return tuple(nested)


_REPLIES = (Message.RETURNED, Message.REFUSED)  # small numbers: the second byte of their msgpack


class Printed(io.TextIOBase):
    """stdout and stderr: keeps the first few thousand characters of each call."""

    def __init__(self):
        self._pieces = []
        self._room = _PRINTED

    def writable(self):
        return True

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if self._room > 0:
            piece = text[: self._room]
            self._pieces.append(piece)
            self._room -= len(piece)
        return len(text)

    def take(self):
        """What was written since the last time."""
        if not self._pieces:
            return ""
        text = "".join(self._pieces)
        self._pieces, self._room = [], _PRINTED
        return own_text(text)


class Student:
    """One submission and the answers to what is asked of it."""

    def __init__(self, channel):
        self._channel = channel
        self._submission = Submission()
        self._printed = sys.stdout = sys.stderr = Printed()
        sys.stdin = io.StringIO("")
        sys.breakpointhook = lambda *args, **options: None  # nobody sits at the debugger
        self._context = contextvars.copy_context()
        self._comparisons = watch.comparisons()
        self._note = watch.noted_by(self._tell_attempt, self._submission.files)
        self._request = 0
        self._stand_ins = {}
        self._answers = {
            Message.LOAD: self._load,
            Message.CALL: self._call,
            Message.RUN_MODULE: self._run_module,
            Message.PUT: self._put,
            Message.COUNT: self._count,
            Message.END: self._end,
        }

    def serve(self):
        """Answer the grader's frames until it hangs up."""
        while True:
            self._request += 1
            kind, *message = self._channel.next(self._callback)
            self._answer(kind, message)

    def _answer(self, kind, message):
        try:
            self._channel.send(self._answers[kind](*message))
        except wire.UnsendableError as error:
            self._channel.send(
                [Message.RAISED, "ResultNotReadable", str(error)[:200], None, "", [], self._printed.take()]
            )
        except BaseException as error:  # whatever student code raises is its answer
            told = describe(error, self._submission.files)
            self._channel.send([Message.RAISED, *told, lineage(error), self._printed.take()])

    def _callback(self, number, parameters):
        """A callable that has the grader call a function of its own. Numbers below zero stand in for good."""
        request = self._request

        def function(*args, **kwargs):
            if number >= 0 and request != self._request:
                raise RuntimeError("this function can be called only while the call that it was given to goes on")
            return self._channel.call_back(number, _by_position(parameters, args, kwargs))

        return function

    def _tell_attempt(self, name, detail):
        self._channel.send([Message.ATTEMPT, name, own_text(detail)[:200]])

    def _load(self, cells, at_once, skip, until):
        def progress(*place):
            self._channel.send([Message.PROGRESS, *place])

        cells = [(name, source.tobytes().decode()) for name, source in cells]
        self._context.copy().run(self._submission.load, cells, at_once, skip, until, progress)
        self._printed.take()
        if name := watch.replaced(self._comparisons):
            self._note("replaces-comparisons", f"replaced {name}")
        if "autograder" in self._submission.stand_ins:
            self._note("looks-for-the-grader", "imported autograder")
        return [Message.LOADED, self._submission.problems, self._submission.stand_ins]

    def _call(self, name, args, kwargs, arguments_after, gradients):
        function = self._submission.get(name)
        if not callable(function):
            return [Message.MISSING]
        self._set_back()
        if gradients:
            from . import modules

            reached = self._context.copy().run(modules.gradients_of_inputs, function, args, kwargs)
            return [Message.VALUE, plain.plain(reached), self._printed.take()]
        result = self._context.copy().run(function, *args, **kwargs)
        if arguments_after:
            result = [None if callable(given) else given for given in args]
        if name := watch.disguised(result):
            self._note("returns-a-disguise", f"returned a {name}, which changes how it compares")
        return [Message.VALUE, plain.plain(result), self._printed.take()]

    def _run_module(self, name, *request):
        build = self._submission.get(name)
        if not callable(build):
            return [Message.MISSING]
        from . import modules

        self._set_back()
        run = self._context.copy().run(modules.run, build, *request)
        return [Message.VALUE, plain.plain(run), self._printed.take()]

    def _put(self, name, kind, description):
        if kind == "callback":
            stand_in = self._callback(*description)
        else:
            from . import modules

            self._stand_ins[name], stand_in = modules.stand_in(name, kind, description)
        self._submission.put(name, stand_in)
        return [Message.VALUE, None, ""]

    def _count(self, name):
        return [Message.VALUE, self._stand_ins[name].calls, ""]

    def _end(self, nonce):
        return [Message.ENDED, nonce]

    def _set_back(self):
        if self._submission.may_draw:
            random.seed(0)
            np.random.seed(0)
        if (torch := sys.modules.get("torch")) is not None:
            torch.default_generator.manual_seed(0)
            if not torch.is_grad_enabled():
                torch.set_grad_enabled(True)
            if torch.get_default_dtype() is not torch.float32:
                torch.set_default_dtype(torch.float32)


def _by_position(parameters, args, kwargs):
    """All arguments in the order of `parameters`. Raises TypeError as a function with these parameters would."""
    values, names = list(args), list(parameters)[len(args) :]
    while names and names[0] in kwargs:
        values.append(kwargs.pop(names.pop(0)))
    if kwargs:
        raise TypeError(f"unexpected keyword argument {next(iter(kwargs))!r}")
    return values
