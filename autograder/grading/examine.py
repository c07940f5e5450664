"""Asks a submission all rehearsed questions of an exercise, across the wall, and keeps the answers."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from autograder.boundary.outside.clock import clock
from autograder.boundary.outside.exchange import Answer, AnswerKind, Loaded, Request, StandIn
from autograder.boundary.outside.wall import Disturbed
from autograder.catalogue.cell import Cell
from autograder.suite.checks import Role

from .rehearsal import RehearsedExercise
from .student import Freshness, Student

DEATHS = 3  # an exercise that ends its process this often is asked nothing more
SECONDS = 90.0  # of the grader's waiting for one submission; beyond, whatever is left counts as out of time
DIED = (AnswerKind.TIMEOUT, AnswerKind.CRASHED)


class Process(Protocol):
    """A process that has loaded a submission. `boundary.outside` has the real one, and says what each name means."""

    @property
    def loaded(self) -> Loaded: ...
    @property
    def attempts(self) -> Sequence[str]: ...
    @property
    def disturbed(self) -> bool: ...
    @property
    def alive(self) -> bool: ...
    def ask(self, requests: Sequence[Request]) -> list[Answer]: ...
    def put(self, name: str, stand_in: StandIn) -> None: ...
    def put_calls(self, name: str) -> int: ...
    def close(self) -> None: ...


class Wall(Protocol):
    """What admits submissions, each into a process of its own."""

    def admit(self, cells: Sequence[Cell]) -> Process: ...


class RaisedWall(Wall, Protocol):
    """A wall, the names of its layers, and the same wall for what will be asked with tensors or modules."""

    @property
    def layers(self) -> tuple[str, ...]: ...
    @property
    def with_torch(self) -> Wall: ...


def _hold_undisturbed(process: Process) -> None:
    if process.disturbed:
        raise Disturbed


@dataclass
class Desk:
    """Where one submission is asked: a process that is renewed when it dies, with stand-ins put in place.

    `order_key` says in which order; whoever doesn't have it can't tell by counting what a call is about.
    """

    wall: Wall
    cells: Sequence[Cell]
    stand_ins: dict[str, StandIn] = field(default_factory=dict)
    order_key: bytes = b""
    attempts: list[str] = field(default_factory=list)
    calls: dict[str, int] = field(default_factory=dict)
    until: float = field(default_factory=lambda: clock() + SECONDS)
    _process: Process | None = None
    _loaded: Loaded | None = None

    @property
    def process(self) -> Process:
        """A living process; a new one where the last has died."""
        if self._process is not None and not self._process.alive:
            self.close()
        if self._process is None:
            self._process = self.wall.admit(self.cells)
            self._loaded = self._loaded or self._process.loaded
            for name, stand_in in self.stand_ins.items():
                self._process.put(name, stand_in)
        return self._process

    @property
    def loaded(self) -> Loaded:
        """What loading the submission showed, the first time."""
        if self._loaded is None:
            self._loaded = self.process.loaded
        return self._loaded

    def ask(self, requests: Sequence[Request]) -> list[Answer]:
        """The answers in the order of the requests; out of time, all of them, once the submission's time is up.

        Raises Disturbed.
        """
        if clock() > self.until:
            return [Answer(AnswerKind.TIMEOUT)] * len(requests)
        process = self.process
        answers = process.ask(requests)
        _hold_undisturbed(process)
        return answers

    def close(self) -> None:
        """Ends the process, and takes down what is known of it."""
        if self._process is not None:
            process, self._process = self._process, None
            for name in self.stand_ins:
                self.calls[name] = self.calls.get(name, 0) + process.put_calls(name)
            process.close()
            self.attempts.extend(a for a in process.attempts if a not in self.attempts)
            _hold_undisturbed(process)

    def __enter__(self) -> Desk:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass
class Transcript(Student):
    """The answers to an exercise's questions, read by its hidden tests as if they asked by themselves."""

    rehearsed: RehearsedExercise
    answers: list[Answer]
    desk: Desk
    modules: frozenset[str]

    def __post_init__(self) -> None:
        super().__init__(self.modules)

    def obtain(self, request: Request, freshness: Freshness) -> Answer:
        """What was answered when the rehearsed questions were asked; for another question, what is answered now."""
        places = self.rehearsed.places_of(request)
        if places is None:  # a question that depends on an earlier answer
            return self.desk.ask([request])[0]
        return self.answers[places[0] if freshness is Freshness.ANY else places[-1]]


def examine(rehearsed: RehearsedExercise, desk: Desk, modules: frozenset[str]) -> Transcript:
    """All questions of an exercise, asked in an order of the desk's.

    A process that ends costs the question that ended it; ordinary questions come first, and where one of them ends
    the process the exercise is asked nothing more.
    """
    answers: list[Answer] = [Answer(AnswerKind.UNASKED)] * len(rehearsed.questions)
    shared = shuffled(rehearsed, desk.order_key)
    deaths = 0
    while shared and deaths < DEATHS:
        replies = desk.ask([rehearsed.questions[place].request for place in shared])
        for place, reply in zip(shared, replies, strict=True):
            answers[place] = reply
        died = next((k for k, reply in enumerate(replies) if reply.kind in DIED), None)
        if died is None:
            break
        deaths += 1
        if rehearsed.questions[shared[died]].role is Role.VALUE:
            break
        shared = shared[died + 1 :]
    _ask_alone(rehearsed, desk, answers)
    return Transcript(rehearsed, answers, desk, modules)


def shuffled(rehearsed: RehearsedExercise, key: bytes) -> list[int]:
    """The places of the questions that share a process: the ordinary ones first, each part in an order drawn from
    `key`, and what is asked again after it was asked first. Else a list of answers, counted off, would do."""
    draw = random.Random(key + rehearsed.name.encode())
    parts: tuple[list[int], list[int]] = ([], [])
    for place, question in enumerate(rehearsed.questions):
        if not question.alone:
            parts[question.role is not Role.VALUE].append(place)
    for part in parts:
        draw.shuffle(part)
    return _first_asked_first(rehearsed, [place for part in parts for place in part])


def _first_asked_first(rehearsed: RehearsedExercise, places: list[int]) -> list[int]:
    """`places` with those of one request in their own order."""
    alike = {place: same for same in rehearsed.places.values() if len(same) > 1 for place in same}
    waiting = {same: iter([place for place in same if place in places]) for same in alike.values()}
    return [next(waiting[alike[place]]) if place in alike else place for place in places]


def _ask_alone(rehearsed: RehearsedExercise, desk: Desk, answers: list[Answer]) -> None:
    """Questions that want a process of their own, in an order that can't be known."""
    places = [place for place, question in enumerate(rehearsed.questions) if question.alone]
    random.SystemRandom().shuffle(places)
    deaths = 0
    for place in places:
        with Desk(desk.wall, desk.cells, desk.stand_ins, desk.order_key, until=desk.until) as own:
            (answers[place],) = own.ask([rehearsed.questions[place].request])
        desk.attempts.extend(a for a in own.attempts if a not in desk.attempts)
        deaths += answers[place].kind in DIED
        if deaths >= DEATHS:
            return
