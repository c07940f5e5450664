"""Names a misconception where the evidence singles it out: the answers are those of one wrong model and of no other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from autograder.boundary.outside.exchange import Answer, AnswerKind
from autograder.catalogue.misconceptions import misconceptions
from autograder.catalogue.result import Diagnosis
from autograder.suite import suite_of
from autograder.suite.checks import Role
from autograder.suite.models import WrongModel, agree, indistinguishable

from .examine import Transcript
from .rehearsal import RehearsedExercise

TOLD = (AnswerKind.VALUE, AnswerKind.RAISED)


def diagnose(transcript: Transcript, assignment_id: str) -> tuple[Diagnosis, ...]:
    """The misconceptions of the one wrong model that answers as the student did; nothing where none or several do.

    All answers count first; where they fit no model, those to ordinary questions do, since a second fault may show on
    edge inputs alone.
    """
    if _wavers(transcript):
        return ()
    replays = replays_of(assignment_id, transcript.rehearsed)
    named = _named(transcript, replays, frozenset(Role)) or _named(transcript, replays, frozenset({Role.VALUE}))
    if len(named) != 1:
        return ()
    texts = misconceptions()
    return tuple(Diagnosis(name, texts[name].feedback) for name in sorted(named.pop()))


def _wavers(transcript: Transcript) -> bool:
    """Whether a question that was asked twice got two answers: of such code, a match may be luck."""
    questions, answers = transcript.rehearsed.questions, transcript.answers
    pairs = ((places[0], places[-1]) for places in transcript.rehearsed.places.values() if len(places) > 1)
    return any(
        answers[first].kind is AnswerKind.VALUE
        and answers[again].kind is AnswerKind.VALUE
        and not agree(answers[first], answers[again], questions[first].request)
        for first, again in pairs
    )


@dataclass(frozen=True, eq=False)
class Replayed:
    """A wrong model on the questions of one rehearsal; it answers each when first asked, and once."""

    model: WrongModel
    rehearsed: RehearsedExercise
    _replies: dict[int, Answer] = field(default_factory=dict)

    def reply(self, place: int) -> Answer:
        """The model's answer to the question at this place of the rehearsal."""
        if place not in self._replies:
            self._replies[place] = self.model.reply(self.rehearsed.questions[place].request)
        return self._replies[place]

    def agrees(self, answers: Sequence[Answer], places: Sequence[int]) -> bool:
        """Whether the student's answers at these places can't be told from the model's."""
        questions = self.rehearsed.questions
        return all(indistinguishable(answers[place], self.reply(place), questions[place].request) for place in places)


Replays = tuple[tuple[Replayed, ...], ...]


@lru_cache(maxsize=512)
def replays_of(assignment_id: str, rehearsed: RehearsedExercise) -> Replays:
    """An exercise's wrong models: those of one misconception, those of two, and so on."""
    models = suite_of(assignment_id).wrong_models_of(rehearsed.name)
    counts = sorted({len(model.misconceptions) for model in models})
    return tuple(tuple(Replayed(m, rehearsed) for m in models if len(m.misconceptions) == count) for count in counts)


def _named(transcript: Transcript, replays: Replays, roles: frozenset[Role]) -> set[frozenset[str]]:
    """The sets of misconceptions, of the fewest that explain all answers to questions of these roles, a wrong
    one that tells something among them."""
    answers, questions = transcript.answers, transcript.rehearsed.questions
    asked = [place for place, question in enumerate(questions) if question.role in roles]
    if any(answers[place].kind not in TOLD for place in asked):
        return set()
    telling = [place for place in asked if _tells(transcript, place)]
    if not telling:
        return set()
    places = telling + [place for place in asked if place not in telling]
    for models in replays:
        matching = {frozenset(r.model.misconceptions) for r in models if r.agrees(answers, places)}
        if matching:
            return matching
    return set()


def _tells(transcript: Transcript, place: int) -> bool:
    """Whether an answer is wrong in a way that tells of a belief: an exception doesn't, since anything can raise it.

    A student's test that raises for some right implementations and not for others does tell something.
    """
    question, answer = transcript.rehearsed.questions[place], transcript.answers[place]
    if indistinguishable(answer, question.right, question.request):
        return False
    if answer.kind is AnswerKind.VALUE:
        return True
    asked = zip(transcript.rehearsed.questions, transcript.answers, strict=True)
    return question.role is Role.ACCEPT and any(q.role is Role.ACCEPT and a.kind is AnswerKind.VALUE for q, a in asked)
