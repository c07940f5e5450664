"""A coverage-guided fuzzer on the grader's decoder: any bytes are messages or a FrameError, and nothing else.

python tests/boundary/fuzz/fuzz_decoder.py -max_total_time=60
"""

import sys

import atheris

with atheris.instrument_imports(include=["autograder.boundary"]):
    from autograder.boundary.inside import wire
    from autograder.boundary.inside.wire import FrameError
    from autograder.boundary.outside import frames
    from autograder.boundary.outside.exchange import Answer, Call, Callback, RunModule
    from autograder.boundary.outside.inbox import Inbox

FRAME_BYTES = 1 << 12
REQUESTS = (Call("f"), RunModule("M"))
CALLBACK = Callback(lambda *args: None)


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


if __name__ == "__main__":
    atheris.Setup(sys.argv, with_a_header)
    atheris.Fuzz()
