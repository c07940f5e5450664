"""One student's process, as the grader sees it: asked, timed and killed from outside."""

from __future__ import annotations

import os
import secrets
import select
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from ..inside.exits import OUT_OF_MEMORY
from ..inside.wire import FrameError, Message, UnsendableError
from . import frames
from .clock import clock
from .exchange import Answer, AnswerKind, Callback, Limits, Loaded, Request, StandIn
from .inbox import Inbox
from .zygote import Ended, WallError, Zygote

_RECEIVE_BYTES = 1 << 18
_NAP_SECONDS = 0.001  # answers are fetched by the handful: each waking costs more than an answer
_BATCH_FRAMES = 4  # a batch's answers may take so many times the bytes of one
_LEAST_WAIT_SECONDS = 0.005
_ATTEMPTS = 20  # more are not kept
WRITES_TO_PROTOCOL, ENDS_THE_PROCESS = "writes-to-protocol", "ends-the-process"


class Silent(Exception):
    """The process used up its time."""


class HungUp(Exception):
    """The process has closed its socket, which is to say that it ended."""


class Deadline:
    """CPU time by the process's own clock, and the grader's waiting time behind it, both read in the grader."""

    def __init__(self, clock: Callable[[], float], cpu_seconds: float, wall_seconds: float):
        self._clock = clock
        self._cpu_seconds, self._wall_seconds = cpu_seconds, wall_seconds
        self.restart()

    def restart(self) -> None:
        self._cpu = self._clock() + self._cpu_seconds
        self._wall = clock() + self._wall_seconds

    def pause(self, seconds: float) -> None:
        """The grader itself took so long."""
        self._wall += seconds

    def wait_seconds(self) -> float:
        """How long it is worth to wait now. Raises Silent where the time is up."""
        return max(min(self.hold(), clock.PEEK_SECONDS), _LEAST_WAIT_SECONDS)

    def hold(self) -> float:
        """The seconds that are left. Raises Silent where there are none: who never stops writing answers nothing."""
        cpu, wall = self._cpu - self._clock(), self._wall - clock()
        if cpu <= 0 or wall <= 0:
            raise Silent("CPU" if cpu <= 0 else "wall")
        return min(cpu, wall)


class StudentProcess:
    """A forked child that has loaded, or is to load, a submission.

    `attempts` grows as they are seen. `disturbed` is set where something outside the wall killed it: what it then left
    unanswered says nothing of the student, and the submission should be admitted again.
    """

    def __init__(self, zygote: Zygote, limits: Limits):
        self.loaded = Loaded()
        self.attempts: tuple[str, ...] = ()
        self._limits = limits
        self._zygote = zygote
        self._pidfd = -1
        self._number, self._socket, self._pidfd = zygote.fork()
        self._socket.setblocking(False)
        self._ended: Ended | None = None
        self._clock_id = _cpu_clock(self._pidfd)
        self._last_cpu = 0.0
        self._inbox = Inbox(limits.frame_bytes)
        self._allowance = 0
        self._stand_ins: dict[str, Callback] = {}
        self._numbered: list[str] = []
        self._calls: dict[str, int] = {}
        self.why = ""
        self.disturbed = False

    # --- the process itself

    @property
    def alive(self) -> bool:
        return self._pidfd >= 0

    @property
    def cpu_seconds(self) -> float:
        """CPU time that the process has used, by the kernel's account."""
        return self._ended.cpu_seconds if self._ended else self._cpu()

    def _cpu(self) -> float:
        if self._clock_id is not None and self.alive:
            try:
                self._last_cpu = time.clock_gettime(self._clock_id)
            except OSError:
                self._clock_id = None  # it has ended
        return self._last_cpu

    def close(self) -> None:
        """Kill the process if it lives."""
        if self.alive:
            self._cpu()
            self._kill()
            self._zygote.forget(self._number)

    def __del__(self) -> None:
        self.close()

    def _kill(self) -> None:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
        os.close(self._pidfd)
        self._socket.close()
        self._pidfd = -1

    def _end(self) -> str:
        """Kill it and say how it ended."""
        self._cpu()
        self._kill()
        self._ended = self._zygote.ended(self._number)
        return str(self._ended) if self._ended else "the warm process ended with it"

    # --- frames

    def _send(self, data: memoryview) -> memoryview:
        """What is left of `data` after the socket took what it could."""
        try:
            return data[self._socket.send(data) :]
        except BlockingIOError:
            return data
        except (BrokenPipeError, ConnectionResetError):
            return memoryview(b"")  # it has ended; what it still answered is to be read

    def _send_all(self, data: bytes, deadline: Deadline) -> None:
        rest = self._send(memoryview(data))
        while rest:
            select.select([], [self._socket], [], deadline.wait_seconds())
            rest = self._send(rest)

    def _receive(self) -> bool:
        """Add what the socket has to what was received; False where it has nothing yet."""
        try:
            piece = self._socket.recv(_RECEIVE_BYTES)
        except BlockingIOError:
            return False
        except ConnectionResetError:
            raise HungUp from None
        if not piece:
            raise HungUp
        self._allowance -= len(piece)
        if self._allowance < 0:
            raise FrameError("more bytes than answers can have")
        self._inbox.add(piece)
        return True

    def _next_message(self) -> list[Any] | None:
        """The next message that has come, after what looks like attempts has been noted."""
        while (message := self._inbox.next()) is not None and message[0] == Message.ATTEMPT:
            self._note(frames.attempt(message))
        return message

    def _note(self, attempt: str) -> None:
        if attempt not in self.attempts and len(self.attempts) < _ATTEMPTS:
            self.attempts = (*self.attempts, attempt)

    def _wait_for_message(self, deadline: Deadline) -> list[Any]:
        while (message := self._next_message()) is None:
            if not self._receive():
                self._wait(deadline)
            deadline.hold()
        return message

    def _wait(self, deadline: Deadline, to_send: bool = False) -> None:
        """Until there is something to receive, or room for what is to be sent, or it is time to look at the clocks."""
        select.select([self._socket], [self._socket] if to_send else [], [], deadline.wait_seconds())

    # --- what it is asked

    def load(self, frame: bytes, seconds: float, read: Callable[[list[Any]], bool]) -> None:
        """Send a LOAD frame and hand every message to `read` until it returns True.

        Raises Silent, HungUp or FrameError, after which the process is to be ended; WallError where it wasn't shut in.
        """
        self._allowance = self._limits.frame_bytes
        deadline = Deadline(self._cpu, seconds, 2 * seconds)
        self._send_all(frame, deadline)
        try:
            trouble = frames.trouble(self._wait_for_message(deadline))
        except HungUp:
            trouble = self._end()
        if trouble:
            self.close()
            raise WallError(f"the wall did not close around a student's process ({trouble}); run attnkit doctor")
        while not read(self._wait_for_message(deadline)):
            if self._inbox.is_empty:
                time.sleep(_NAP_SECONDS)

    def end(self, reason: Exception) -> str:
        """End the process for `reason`; says for the instructor how it ended."""
        how = self._end()
        if isinstance(reason, Silent):
            self.why = f"its time was up ({reason})"
        elif isinstance(reason, FrameError):
            self._note(WRITES_TO_PROTOCOL)
            self.why = f"it wrote to the grader's socket: {reason}"
        else:
            self.why = how
            self.disturbed = self._ended is None or self._ended.was_killed
            if self._ended is not None and self._ended.exit_status == 0:
                self._note(f"{ENDS_THE_PROCESS}: exited with status 0, as if all were well")
        return self.why

    @property
    def ran_out_of_memory(self) -> bool:
        """Did it end because a top-level statement took more memory than there is?"""
        return self._ended is not None and self._ended.exit_status == OUT_OF_MEMORY

    def ask(self, requests: Sequence[Request]) -> list[Answer]:
        """The answers in the order of `requests`, which cross in one go.

        After the process has died, by this or an earlier request, what is left is UNASKED.
        """
        answers: list[Answer] = []
        if self.alive and requests:
            try:
                self._check_silence()
                self._exchange(requests, answers)
                if any(map(_was_out_of_memory, answers)):  # what is held may leave nothing for what comes next
                    self.close()
                    self.why = "it had no memory left"
            except (Silent, HungUp, FrameError) as reason:
                detail = self.end(reason)
                if len(answers) == len(requests):
                    answers.pop()  # the end of the batch showed that an answer before it was forged
                kind = AnswerKind.TIMEOUT if isinstance(reason, Silent) else AnswerKind.CRASHED
                answers.append(Answer(kind, detail=detail))
        unasked = Answer(AnswerKind.UNASKED, detail=self.why)
        return answers + [unasked] * (len(requests) - len(answers))

    def _check_silence(self) -> None:
        if not self._inbox.is_empty or self._receive():
            raise FrameError("it wrote without being asked")

    def _exchange(self, requests: Sequence[Request], answers: list[Answer]) -> None:
        self._allowance = _BATCH_FRAMES * self._limits.frame_bytes
        nonce = secrets.randbits(62)
        packed = [frames.packed(request) for request in requests]
        data = memoryview(b"".join([*(p.frame for p in packed), frames.end_frame(nonce)]))
        limits = self._limits
        deadline = Deadline(self._cpu, limits.call_seconds, 3 * limits.call_seconds)
        budget = _Budget(limits)
        while True:
            if data:
                data = self._send(data)
            if not self._receive():
                if not data and len(requests) - len(answers) > 1 and not self._may_call_back(packed[len(answers)]):
                    time.sleep(_NAP_SECONDS)
                self._wait(deadline, bool(data))
                continue
            answered = len(answers)
            while (message := self._next_message()) is not None:
                if len(answers) == len(requests):
                    if message == [Message.ENDED, nonce] and self._inbox.is_empty:
                        return
                    raise FrameError("an answer to nothing that was asked")
                if message[0] == Message.CALLED:
                    self._allowance += self._inbox.last_bytes  # nothing of it is kept
                    frame = self._call_back(message, packed[len(answers)], budget, deadline)
                    data = memoryview(b"".join((data, frame)))
                else:
                    answers.append(frames.answer(message, requests[len(answers)]))
                    budget = budget.next_request()
            if len(answers) > answered:
                deadline.restart()
            deadline.hold()

    def _may_call_back(self, packed: frames.Packed) -> bool:
        return bool(packed.callbacks or self._stand_ins)

    # --- the grader's functions that it may call

    def _call_back(self, message: list[Any], packed: frames.Packed, budget: _Budget, deadline: Deadline) -> bytes:
        """The frame that answers a CALLED message."""
        started, used = clock(), time.thread_time()
        callback, args = frames.called(message, lambda number: self._callback(number, packed))
        frame = budget.refusal() or _result_frame(callback, args)
        budget.count(len(frame), time.thread_time() - used)
        deadline.pause(clock() - started)
        return frame

    def _callback(self, number: int, packed: frames.Packed) -> Callback | None:
        if 0 <= number < len(packed.callbacks):
            return packed.callbacks[number]
        if 0 <= ~number < len(self._numbered):
            name = self._numbered[~number]
            self._calls[name] = self._calls.get(name, 0) + 1
            return self._stand_ins[name]
        return None

    def put(self, name: str, stand_in: StandIn) -> None:
        """From now on the submission's `name` is `stand_in`. Nothing happens where the process has died."""
        number = ~len(self._numbered)
        if isinstance(stand_in, Callback):
            self._numbered.append(name)
            self._stand_ins[name] = stand_in
        self._command(frames.put_frame(name, stand_in, number))

    def put_calls(self, name: str) -> int:
        """How often the stand-in for `name` was called: a callback by the grader's count, else by the process's own."""
        if name in self._stand_ins:
            return self._calls.get(name, 0)
        count = self._command(frames.count_frame(name))
        return count if type(count) is int else 0

    def _command(self, frame: bytes) -> Any:
        """What the process answers to a frame that is no request; None where it has died, or dies of it."""
        if not self.alive:
            return None
        deadline = Deadline(self._cpu, self._limits.call_seconds, 3 * self._limits.call_seconds)
        self._allowance = self._limits.frame_bytes
        try:
            self._check_silence()
            self._send_all(frame, deadline)
            match self._wait_for_message(deadline):
                case [Message.VALUE, value, ""]:
                    return value
            raise FrameError("no answer")
        except (Silent, HungUp, FrameError) as reason:
            self.end(reason)
            return None


class _Budget:
    """What one request may do with the grader's functions."""

    def __init__(self, limits: Limits):
        self._limits = limits
        self._calls, self._bytes, self._seconds = limits.callbacks, limits.frame_bytes, limits.call_seconds

    def next_request(self) -> _Budget:
        return self if self._calls == self._limits.callbacks else _Budget(self._limits)

    def count(self, sent: int, seconds: float) -> None:
        self._calls -= 1
        self._bytes -= sent
        self._seconds -= seconds

    def refusal(self) -> bytes | None:
        """The frame that refuses another call, or None where there may be one."""
        if self._calls <= -self._limits.callbacks:
            raise FrameError("calls without end to a function that refuses them")
        if self._calls <= 0 or self._bytes <= 0 or self._seconds <= 0:
            return frames.refused_frame("this function was called too often")
        return None


def _result_frame(callback: Callback, args: list[Any]) -> bytes:
    try:
        return frames.returned_frame(callback.function(*args))
    except UnsendableError:
        raise  # the grader's own fault
    except Exception:  # whatever the grader's function says of such arguments stays in the grader
        return frames.refused_frame(callback.refusal)


def _was_out_of_memory(answer: Answer) -> bool:
    error = answer.error
    return error is not None and (error.type == "MemoryError" or "can't allocate memory" in error.message)


def _cpu_clock(pidfd: int) -> int | None:
    """The id of the process's CPU clock, by its process id in the grader's own namespace."""
    with open(f"/proc/self/fdinfo/{pidfd}") as info:
        pid = next(int(line.split()[1]) for line in info if line.startswith("Pid:"))
    return (~pid << 3) | 2 if pid > 0 else None
