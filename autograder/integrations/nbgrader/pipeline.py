"""nbgrader's pipeline, as a part of it sees it."""

from __future__ import annotations

from functools import cache
from typing import Any

from nbgrader import api
from nbgrader.coursedir import CourseDirectory
from traitlets.config import LoggingConfigurable


def course_directory(part: LoggingConfigurable) -> CourseDirectory:
    """The course that a converter's exporter, or a step of that, works for; of none, the one in the working folder."""
    above: Any = part
    while above is not None:
        if (course := getattr(above, "coursedir", None)) is not None:
            return course
        above = above.parent
    return CourseDirectory(parent=part)


def keep_engines() -> None:
    """Let all gradebooks of this process that are one database share its engine.

    nbgrader opens the gradebook anew for each of its steps, eight times a submission, each time with a new engine, for
    which SQLAlchemy compiles every statement again: two fifths of what these steps cost.
    """
    if not hasattr(api.create_engine, "cache_info"):
        api.create_engine = cache(api.create_engine)
