"""A coverage-guided fuzzer on the grader's decoder: any bytes are messages or a FrameError, and nothing else.

python tests/boundary/fuzz/fuzz_decoder.py -max_total_time=60
"""

import os
import sys
import tempfile
from pathlib import Path

import atheris
import numpy as np

with atheris.instrument_imports(include=["autograder.boundary"]):
    from autograder.boundary.inside import plain, wire
    from autograder.boundary.inside.wire import FrameError, Message
    from autograder.boundary.outside import frames
    from autograder.boundary.outside.exchange import Answer, Call, Callback, RunModule
    from autograder.boundary.outside.inbox import Inbox

FRAME_BYTES = 1 << 12
REQUESTS = (Call("f"), RunModule("M"))
CALLBACK = Callback(lambda *args: None)


# What an honest process writes: from here the fuzzer goes astray.
HONEST = (
    [Message.CAGED, ""],
    [Message.PROGRESS, 0, 1, 12],
    [Message.LOADED, [["cell 1", 3, "NameError", "name 'x' is not defined", "x", False]], ["pandas"]],
    [Message.VALUE, [np.ones((2, 3)), np.arange(3), True, None, 1.5, "text"], "printed"],
    [Message.VALUE, {"Q": (1, 2), "K": np.zeros((0, 2), np.float32)}, ""],
    [Message.VALUE, [np.ones((2, 2), np.float32), {"W_q.weight": [2, 2]}, {"input 0": None}, None], ""],
    [Message.RAISED, "ValueError", "no", 3, "raise ValueError('no')", ["ValueError", "Exception"], ""],
    [Message.MISSING],
    [Message.CALLED, 0, [np.ones((2, 2))]],
    [Message.ENDED, 12345],
    [Message.ATTEMPT, "searches-memory", "called gc.get_objects"],
)


def try_bytes(data: bytes) -> None:
    inbox = Inbox(FRAME_BYTES)
    inbox.add(data[: len(data) // 2])
    inbox.add(data[len(data) // 2 :])
    try:
        while (message := inbox.next()) is not None:
            for request in REQUESTS:
                try_message(message, request)
    except FrameError:
        pass


def try_message(message: list[object], request: object) -> None:
    """Each reader takes the message or refuses it."""
    for read in (
        lambda: isinstance(frames.answer(message, request), Answer),
        lambda: frames.loaded(message, ()),
        lambda: frames.progress(message),
        lambda: frames.attempt(message),
        lambda: frames.trouble(message),
        lambda: frames.called(message, lambda number: CALLBACK if number == 0 else None),
    ):
        try:
            read()
        except FrameError:
            continue


def with_a_header(data: bytes) -> None:
    """The same bytes as one frame's structure and numbers, so that the fuzzer need not guess lengths."""
    try_bytes(data)
    if data:
        cut = min(data[0], len(data) - 1)
        meta, blob = data[1 : 1 + cut], data[1 + cut :][:FRAME_BYTES]
        try_bytes(wire.HEADER.pack(len(meta), len(blob)) + meta + blob)


def plant(folder: Path) -> None:
    """One file for each honest frame, as it is and as `with_a_header` takes it apart."""
    encoder = plain.encoder(FRAME_BYTES)
    for number, message in enumerate(HONEST):
        frame = bytes(encoder.frame([plain.plain(part) for part in message]))
        header, body = frame[: wire.HEADER.size], frame[wire.HEADER.size :]
        Path(folder, f"frame-{number}").write_bytes(frame)
        Path(folder, f"body-{number}").write_bytes(bytes([min(wire.HEADER.unpack(header)[0], 255)]) + body)


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="attnkit-fuzz-") as seeds:
        plant(Path(seeds))
        child = os.fork()  # the fuzzer ends its process without a word to Python, and the seeds would stay
        if child == 0:
            atheris.Setup([*sys.argv, seeds], with_a_header)
            atheris.Fuzz()
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    sys.exit(main())
