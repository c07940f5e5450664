"""Ids that are safe as file names, the same in every run, and never shared."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.intake.students import Register, is_safe, readable

AS_GIVEN = [
    "student-01",
    "s_1",
    "Ada One_3111",
    "ada.one@example.edu",
    "a",
    "0123",
    "zoë",
    "श्रेया",
    "李明",
    "Ада",
    "a+b",
    "console",
    "com10",
    "a" * 64,
]
UNSAFE = [
    "",
    ".",
    "..",
    "../x",
    "a/b",
    "a\\b",
    "-x",
    "=1",
    "+1",
    "@x",
    ".x",
    "x.",
    "x ",
    " x",
    "a  b",
    "a,b",
    "a\nb",
    "a\0",
    "a\tb",
    "a;b",
    "a'b",
    'a"b',
    "a|b",
    "a*b",
    "a?b",
    "a:b",
    "a<b",
    "CON",
    "nul.txt",
    "Lpt1",
    "a" * 65,
    "李" * 67,
    "a\u202eb",
    "a\u200bb",
    "\ud800",
    "😀",
    "zoe\u0308",
    "\u0301a",
    "$a",
    "a`b",
    "a%b",
]


@pytest.mark.parametrize("name", AS_GIVEN)
def test_a_safe_id_is_used_as_given(name):
    student = Register().enter(name)
    assert (student.id, student.as_given) == (name, None)


@pytest.mark.parametrize("name", UNSAFE)
def test_an_unsafe_id_gets_a_safe_form(name):
    student = Register().enter(name)
    assert is_safe(student.id)
    assert student.id != name
    assert Register().enter(name) == student


def test_the_safe_form_still_tells_who_it_is():
    assert Register().enter("One, Ada").id.startswith("One-Ada-")
    assert Register().enter("../../student-07").id.startswith("student-07-")


def test_an_id_in_another_unicode_form_is_the_same_student():
    student = Register().enter(unicodedata.normalize("NFD", "zoë"))
    assert (student.id, student.as_given) == ("zoë", None)


@pytest.mark.parametrize(("one", "other"), [("anna", "Anna"), ("straße", "STRASSE"), ("İx", "i̇x")])
def test_two_ids_that_differ_in_capitals_alone_do_not_share_a_file(one, other):
    register = Register()
    first, second = register.enter(one), register.enter(other)
    assert first.id.casefold() != second.id.casefold()
    assert second.as_given == unicodedata.normalize("NFC", other)


def test_an_id_that_looks_like_anothers_safe_form_does_not_take_its_place():
    form = Register().enter("a,b").id
    register = Register()
    assert register.enter(form).id == form
    assert register.enter("a,b").id != form


@given(st.lists(st.text(st.characters(codec=None), max_size=80), unique_by=lambda s: unicodedata.normalize("NFC", s)))
def test_every_id_is_safe_and_no_two_students_share_one(names):
    register = Register()
    students = [register.enter(name) for name in names]
    assert all(is_safe(student.id) for student in students)
    assert len({unicodedata.normalize("NFC", student.id.casefold()) for student in students}) == len(names)
    for name, student in zip(names, students, strict=True):
        student.id.encode("ascii" if student.as_given else "utf-8")
        readable(name).encode("utf-8")
