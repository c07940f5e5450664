"""Processes at work side by side, each of which ends when the one that started it ends, however that came."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import parent_process
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.process import BaseProcess
from typing import Any

SAFE_PATH = "PYTHONSAFEPATH"


def _nothing() -> None:
    pass


class _Process(SpawnProcess):
    """A process that imports nothing from the working folder, where a student's multiprocessing.py may lie."""

    @staticmethod
    def _Popen(process_obj: BaseProcess) -> Any:
        with _nothing_from_the_working_folder():
            return SpawnProcess._Popen(process_obj)


class _Context(SpawnContext):
    """Not forked: a fork of this process would hold its wall's pipes."""

    Process = _Process


def worker_pool(
    jobs: int, start: Callable[..., None] = _nothing, arguments: tuple[Any, ...] = ()
) -> ProcessPoolExecutor:
    """`jobs` processes, each of which has called `start` with `arguments` before its first task."""
    with _nothing_from_the_working_folder():  # this starts the one that frees semaphores
        return ProcessPoolExecutor(jobs, _Context(), _start, (start, arguments))


@contextmanager
def _nothing_from_the_working_folder() -> Iterator[None]:
    """What is started meanwhile by `python -c`, as multiprocessing does, begins without this folder in its path."""
    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[SAFE_PATH]
        else:
            os.environ[SAFE_PATH] = before


def _start(start: Callable[..., None], arguments: tuple[Any, ...]) -> None:
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    start(*arguments)


def _end_with_the_parent() -> None:
    """The pool's own workers wait for a killed parent's tasks for ever, and their walls with them."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
