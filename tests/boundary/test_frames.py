"""Decoder and exchange under arbitrary bytes: an answer or a FrameError, in bounded memory, never anything else."""

import os
import resource
import select
import socket
import struct
import threading
from contextlib import suppress

import msgpack
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from autograder.boundary.inside import plain, wire
from autograder.boundary.inside.wire import FrameError, Message
from autograder.boundary.outside import frames, process
from autograder.boundary.outside.exchange import Answer, AnswerKind, Call, Callback, Limits, RunModule
from autograder.boundary.outside.inbox import Inbox
from autograder.boundary.outside.process import WRITES_TO_PROTOCOL, StudentProcess
from autograder.boundary.outside.wall import WallError, _Loading
from autograder.boundary.outside.zygote import Ended
from autograder.catalogue.cell import Cell

from ..waiting import PATIENCE

FRAME_BYTES = 1 << 16
LIMITS = Limits(call_seconds=0.2, frame_bytes=FRAME_BYTES, callbacks=5)


def read_all(data):
    inbox = Inbox(FRAME_BYTES)
    inbox.add(data)
    messages = []
    while (message := inbox.next()) is not None:
        messages.append(message)
    return messages


def head(code, dimensions, start, shape):
    return struct.pack("<BBI", code, dimensions, start) + struct.pack(f"<{len(shape)}I", *shape)


def frame(meta, blob=b""):
    return wire.HEADER.pack(len(meta), len(blob)) + meta + blob


array_head = st.builds(
    head, st.integers(0, 20), st.integers(0, 40), st.integers(0, 100), st.lists(st.integers(0, 2**32 - 1), max_size=5)
)
extension = st.builds(msgpack.ExtType, st.integers(0, 9), st.binary(max_size=40) | array_head)
leaf = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats()
    | st.text(max_size=20)
    | st.binary(max_size=20)
    | extension
)
structure = st.recursive(
    leaf,
    lambda inner: (
        st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=5) | st.integers(0, 9), inner, max_size=4)
    ),
    max_leaves=20,
)
message_like = st.builds(lambda kind, rest: [kind, *rest], st.integers(0, 30), st.lists(structure, max_size=7))


@settings(max_examples=200, deadline=None)
@given(data=st.binary(max_size=300))
@example(data=wire.HEADER.pack(2**32 - 1, 2**32 - 1))
@example(data=frame(b"\xdd\xff\xff\xff\xff"))
@example(data=frame(b"\xdf\xff\xff\xff\xff"))
@example(data=frame(b"\xc6\xff\xff\xff\xff"))
@example(data=frame(b"\x91" * 600 + b"\xc0"))
@example(data=frame(b"\x81\x90\x01"))
def test_any_bytes_are_messages_or_an_error(data):
    try:
        for message in read_all(data):
            assert type(message) is list and type(message[0]) is int
    except FrameError:
        pass


@settings(max_examples=120, deadline=None)
@given(message=message_like, blob=st.binary(max_size=64))
@example(message=[22, msgpack.ExtType(1, head(11, 2, 0, [0, 2**32 - 1])), ""], blob=b"")
@example(message=[22, msgpack.ExtType(1, head(11, 3, 0, [2**31, 2**31, 2**31])), ""], blob=b"")
@example(message=[22, msgpack.ExtType(3, head(11, 1, 0, [1])), ""], blob=b"\0" * 8)
@example(message=[22, msgpack.ExtType(4, b"\xc1"), ""], blob=b"")
def test_any_structure_is_an_answer_or_an_error(message, blob):
    data = frame(msgpack.packb(message), blob)
    for request in (Call("f"), RunModule("M")):
        try:
            for decoded in read_all(data):
                assert isinstance(frames.answer(decoded, request), Answer)
        except FrameError:
            pass


@settings(max_examples=60, deadline=None)
@given(value=structure.filter(lambda value: "ExtType" not in repr(value)), cut=st.integers(1, 50))
def test_a_frame_cut_anywhere_is_read_as_one_whole(value, cut):
    data = plain.encoder(FRAME_BYTES).frame([Message.VALUE, plain.plain(value), ""]) * 2
    whole, pieces = read_all(data), Inbox(FRAME_BYTES)
    messages = []
    for i in range(0, len(data), cut):
        pieces.add(data[i : i + cut])
        while (message := pieces.next()) is not None:
            messages.append(message)
    assert repr(messages) == repr(whole) and pieces.is_empty


def test_a_boolean_is_true_or_false_whatever_byte_it_was():
    (message,) = read_all(frame(msgpack.packb([22, msgpack.ExtType(1, head(0, 1, 0, [4])), ""]), b"\0\1\2\xff"))
    assert message[1].tolist() == [False, True, True, True] and message[1].view(np.uint8).max() == 1


def test_a_frame_of_many_small_things_takes_no_more_memory_than_its_bytes_allow():
    meta = b"\xdd" + struct.pack(">I", wire.META_BYTES - 10) + b"\x90" * (wire.META_BYTES - 10)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(FrameError):
        read_all(frame(meta))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 << 10  # KiB


class FakeZygote:
    """Forks nothing: the test itself is the student's process, at the other end of the socket."""

    def __init__(self):
        self.ours, self.theirs = socket.socketpair()

    def fork(self):
        return 1, self.ours, os.pidfd_open(self.start_victim())

    def start_victim(self):
        self.pid = os.posix_spawn("/bin/sleep", ["sleep", "30"], {})
        return self.pid

    def ended(self, number):
        os.waitpid(self.pid, 0)
        return None

    def forget(self, number):
        os.waitpid(self.pid, 0)


class GraderAgainstAnything(RuleBasedStateMachine):
    """Whatever a process writes and whenever, `ask` comes back with one answer for each request, and never raises."""

    @initialize()
    def start(self):
        self.zygote = FakeZygote()
        self.process = StudentProcess(self.zygote, LIMITS)
        self.written = b""

    @rule(message=message_like, blob=st.binary(max_size=64))
    def write_a_message(self, message, blob):
        self.written += frame(msgpack.packb(message), blob)

    @rule(data=st.binary(max_size=40))
    def write_bytes(self, data):
        self.written += data

    @rule(value=st.integers(0, 9) | st.text(max_size=3))
    def write_an_answer(self, value):
        self.written += frame(msgpack.packb([Message.VALUE, value, ""]))

    @rule(number=st.integers(-2, 2), count=st.integers(1, 12))
    def call_back(self, number, count):
        self.written += frame(msgpack.packb([Message.CALLED, number, [1]])) * count

    @precondition(lambda self: self.process.alive)
    @rule(early=st.booleans(), count=st.integers(1, 3))
    def ask(self, early, count):
        requests = [Call("f", (Callback(lambda x: x),)) for _ in range(count)]
        data, self.written = self.written, b""

        def write():
            with suppress(OSError):
                self.zygote.theirs.sendall(data)

        if early:
            write()
        else:
            threading.Timer(0.01, write).start()
        answers = self.process.ask(requests)
        assert len(answers) == count
        if self.process.alive:
            assert all(answer.kind in (AnswerKind.VALUE, AnswerKind.RAISED, AnswerKind.MISSING) for answer in answers)
        elif early and data:
            assert WRITES_TO_PROTOCOL in self.process.attempts
            assert answers[0].kind is AnswerKind.CRASHED

    @rule(name=st.sampled_from(["f", "g"]))
    def put_a_stand_in(self, name):
        """A command is answered or ends the process, whatever has been written meanwhile."""
        data, self.written = self.written, b""
        with suppress(OSError):
            self.zygote.theirs.sendall(data)
        self.process.put(name, Callback(lambda x: x))
        assert type(self.process.put_calls(name)) is int

    def teardown(self):
        if hasattr(self, "process"):
            self.process.close()
            self.zygote.theirs.close()


GraderAgainstAnything.TestCase.settings = settings(max_examples=25, stateful_step_count=8, deadline=None)
TestGraderAgainstAnything = GraderAgainstAnything.TestCase


class OneFork:
    """A wall's zygotes in a test: every process is the test's own, and has written `data` before it is asked."""

    def __init__(self, data):
        self.data, self.forked = data, []

    def fork(self):
        zygote = FakeZygote()
        self.forked.append(zygote)
        zygote.theirs.sendall(self.data)
        zygote.theirs.shutdown(socket.SHUT_WR)
        return zygote.fork()

    def ended(self, number):
        self.forked[-1].ended(number)
        return Ended(0, 0.0)

    forget = ended


@settings(max_examples=60, deadline=None)
@given(
    caged=st.sampled_from([b"", frame(msgpack.packb([Message.CAGED, ""]))]),
    frames_=st.lists(
        st.builds(lambda m, blob: frame(msgpack.packb(m), blob), message_like, st.binary(max_size=20))
        | st.builds(lambda *place: frame(msgpack.packb([Message.PROGRESS, *place])), *[st.integers(-2, 3)] * 3)
        | st.just(frame(msgpack.packb([Message.LOADED, [], []])))
        | st.binary(max_size=20),
        max_size=4,
    ),
)
def test_whatever_a_process_writes_while_it_loads_the_loading_ends(caged, frames_):
    cells = [Cell("x = 1", "cell 1"), Cell("y = 2", "cell 2")]
    zygote = OneFork(caged + b"".join(frames_))
    loading = _Loading(cells, 0.2)
    try:
        while not loading.over:
            process = StudentProcess(zygote, LIMITS)
            loading.attempt(process)
            assert len(zygote.forked) <= 7  # one for all at once, one, four restarts, and one that ends early
            process.close()
    except WallError as error:  # it says that its cage did not close: then nothing may run
        assert "did not close" in str(error)
    for forked in zygote.forked:
        forked.theirs.close()


FORGERIES = {
    "a forged answer before its own": "os.write(3, frame([22, 1, '']))",
    "a thousand forged answers": "os.write(3, frame([22, 1, '']) * 1000)",
    "noise": "os.write(3, b'noise and more noise')",
    "a frame that announces 4 GB": "os.write(3, struct.pack('<II', 2**32 - 1, 2**32 - 1))",
    "a frame of 60 MB of nothing": "os.write(3, struct.pack('<II', 10, 200 << 20))",
    "the end of the batch": "os.write(3, frame([26, 0]))",
    "a claim that the cage failed": "os.write(3, frame([19, 'forged']))",
    "a call to a function that was not given": "os.write(3, frame([25, 0, []]))",
    "the end of loading": "os.write(3, frame([21, [], []]))",
}
FORGER = """
import os, struct, msgpack
def pack(value):
    if isinstance(value, int): return b"\\xcd" + value.to_bytes(2, "big")
    if isinstance(value, str): return bytes([0xa0 + len(value)]) + value.encode()
    return bytes([0x90 + len(value)]) + b"".join(map(pack, value))
def frame(message):
    meta = pack(message)
    return struct.pack("<II", len(meta), 0) + meta
def fine(): return 7
"""


@pytest.mark.parametrize("what", FORGERIES)
def test_a_forged_frame_ends_the_process_and_is_noted(admit, what):
    process = admit(FORGER + f"def forge():\n    {FORGERIES[what]}\n    return 7")
    answers = process.ask([Call("fine"), Call("forge")])
    assert answers[0].value == 7 and answers[1].kind is AnswerKind.CRASHED
    assert not process.alive and process.attempts == (WRITES_TO_PROTOCOL,)


def test_a_frame_forged_while_loading_is_noted(admit):
    process = admit(FORGER + "os.write(3, b'noise and more noise')")
    assert WRITES_TO_PROTOCOL in process.loaded.attempts


def test_a_thread_that_writes_between_two_batches_is_noted(admit):
    process = admit(
        FORGER
        + """
import threading, time
def later():
    threading.Thread(target=lambda: (time.sleep(0.05), os.write(3, frame([22, 1, '']))), daemon=True).start()
"""
    )
    assert process.ask([Call("later")])[0].kind is AnswerKind.VALUE
    assert select.select([process._socket], [], [], PATIENCE)[0]
    assert process.ask([Call("fine")])[0].kind is AnswerKind.CRASHED
    assert process.attempts == (WRITES_TO_PROTOCOL,)


def test_too_many_bytes_of_answers_are_not_kept(admit):
    process = admit("import numpy as np\ndef large(): return np.zeros((7 << 20) // 8)")
    kinds = [answer.kind for answer in process.ask([Call("large")] * (process_batch() + 2))]
    assert kinds[-1] is AnswerKind.UNASKED and AnswerKind.CRASHED in kinds


def process_batch():
    return process._BATCH_FRAMES
