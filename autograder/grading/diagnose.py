"""Names a misconception where the evidence singles it out: the answers are those of one wrong model and of no other."""

from __future__ import annotations

from functools import lru_cache

from autograder.boundary.outside.exchange import Answer, AnswerKind
from autograder.catalogue.misconceptions import misconceptions
from autograder.catalogue.result import Diagnosis
from autograder.suite import suite_of
from autograder.suite.checks import Role
from autograder.suite.models import WrongModel, agree

from .examine import Transcript
from .rehearsal import RehearsedExercise

TOLD = (AnswerKind.VALUE, AnswerKind.RAISED)


def diagnose(transcript: Transcript, assignment_id: str) -> tuple[Diagnosis, ...]:
    """The misconceptions of the one wrong model that answers as the student did; nothing where none or several do.

    All answers count first; where they fit no model, those to ordinary questions do, since a second fault may show on
    edge inputs alone.
    """
    predicted = predictions(assignment_id, transcript.rehearsed)
    everywhere = _matching(transcript, predicted, frozenset(Role))
    models = everywhere or _matching(transcript, predicted, frozenset({Role.VALUE}))
    simplest = _simplest(models)
    if len(simplest) != 1:
        return ()
    texts = misconceptions()
    return tuple(Diagnosis(name, texts[name].feedback) for name in sorted(simplest[0]))


def _simplest(models: list[WrongModel]) -> list[frozenset[str]]:
    """Of the models' sets of misconceptions, those with the fewest."""
    named = {frozenset(model.misconceptions) for model in models}
    fewest = min((len(ids) for ids in named), default=0)
    return [ids for ids in named if len(ids) == fewest]


Predictions = tuple[tuple[WrongModel, tuple[Answer, ...]], ...]


@lru_cache(maxsize=512)
def predictions(assignment_id: str, rehearsed: RehearsedExercise) -> Predictions:
    """What each wrong model of an exercise answers to its questions; models that are right on all are left out."""
    every = []
    for model in suite_of(assignment_id).room("wrong_models").WRONG_MODELS:
        if model.exercise == rehearsed.name:
            replies = tuple(model.reply(q.request) for q in rehearsed.questions)
            if not all(agree(r, q.right, q.request) for r, q in zip(replies, rehearsed.questions, strict=True)):
                every.append((model, replies))
    return tuple(every)


def _matching(transcript: Transcript, predicted: Predictions, roles: frozenset[Role]) -> list[WrongModel]:
    """The models that agree with every answer to questions of these roles, a wrong one among them."""
    asked = [
        (place, question) for place, question in enumerate(transcript.rehearsed.questions) if question.role in roles
    ]
    answers = transcript.answers
    if any(answers[place].kind not in TOLD for place, _ in asked):
        return []
    telling = [
        place
        for place, q in asked
        if answers[place].kind is AnswerKind.VALUE and not agree(answers[place], q.right, q.request)
    ]
    if not telling:
        return []
    return [
        model
        for model, replies in predicted
        if all(agree(answers[place], replies[place], q.request) for place, q in asked)
    ]
