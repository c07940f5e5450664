"""nbgrader's pipeline, as a part of it sees it."""

from __future__ import annotations

from typing import Any

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
