"""Processes at work side by side, each of which ends when the one that started it ends, however that came."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any


def _nothing() -> None:
    pass


def worker_pool(
    jobs: int, start: Callable[..., None] = _nothing, arguments: tuple[Any, ...] = ()
) -> ProcessPoolExecutor:
    """`jobs` processes, each of which has called `start` with `arguments` before its first task."""
    context = multiprocessing.get_context("spawn")  # a fork of this process would hold its wall's pipes
    return ProcessPoolExecutor(jobs, context, _start, (start, arguments))


def _start(start: Callable[..., None], arguments: tuple[Any, ...]) -> None:
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    start(*arguments)


def _end_with_the_parent() -> None:
    """The pool's own workers wait for a killed parent's tasks for ever, and their walls with them."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
