"""Anki: the deck is imported by Anki itself, and typed answers are compared by it."""

import pytest

from autograder.quiz.export.anki import export_anki, key_of
from autograder.quiz.formulas import number_text
from autograder.quiz.model import Numeric, ShortAnswer, TrueFalse

from .taking import Attempt, all_ten_as_choices, each_quiz, knowledge_check, marked_wrongly, traps

NOT_THERE = "anki is not installed: tests/requirements.txt"


@pytest.fixture
def imported(tmp_path):
    """`imported(quiz)` is a new Anki collection with the quiz's deck in it."""
    collections = pytest.importorskip("anki.collection", reason=NOT_THERE)
    opened = []

    def import_deck(*quizzes):
        collection = collections.Collection(str(tmp_path / f"{len(opened)}.anki2"))
        opened.append(collection)
        for quiz in quizzes:
            path = tmp_path / export_anki(quiz).files[0].path
            path.write_bytes(export_anki(quiz).files[0].data)
            options = collections.ImportAnkiPackageOptions()
            collection.import_anki_package(
                collections.ImportAnkiPackageRequest(package_path=str(path), options=options)
            )
        return collection

    yield import_deck
    for collection in opened:
        collection.close()


def notes(collection) -> dict:
    return {note["Id"]: note for note in map(collection.get_note, collection.find_notes(""))}


def typed(attempt: Attempt) -> str:
    if isinstance(attempt.item, TrueFalse):
        return "true" if attempt.chosen == ("A",) else "false"
    if isinstance(attempt.item, Numeric):
        return number_text(float(attempt.typed))
    return "".join(attempt.chosen)


@each_quiz
def test_anki_tells_right_answers_from_wrong_ones(imported, quiz):
    collection = imported(quiz)
    written = notes(collection)
    assert set(written) == {item.id for item in quiz.items}

    def share(attempt: Attempt) -> float:
        shown = collection.compare_answer(written[attempt.item.id]["Key"], typed(attempt))
        return float("typeBad" not in shown and "typeMissed" not in shown)

    assert marked_wrongly(quiz, share) == []


def test_every_card_shows_its_question_and_behind_it_the_explanation(imported):
    collection = imported(traps())
    for item_id, note in notes(collection).items():
        (card,) = note.cards()
        item = next(item for item in traps().items if item.id == item_id)
        assert note["Question"] in card.question()
        assert note["Explanation"] in card.answer() and note["Explanation"] not in card.question()
        assert ("[[type:" in card.question()) is not isinstance(item, ShortAnswer)
    assert r"\(\nabla_{W_Q} L\)" in notes(collection)["trap-math"]["Question"]


def test_a_second_import_makes_no_second_cards_and_another_bank_keeps_its_own(imported):
    collection = imported(knowledge_check(), traps(), knowledge_check())
    assert set(notes(collection)) == {item.id for quiz in (knowledge_check(), traps()) for item in quiz.items}
    assert collection.note_count() == len(knowledge_check().items) + len(traps().items)


def test_a_sentence_has_no_key_to_type():
    shorts = [item for item in knowledge_check().items if isinstance(item, ShortAnswer)]
    assert {key_of(item) for item in shorts} == {""}
    assert all(key_of(item) for item in all_ten_as_choices().items)
