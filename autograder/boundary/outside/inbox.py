"""Bytes of a student's process, cut into messages."""

from __future__ import annotations

from collections import deque
from typing import Any

from ..inside import wire
from ..inside.wire import FrameError
from . import frames


class Inbox:
    """Takes bytes as they come and gives messages. `frame_bytes` bounds what is kept of one that isn't whole yet."""

    def __init__(self, frame_bytes: int):
        self._frame_bytes = frame_bytes
        self._begun: list[bytes] = []  # the beginning of a frame
        self._begun_bytes = 0
        self._missing_at = wire.HEADER.size  # how many bytes must be here before cutting is worth a try
        self._whole: deque[tuple[bytes, bytes]] = deque()
        self._broken: FrameError | None = None
        self.last_bytes = 0  # of the message that was given last

    @property
    def is_empty(self) -> bool:
        return not (self._whole or self._begun_bytes or self._broken)

    def add(self, piece: bytes) -> None:
        self._begun.append(piece)
        self._begun_bytes += len(piece)
        if self._begun_bytes >= self._missing_at and self._broken is None:
            self._cut(self._begun[0] if len(self._begun) == 1 else b"".join(self._begun))

    def _cut(self, received: bytes) -> None:
        at, head, length = 0, wire.HEADER.size, len(received)
        self._missing_at = head
        while length - at >= head:
            try:
                meta, blob = wire.sizes(received, at, self._frame_bytes)
            except FrameError as error:
                self._broken = error
                break
            middle, end = at + head + meta, at + head + meta + blob
            if end > length:
                self._missing_at = end - at
                break
            self._whole.append((received[at + head : middle], received[middle:end]))
            at = end
        self._begun, self._begun_bytes = [received[at:]], length - at

    def next(self) -> list[Any] | None:
        """The next whole message, or None where there is none yet. Raises FrameError where the bytes are no message."""
        if self._whole:
            meta, blob = self._whole.popleft()
            self.last_bytes = len(meta) + len(blob)
            return frames.decode(meta, blob)
        if self._broken is not None:
            raise self._broken
        return None
