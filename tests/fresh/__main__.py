"""Grades all fresh answers and writes the published list."""

from pathlib import Path

from autograder.boundary.outside.wall import raise_wall

from .answers import fresh_answers, graded, page

PAGE = Path(__file__).resolve().parents[2] / "instructor_guide" / "fresh_wrong_answers.md"

if __name__ == "__main__":
    with raise_wall() as wall:
        PAGE.write_text(page({answer.id: graded(answer, wall) for answer in fresh_answers()}), encoding="utf-8")
