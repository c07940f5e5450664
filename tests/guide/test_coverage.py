"""Every statement of the lessons has its place in the kit, and every place that is named exists."""

from collections import Counter

from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.suite import suite_of

from .coverage import statements
from .facts import items
from .headings import PROJECT, anchors

GUIDE = PROJECT / "instructor_guide"
EXERCISES = {f"{a.id}/{e.name}" for a in ASSIGNMENTS.values() for e in a.exercises}
SECTIONS = {
    "module_08": (
        "Introduction",
        "Topics",
        "1. Input Embedding",
        "2. Query (Q)",
        "3. Key (K)",
        "4. Value (V)",
        "5. Attention Score",
        "6. Scaling",
        "7. Softmax Attention Matrix",
        "8. Attention Output",
        "9. Complete Self-Attention Formula",
        "10. Matrix Dimensions",
        "11. Why Self-Attention Matters",
        "Summary",
    ),
    "module_10_1": (
        "How This Lesson Fits",
        "Learning Objectives",
        "Definition",
        "From Scaled Dot-Product to Self-Attention",
        "Self-Attention vs Cross-Attention",
        "What the Attention Matrix Means",
        "PyTorch: Minimal Self-Attention",
        "Complexity and Design Notes",
        "Common Mistake",
        "Misconception",
        "Where Self-Attention Appears Next",
        "Knowledge Check",
        "Key Takeaways",
        "Trainer's Guide",
    ),
}


def test_each_section_of_both_lessons_has_statements_in_the_lessons_order():
    for lesson, sections in SECTIONS.items():
        assert tuple(dict.fromkeys(s.section for s in statements() if s.lesson == lesson)) == sections


def test_each_statement_has_an_id_of_its_own():
    assert [id for id, count in Counter(s.id for s in statements()).items() if count > 1] == []


def test_each_statement_is_tied_to_something():
    assert [s.id for s in statements() if not s.ties] == []


def test_exercises_that_are_named_exist():
    assert [(s.id, e) for s in statements() for e in s.exercises if e not in EXERCISES] == []


def test_checks_that_are_named_exist():
    for statement in statements():
        for tie in statement.checks:
            assignment, exercise, check = tie.split("/")
            names = {c.name for c in suite_of(assignment).tests[exercise]().checks()}
            assert check in names, f"{statement.id}: {tie}"


def test_quiz_items_that_are_named_exist():
    assert [(s.id, i) for s in statements() for i in s.items if i not in items()] == []


def test_guide_pages_that_are_named_exist_and_have_the_heading():
    for statement in statements():
        for tie in statement.guide:
            name, _, heading = tie.partition("#")
            assert (GUIDE / name).is_file() and heading in anchors(GUIDE / name), f"{statement.id}: {tie}"


def test_each_exercise_of_the_lessons_own_matter_serves_a_statement():
    extension = {"04_cross_attention/causal_mask", "04_cross_attention/masked_attention"}
    served = {e for s in statements() for e in s.exercises}
    assert EXERCISES - extension - served == set()


def test_each_question_of_the_knowledge_check_serves_a_statement():
    served = {i for s in statements() for i in s.items}
    assert {i for i in items() if i.startswith("knowledge_check/")} <= served
