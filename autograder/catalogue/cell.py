"""A piece of source text: intake cuts a submission into cells, the wall runs them one by one."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Cell:
    """A notebook's code cell, or all of a `.py` file.

    `name` is as a student would call it: "numpy_self_attention.py" or "cell 3". `grade_id` is
    nbgrader's, where there is one.
    """

    source: str
    name: str
    grade_id: str | None = None
