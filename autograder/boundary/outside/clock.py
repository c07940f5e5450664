"""A clock for deadlines: it stands still while the grader itself is stopped."""

from __future__ import annotations

import time

_LONGEST_SECONDS = 2.0


class Clock:
    """Seconds since some moment, of those in which this process could look at the clock.

    Whoever waits looks at it at least every `PEEK_SECONDS`. Where it was looked at long ago, the process (or the whole
    machine: a closed lid, a paused container, Ctrl-Z) was stopped meanwhile, or was busy itself; the student, who
    could not be heard, is not charged for that.
    """

    PEEK_SECONDS = 0.5

    def __init__(self) -> None:
        self._counted = 0.0
        self._last = time.monotonic()

    def __call__(self) -> float:
        now = time.monotonic()
        self._counted += min(max(now - self._last, 0.0), _LONGEST_SECONDS)
        self._last = now
        return self._counted


clock = Clock()
