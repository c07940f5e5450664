"""Every misconception is told as a good tutor would: what was seen, one question, never the answer."""

import re

from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.catalogue.misconceptions import misconceptions
from autograder.catalogue.objectives import OBJECTIVES
from autograder.quiz.model import Item
from autograder.suite import suite_of

from .facts import items

ANSWERS = ("sqrt(d", "√d", "axis=", "dim=", "keepdims", "transpose(", "@", "np.", "torch.", "log(", "exp(s")
MISCONCEPTIONS = misconceptions().values()


def test_ids_are_kebab_case():
    assert [entry.id for entry in MISCONCEPTIONS if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", entry.id)] == []


def test_feedback_says_what_was_seen_and_ends_in_one_question():
    for entry in MISCONCEPTIONS:
        *seen, question = re.split(r"(?<=[.?!]) (?=[A-Z\"])", entry.feedback)
        assert 1 <= len(seen) <= 2, f"{entry.id}: what was seen takes one or two sentences"
        assert question.endswith("?") and entry.feedback.count("?") == 1, f"{entry.id}: end in one question"


def test_feedback_holds_no_code_and_no_corrected_formula():
    assert [(entry.id, answer) for entry in MISCONCEPTIONS for answer in ANSWERS if answer in entry.feedback] == []


def test_belief_is_one_sentence_of_one_line():
    assert [entry.id for entry in MISCONCEPTIONS if not re.fullmatch(r"[^\n]{10,100}\.", entry.belief)] == []


def test_each_is_held_by_a_wrong_model_or_a_distractor():
    models = {
        name for a in ASSIGNMENTS for m in suite_of(a).room("wrong_models").WRONG_MODELS for name in m.misconceptions
    }
    distractors = {name for item in items().values() for name in believed(item)}
    assert [entry.id for entry in MISCONCEPTIONS if entry.id not in models | distractors] == []


def believed(item: Item) -> list[str]:
    """The misconceptions behind an item's wrong responses."""
    wrong = [part for kind in ("options", "wrong", "contradictions") for part in getattr(item, kind, ())]
    return [part.belief.misconception for part in wrong if part.belief and part.belief.misconception]


def test_every_objective_has_misconceptions():
    assert {entry.objective for entry in MISCONCEPTIONS} == set(OBJECTIVES)
