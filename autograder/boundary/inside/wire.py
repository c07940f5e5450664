"""Frames: what the two halves of the wall write to each other.

A frame is `meta length, blob length` (two little-endian uint32), then `meta`, then `blob`. `meta` is msgpack and holds
the structure; arrays stand in it as extensions of a few bytes that point into `blob`, where their numbers are. So
structure can be bounded tightly while arrays may be large, and every size is checked before anything is allocated.

There is no pickle and no object dtype. Both halves use this module, and neither believes what the other sent.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any

import msgpack
import numpy as np

HEADER = struct.Struct("<II")
META_BYTES = 1 << 20
DEPTH = 32
ENTRIES = 20_000  # in all lists and dicts of an answer together
PROBLEMS = 100  # of loading; more are not told

_ALIGNMENT = 16
_SHAPES = tuple(struct.Struct(f"<{dimensions}I") for dimensions in range(33))
_ARRAY_HEAD = struct.Struct("<BBI")  # dtype code, dimensions, where the numbers begin in the blob
_SPAN = struct.Struct("<qI")  # of a laid-out array: where its first entry lies in its span, and the span's bytes

DTYPES = tuple(
    np.dtype(name)
    for name in ("?", "<i1", "<i2", "<i4", "<i8", "<u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8", "<c8", "<c16")
)
_DTYPE_CODES = {dtype: code for code, dtype in enumerate(DTYPES)}


class Ext:
    """The msgpack extension types."""

    ARRAY = 1
    TENSOR = 2
    SCALAR = 3  # a NumPy scalar
    COMPLEX = 4
    TUPLE = 5  # grader to student only: a student's tuple comes back as a list
    CALLBACK = 6  # grader to student only
    LAID_OUT_ARRAY = 7  # grader to student only: strides and offset as given
    LAID_OUT_TENSOR = 8  # grader to student only


class Message:
    """The first entry of every frame, and what follows it."""

    # grader to student
    LOAD = 1  # [[cell name, UTF-8 in an array], …], cells at once?, [[cell, statement] to skip, …], place to end at
    CALL = 2  # name, args, kwargs, arguments after?
    RUN_MODULE = 3  # name, init args, init kwargs, weights, inputs, upstream, arguments after?, run before
    PUT = 4  # name, kind of stand-in, its description
    RETURNED = 5  # a callback's result
    REFUSED = 6  # a callback's refusal
    END = 7  # nonce: nothing more is asked for now
    COUNT = 8  # name: how often was its stand-in called?
    # student to grader
    CAGED = 19  # what went wrong, or "": the first message, before any student code has run
    PROGRESS = 20  # cell, statement, line: about to run
    LOADED = 21  # [[cell, line, type, message, source, syntax error?], …], stand-in imports
    VALUE = 22  # value, printed
    RAISED = 23  # type, message, line, source, lineage, printed
    MISSING = 24
    CALLED = 25  # callback's number, args
    ENDED = 26  # nonce
    ATTEMPT = 27  # name, detail: what looks like an attempt on the grader


class FrameError(ValueError):
    """Bytes that no honest half sends."""


class UnsendableError(TypeError):
    """A value that cannot cross the wall; the text says why."""


class Encoder:
    """Packs one message a frame. `extend(encoder, value)` makes an ExtType of what msgpack lacks."""

    def __init__(self, extend: Callable[[Encoder, Any], msgpack.ExtType], frame_bytes: int):
        self._extend = extend
        self._frame_bytes = frame_bytes
        self._packer = msgpack.Packer(default=self._default, strict_types=True)
        self._blobs: list[bytes] = []
        self._blob_bytes = 0

    def frame(self, message: list[Any]) -> bytes:
        """`message` as the bytes of a frame. Raises UnsendableError."""
        self._blobs, self._blob_bytes = [], 0
        try:
            meta = self._packer.pack(message)
        except UnsendableError:
            self._packer.reset()
            raise
        except (OverflowError, ValueError, TypeError, RecursionError, IndexError, struct.error) as error:
            self._packer.reset()
            raise UnsendableError(f"it holds a value that cannot be read ({error})") from None
        if len(meta) > META_BYTES:
            raise UnsendableError(f"lists and texts of more than {META_BYTES >> 20} MB cannot be read")
        return b"".join((HEADER.pack(len(meta), self._blob_bytes), meta, *self._blobs))

    def _default(self, value: Any) -> msgpack.ExtType:
        return self._extend(self, value)

    def nested(self, value: Any) -> bytes:
        """`value` as msgpack bytes that share this frame's blob, for the inside of an extension."""
        packed: bytes = msgpack.packb(value, default=self._default, strict_types=True)
        return packed

    def array(self, code: int, array: np.ndarray) -> msgpack.ExtType:
        """An ndarray, C-contiguous on arrival."""
        dtype_code, array = _readable_dtype(array)
        head = _ARRAY_HEAD.pack(dtype_code, array.ndim, self._blob_bytes)
        self._append(array.tobytes())
        return msgpack.ExtType(code, head + _SHAPES[array.ndim].pack(*array.shape))

    def laid_out(self, code: int, array: np.ndarray) -> msgpack.ExtType:
        """An ndarray with its strides. Gaps between its entries are zeros: nothing that lies between them crosses."""
        dtype_code, array = _readable_dtype(array)
        reach = [(length - 1) * stride for length, stride in zip(array.shape, array.strides, strict=True)]
        before = -sum(r for r in reach if r < 0)
        span = bytearray(before + sum(r for r in reach if r > 0) + array.itemsize)
        np.ndarray(array.shape, array.dtype, span, before, array.strides)[...] = array
        head = _ARRAY_HEAD.pack(dtype_code, array.ndim, self._blob_bytes)
        self._append(bytes(span))
        return msgpack.ExtType(
            code,
            head + _SPAN.pack(before, len(span)) + struct.pack(f"<{2 * array.ndim}q", *array.shape, *array.strides),
        )

    def _append(self, numbers: bytes) -> None:
        self._blobs.append(numbers)
        self._blob_bytes += len(numbers)
        if padding := -len(numbers) % _ALIGNMENT:
            self._blobs.append(b"\0" * padding)
            self._blob_bytes += padding
        if self._blob_bytes > self._frame_bytes:
            raise UnsendableError(f"arrays of more than {self._frame_bytes >> 20} MB cannot be read")


def _readable_dtype(array: np.ndarray) -> tuple[int, np.ndarray]:
    code = _DTYPE_CODES.get(array.dtype)
    if code is None:
        native = array.dtype.newbyteorder("=")
        if native not in _DTYPE_CODES:
            raise UnsendableError(f"an array of dtype {array.dtype} cannot be read")
        return _DTYPE_CODES[native], array.astype(native)
    return code, array


def sizes(header: bytes, at: int, frame_bytes: int) -> tuple[int, int]:
    """Lengths of the meta and the blob that the header at `at` announces. Raises FrameError for too much."""
    meta, blob = HEADER.unpack_from(header, at)
    if meta > META_BYTES or blob > frame_bytes:
        raise FrameError(f"a frame of {meta} + {blob} bytes")
    return meta, blob


def decode(meta: bytes, blob: bytes, extension: Callable[[int, bytes, bytes], Any]) -> list[Any]:
    """The message in `meta` and `blob`. `extension(code, data, blob)` reads one extension. Raises FrameError."""
    try:  # msgpack's own limits are the length of `meta`, which is bounded
        message = msgpack.unpackb(meta, ext_hook=lambda code, data: extension(code, data, blob), strict_map_key=False)
    except FrameError:
        raise
    except Exception as error:  # msgpack raises several kinds for malformed bytes
        raise FrameError(f"not a message: {type(error).__name__}") from None
    if type(message) is not list or not message or type(message[0]) is not int:
        raise FrameError("not a message")
    return message


def read_array(data: bytes, blob: bytes) -> np.ndarray:
    """The read-only array that an ARRAY, TENSOR or SCALAR extension points to. Raises FrameError."""
    try:
        code, dimensions, start = _ARRAY_HEAD.unpack_from(data)
        shape = _SHAPES[dimensions].unpack(data[_ARRAY_HEAD.size :])
        dtype = DTYPES[code]
    except (struct.error, IndexError):
        raise FrameError("a malformed array") from None
    count = math.prod(shape)
    if start + count * dtype.itemsize > len(blob):
        raise FrameError("an array that is larger than its numbers")
    if not count:
        return _empty(shape, dtype)
    if code == 0:  # bool: a byte that is neither 0 nor 1 would be a truth that NumPy does not expect
        truths: np.ndarray = np.frombuffer(blob, np.uint8, count, start).reshape(shape) != 0
        return truths
    return np.ndarray(shape, dtype, blob, start)


def _empty(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    try:
        return np.empty(shape, dtype)
    except (ValueError, MemoryError):  # no entries, and yet a length that is too large
        raise FrameError("an array of impossible shape") from None


def read_laid_out(data: bytes, blob: bytes) -> np.ndarray:
    """The writable array, laid out in memory as the grader's was, that a LAID_OUT extension describes."""
    code, dimensions, start = _ARRAY_HEAD.unpack_from(data)
    before, span = _SPAN.unpack_from(data, _ARRAY_HEAD.size)
    layout = struct.unpack(f"<{2 * dimensions}q", data[_ARRAY_HEAD.size + _SPAN.size :])
    buffer = bytearray(blob[start : start + span])
    return np.ndarray(layout[:dimensions], DTYPES[code], buffer, before, layout[dimensions:])
