"""Holds one assignment's suite against everything that it must catch, and everything that it must accept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from autograder.boundary.outside.exchange import Answer, AnswerKind, Call, Loaded, Request, StandIn
from autograder.boundary.outside.wall import Wall
from autograder.catalogue.cell import Cell
from autograder.grading.diagnose import diagnose
from autograder.grading.examine import Desk, examine
from autograder.grading.inputs import inputs_set
from autograder.grading.mark import LEAST_IF_RIGHT, MOST_IF_WRONG, Marked
from autograder.grading.rehearsal import Question, Rehearsal, RehearsedExercise, rehearse
from autograder.suite import suite_of
from autograder.suite.cases import Case
from autograder.suite.checks import Role
from autograder.suite.expect import TOLERANCE
from autograder.suite.models import WrongModel, agree

from .hollow import HOLLOW, Reply, hollow_reply
from .spread import Spread, spread_of

SECRET = "attnkit verify"


@dataclass(frozen=True)
class ModelRow:
    """A wrong model's line in the table: what it earned, which checks caught it, and the name it was given."""

    exercise: str
    misconceptions: tuple[str, ...]
    share: float
    caught_by: tuple[str, ...]
    named: tuple[str, ...]


@dataclass
class Proof:
    """What was found for one assignment; `faults` are sentences, and there are none where it holds."""

    assignment: str
    models: list[ModelRow] = field(default_factory=list)
    checks: dict[str, tuple[str, ...]] = field(default_factory=dict)
    cancelling: list[str] = field(default_factory=list)
    variants: list[str] = field(default_factory=list)
    hollow: int = 0
    spreads: list[Spread] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Scripted:
    """A process that answers as it is told to; the trusted stand-in for a student's."""

    reply: Callable[[Request], Answer]
    loaded: Loaded = field(default_factory=Loaded)
    attempts: Sequence[str] = ()
    alive: bool = True
    disturbed: bool = False

    def ask(self, requests: Sequence[Request]) -> list[Answer]:
        return [self.reply(request) for request in requests]

    def put(self, name: str, stand_in: StandIn) -> None: ...

    def put_calls(self, name: str) -> int:
        return 0

    def close(self) -> None: ...


@dataclass(frozen=True)
class _Stage:
    """In a wall's place: admits nobody but the scripted process."""

    reply: Callable[[Request], Answer]

    def admit(self, cells: Sequence[Cell]) -> _Scripted:
        return _Scripted(self.reply)


def prove(assignment_id: str, wall: Wall) -> Proof:
    """The proof for one assignment: wrong models and empty answers in this process, variants across the wall."""
    proof, suite = Proof(assignment_id), suite_of(assignment_id)
    rehearsal = rehearse(assignment_id, inputs_set(SECRET, assignment_id, 0))
    for exercise in rehearsal.exercises.values():
        proof.checks[exercise.name] = tuple(check.name for check in exercise.checks)
        hold_verdict(proof, exercise)
        hold_hollow(proof, exercise, rehearsal)
        for model in suite.wrong_models_of(exercise.name):
            hold_model(proof, exercise, model, rehearsal)
    _hold_checks(proof)
    _hold_variants(proof, rehearsal, wall)
    return proof


def marked(exercise: RehearsedExercise, rehearsal: Rehearsal, reply: Callable[[Request], Answer]) -> Marked:
    """An exercise marked for answers that a function of the kit's gives."""
    return Marked.of(examine(exercise, Desk(_Stage(reply), ()), rehearsal.modules))


def hold_verdict(proof: Proof, exercise: RehearsedExercise) -> None:
    """An exercise has a check whose verdict is on ordinary inputs."""
    if not {check.role for check in exercise.checks} & {Role.VALUE, Role.ENTRY, Role.CATCH}:
        proof.faults.append(f"{exercise.name}: no check holds the value on ordinary inputs.")


def hold_hollow(proof: Proof, exercise: RehearsedExercise, rehearsal: Rehearsal) -> None:
    """Empty answers earn nothing."""
    right = {id(question.request): question.right for question in exercise.questions}
    for name, reply in HOLLOW.items():
        proof.hollow += 1
        result = marked(exercise, rehearsal, _reply(reply, right))
        if result.share > 0:
            proof.faults.append(f"{exercise.name}: the empty answer {name!r} earns {result.share:.0%} of the points.")


def _reply(reply: Reply, right: Mapping[int, Answer]) -> Callable[[Request], Answer]:
    return lambda request: hollow_reply(reply, request, right[id(request)])


def hold_model(proof: Proof, exercise: RehearsedExercise, model: WrongModel, rehearsal: Rehearsal) -> None:
    """A wrong model is caught, earns what the contract's table allows, and is given no other's name."""
    result = marked(exercise, rehearsal, model.reply)
    wrong = _wrong_roles(proof.assignment, exercise, model)
    if not wrong and len(model.misconceptions) > 1:
        proof.cancelling.append(" + ".join(model.misconceptions))  # two wrongs that make a right
        return
    named = tuple(diagnosis.misconception for diagnosis in diagnose(result.transcript, proof.assignment))
    caught = tuple(verdict.check.name for verdict in result.verdicts if not verdict.passed)
    proof.models.append(ModelRow(model.exercise, model.misconceptions, result.share, caught, named))
    told = f"{exercise.name}: the wrong model {' + '.join(model.misconceptions)}"
    if reason := _why_mark_is_wrong(result.share, wrong):
        proof.faults.append(f"{told} {reason}.")
    if named and not _same_answers(proof.assignment, exercise, model, named):
        proof.faults.append(f"{told} is given the name {' + '.join(named)}.")


def _why_mark_is_wrong(share: float, wrong: set[Role]) -> str | None:
    """What the contract's table says against a mark of `share` for answers that are wrong in these roles."""
    if share >= 1:
        return "earns all points: no check catches it"
    if Role.VALUE in wrong and share > MOST_IF_WRONG:
        return f"is wrong on ordinary inputs and earns {share:.0%}, more than a fifth"
    if wrong and not wrong & {Role.VALUE, Role.ENTRY, Role.CATCH, Role.ACCEPT} and share < LEAST_IF_RIGHT:
        return f"is right on ordinary inputs and earns {share:.0%}, less than half"
    return None


def _wrong_roles(assignment: str, exercise: RehearsedExercise, model: WrongModel) -> set[Role]:
    """The roles of the questions that the model answers wrongly, as a comparison with the oracle has it."""
    wrong = {q.role for q in exercise.questions if not agree(model.reply(q.request), q.right, q.request)}
    _, *others = suite_of(assignment).tests[exercise.name]().ordinary_forms(exercise.cases)
    if Role.VALUE in wrong and any(_is_right_on(form, exercise.name, model) for form in others):
        return wrong - {Role.VALUE} | {Role.EDGE}
    return wrong


def _is_right_on(cases: Sequence[Case], exercise: str, model: WrongModel) -> bool:
    """Whether a function's model is right on all of these cases."""
    asked = [(Call(exercise, case.args, case.kwargs), Answer(AnswerKind.VALUE, case.expected)) for case in cases]
    return all(agree(model.reply(request), right, request) for request, right in asked)


def _same_answers(assignment: str, exercise: RehearsedExercise, model: WrongModel, named: tuple[str, ...]) -> bool:
    """Whether the model of that name is this one, or answers all ordinary questions as this one does."""
    if set(named) == set(model.misconceptions):
        return True
    models = suite_of(assignment).wrong_models_of(exercise.name)
    others = [other for other in models if set(other.misconceptions) == set(named)]
    requests = [question.request for question in _ordinary(exercise)]
    return any(all(agree(model.reply(r), other.reply(r), r) for r in requests) for other in others)


def _ordinary(exercise: RehearsedExercise) -> list[Question]:
    return [question for question in exercise.questions if question.role is Role.VALUE]


def _hold_checks(proof: Proof) -> None:
    """Every check catches something."""
    for exercise, checks in proof.checks.items():
        caught = {name for row in proof.models if row.exercise == exercise for name in row.caught_by}
        for name in checks:
            if name not in caught:
                proof.faults.append(f"{exercise}: the check {name} catches no wrong model.")


def _hold_variants(proof: Proof, rehearsal: Rehearsal, wall: Wall) -> None:
    """Every accepted variant earns all points, and lies nearer to the oracle than any wrong model."""
    farthest = dict.fromkeys(rehearsal.exercises, 0.0)
    for variant in suite_of(proof.assignment).room("variants").VARIANTS:
        proof.variants.append(variant.name)
        with Desk(wall, (Cell(variant.source, variant.name),)) as desk:
            for problem in desk.loaded.problems:
                proof.faults.append(f"variant {variant.name}: {problem.error.type} in line {problem.line}.")
            for name, exercise in rehearsal.exercises.items():
                result = Marked.of(examine(exercise, desk, rehearsal.modules))
                farthest[name] = max(farthest[name], _distance(result))
                if result.share < 1:
                    seen = "; ".join(verdict.check.name for verdict in result.verdicts if not verdict.passed)
                    proof.faults.append(f"variant {variant.name} loses marks in {name}: {seen}.")
    for name, exercise in rehearsal.exercises.items():
        nearest_wrong = _nearest_wrong(exercise, suite_of(proof.assignment).wrong_models_of(name))
        proof.spreads.append(Spread(name, farthest[name], _tolerance(exercise), nearest_wrong))


def _distance(result: Marked) -> float:
    """How far the farthest answer to an ordinary question lies from the oracle's, 0 where there are no numbers."""
    asked = zip(result.transcript.rehearsed.questions, result.transcript.answers, strict=True)
    spreads = (spread_of(question.right, answer) for question, answer in asked if question.role is Role.VALUE)
    return max((spread for spread in spreads if spread is not None), default=0.0)


def _tolerance(exercise: RehearsedExercise) -> float:
    """The widest that an ordinary question of the exercise allows."""
    tolerances = (TOLERANCE.of(question.request.inputs) for question in _ordinary(exercise))
    return max(tolerances, default=TOLERANCE.float64)


def _nearest_wrong(exercise: RehearsedExercise, models: Sequence[WrongModel]) -> float:
    """How far the nearest wrong model lies, on the ordinary question where it lies farthest; infinite without any."""
    nearest = np.inf
    for model in models:
        replies = [(question, model.reply(question.request)) for question in _ordinary(exercise)]
        wrong = [(q.right, reply) for q, reply in replies if not agree(reply, q.right, q.request)]
        distances = [spread for right, reply in wrong if (spread := spread_of(right, reply)) is not None]
        nearest = min(nearest, max(distances, default=np.inf))
    return float(nearest)
