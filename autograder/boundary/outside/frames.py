"""The grader's side of the wire: requests become frames, frames become answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import msgpack
import numpy as np

from autograder.catalogue.cell import Cell
from autograder.catalogue.result import StudentError

from ..inside import wire
from ..inside.wire import DEPTH, ENTRIES, PROBLEMS, Encoder, Ext, FrameError, Message
from .exchange import (
    Answer,
    AnswerKind,
    Call,
    Callback,
    LoadProblem,
    ModuleRun,
    Request,
    StandIn,
    Tensor,
    TorchFunction,
    TorchModule,
)

Place = tuple[int, int]  # of a statement: its cell's number, and its own in the cell

_REQUEST_BYTES = 64 << 20


class Packed:
    """A request's frame, and the callbacks among its arguments in the order of their numbers."""

    def __init__(self, request: Request):
        self.callbacks: list[Callback] = []
        self.frame = Encoder(self._extend, _REQUEST_BYTES).frame(_message(request))

    def _extend(self, frame: Encoder, value: Any) -> Any:
        if isinstance(value, Callback):
            self.callbacks.append(value)
            return msgpack.ExtType(Ext.CALLBACK, msgpack.packb([len(self.callbacks) - 1, value.parameters]))
        return _extend(frame, value)


def packed(request: Request) -> Packed:
    """`request` as bytes. Made once for each request, however many submissions it is sent to."""
    known: Packed | None = request.__dict__.get("_packed")
    if known is None:
        known = Packed(request)
        object.__setattr__(request, "_packed", known)
    return known


def _message(request: Request) -> list[Any]:
    if isinstance(request, Call):
        return [
            Message.CALL,
            request.name,
            request.args,
            dict(request.kwargs),
            request.arguments_after,
            request.gradients,
        ]
    return [
        Message.RUN_MODULE,
        request.name,
        request.init_args,
        dict(request.init_kwargs),
        dict(request.weights),
        request.inputs,
        request.upstream,
        request.arguments_after,
        request.run_before,
    ]


def _extend(frame: Encoder, value: Any) -> Any:
    """What msgpack lacks, for values that go to the student."""
    if isinstance(value, np.ndarray):
        return _array(frame, value, Ext.ARRAY, Ext.LAID_OUT_ARRAY)
    if isinstance(value, Tensor):
        if any(stride < 0 for stride in value.array.strides):
            raise wire.UnsendableError("torch has no tensors with negative strides")
        return _array(frame, value.array, Ext.TENSOR, Ext.LAID_OUT_TENSOR)
    if isinstance(value, tuple):
        return msgpack.ExtType(Ext.TUPLE, frame.nested(list(value)))
    if isinstance(value, np.generic):
        return frame.array(Ext.SCALAR, np.asarray(value))
    if isinstance(value, complex):
        return msgpack.ExtType(Ext.COMPLEX, msgpack.packb([value.real, value.imag]))
    raise wire.UnsendableError(f"a {type(value).__name__} cannot be sent to student code")


def _array(frame: Encoder, array: np.ndarray, contiguous: int, laid_out: int) -> msgpack.ExtType:
    if array.flags.c_contiguous or not array.size:
        return frame.array(contiguous, array)
    return frame.laid_out(laid_out, array)


_TO_STUDENT = Encoder(_extend, _REQUEST_BYTES)


def load_frame(cells: Sequence[Cell], at_once: bool, skip: Sequence[Place], until: Place | None) -> bytes:
    sources = [[cell.name, np.frombuffer(cell.source.encode(), np.uint8)] for cell in cells]
    return _TO_STUDENT.frame([Message.LOAD, sources, at_once, list(map(list, skip)), until and list(until)])


def end_frame(nonce: int) -> bytes:
    return _TO_STUDENT.frame([Message.END, nonce])


def count_frame(name: str) -> bytes:
    return _TO_STUDENT.frame([Message.COUNT, name])


def put_frame(name: str, stand_in: StandIn, number: int) -> bytes:
    """`number` is below zero: the callback's, where the stand-in is one."""
    if isinstance(stand_in, Callback):
        return _TO_STUDENT.frame([Message.PUT, name, "callback", [number, stand_in.parameters]])
    if isinstance(stand_in, TorchFunction):
        return _TO_STUDENT.frame([Message.PUT, name, "function", _function(stand_in)])
    assert isinstance(stand_in, TorchModule)
    description = [stand_in.parameters, dict(stand_in.defaults), _steps(stand_in.layers), _function(stand_in.forward)]
    return _TO_STUDENT.frame([Message.PUT, name, "module", description])


def _function(function: TorchFunction) -> list[Any]:
    return [function.parameters, _steps(function.steps), function.result]


def _steps(steps: Sequence[tuple[Any, ...]]) -> list[list[Any]]:
    return [[*step[:-1], dict(step[-1])] for step in steps]


def returned_frame(value: Any) -> bytes:
    return _TO_STUDENT.frame([Message.RETURNED, value])


def refused_frame(refusal: str) -> bytes:
    return _TO_STUDENT.frame([Message.REFUSED, refusal])


def decode(meta: bytes, blob: bytes) -> list[Any]:
    """A student process's message. Raises FrameError for anything that no honest one sends."""
    message = wire.decode(meta, blob, _extension)
    _count(message, DEPTH + 8, 2 * ENTRIES)
    return message


def _extension(code: int, data: bytes, blob: bytes) -> Any:
    if code == Ext.ARRAY:
        return wire.read_array(data, blob)
    if code == Ext.TENSOR:
        return Tensor(wire.read_array(data, blob))
    if code == Ext.SCALAR:
        scalar = wire.read_array(data, blob)
        if scalar.ndim:
            raise FrameError("a malformed number")
        return scalar[()]
    if code == Ext.COMPLEX:
        parts = msgpack.unpackb(data)
        if type(parts) is not list or len(parts) != 2 or any(type(part) is not float for part in parts):
            raise FrameError("a malformed number")
        return complex(*parts)
    raise FrameError(f"an unknown extension {code}")


def _count(value: Any, depth: int, room: int) -> int:
    """How much of `room` is left after all that lies in lists and dicts; an empty list of 1 byte takes 60 of memory.
    Raises FrameError where they are nested too deep or hold too much."""
    if type(value) not in (list, dict):
        return room
    room -= 1 + len(value)
    if depth == 0 or room < 0:
        raise FrameError("lists nested too deep" if depth == 0 else "lists of too much")
    for item in value.values() if type(value) is dict else value:
        if type(item) in (list, dict):
            room = _count(item, depth - 1, room)
    return room


def answer(message: list[Any], request: Request) -> Answer:
    """What `message` answers to `request`. Raises FrameError where it is no answer."""
    match message:
        case [Message.VALUE, value, str(printed)]:
            if not isinstance(request, Call):
                value = _module_run(value)
            return Answer(AnswerKind.VALUE, value, printed=printed)
        case [Message.RAISED, str(kind), str(text), line, str(source), list(names), str(printed)]:
            error, lineage = _error(kind, text, _line(line), source), tuple(_text(name)[:80] for name in names[:20])
            return Answer(AnswerKind.RAISED, error=error, printed=printed, lineage=lineage)
        case [Message.MISSING]:
            return Answer(AnswerKind.MISSING)
    raise FrameError("not an answer")


def _line(value: Any) -> int | None:
    """The number of a line, or None where none is known."""
    if value is not None and (type(value) is not int or not 0 <= value < 1 << 31):
        raise FrameError("not a line")
    return value


def _error(kind: str, text: str, line: int | None, source: str) -> StudentError:
    return StudentError(kind[:80], text[:200], line, source[:200])


def _module_run(value: Any) -> ModuleRun:
    match value:
        case [output, dict(shapes), dict(gradients), list() | None as after]:
            shapes = {_text(path): _shape(shape) for path, shape in shapes.items()}
            gradients = {_text(path): _gradient(gradient) for path, gradient in gradients.items()}
            return ModuleRun(output, shapes, gradients, None if after is None else tuple(after))
    raise FrameError("not a module's run")


def _text(value: Any) -> str:
    if type(value) is not str:
        raise FrameError("not a name")
    return value


def _shape(value: Any) -> tuple[int, ...]:
    if type(value) is not list or any(type(length) is not int for length in value):
        raise FrameError("not a shape")
    return tuple(value)


def _gradient(value: Any) -> np.ndarray | None:
    if value is None:
        return None
    if not isinstance(value, Tensor):
        raise FrameError("not a gradient")
    return value.array


def trouble(message: list[Any]) -> str:
    """What CAGED says went wrong while the process was shut in. Raises FrameError."""
    match message:
        case [Message.CAGED, str(text)]:
            return text
    raise FrameError("not the first message")


def loaded(message: list[Any], cells: Sequence[Cell]) -> tuple[tuple[LoadProblem, ...], tuple[str, ...]]:
    """Problems and stand-in imports that LOADED tells of. Raises FrameError."""
    match message:
        case [Message.LOADED, list(problems), list(stand_ins)] if all(type(name) is str for name in stand_ins):
            names = {cell.name for cell in cells}
            return tuple(_problem(problem, names) for problem in problems[:PROBLEMS]), tuple(stand_ins[:PROBLEMS])
    raise FrameError("not the end of loading")


def _problem(problem: Any, names: set[str]) -> LoadProblem:
    match problem:
        case [str(cell), line, str(kind), str(text), str(source), bool(syntax)] if cell in names:
            return LoadProblem(cell, _line(line), _error(kind, text, line, source), syntax)
    raise FrameError("not a problem of loading")


def progress(message: list[Any]) -> tuple[int, int, int]:
    """Cell, statement and line that PROGRESS tells of. Raises FrameError."""
    match message:
        case [Message.PROGRESS, int(cell), int(statement), int(line)]:
            return cell, statement, line
    raise FrameError("not a place in the submission")


_ATTEMPT = re.compile(r"[a-z-]{3,40}")


def attempt(message: list[Any]) -> str:
    """What ATTEMPT tells of, as "name: detail". Raises FrameError."""
    match message:
        case [Message.ATTEMPT, str(name), str(detail)] if _ATTEMPT.fullmatch(name):
            return f"{name}: {detail[:200]}"
    raise FrameError("not an attempt")


def called(message: list[Any], callback_of: Callable[[int], Callback | None]) -> tuple[Callback, list[Any]]:
    """The callback that CALLED names, and its arguments. Raises FrameError."""
    match message:
        case [Message.CALLED, int(number), list(args)] if (callback := callback_of(number)) is not None:
            return callback, args
    raise FrameError("a call to a function that the grader did not give")
