"""Waiting for what has to come about, so patiently that no loaded machine fails a test."""

import time
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")

PATIENCE = 600  # seconds; what takes so long will not come


def until(done: Callable[[], Found], seconds: float = PATIENCE) -> Found:
    """What `done()` returns, as soon as that is true; fewer `seconds` are for what is tried again without it."""
    last = time.monotonic() + seconds
    while not (found := done()):
        assert time.monotonic() < last, f"{done} did not come about in {seconds} s"
        time.sleep(0.05)
    return found
