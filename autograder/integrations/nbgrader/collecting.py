"""How nbgrader's exchange is collected from: the files that students handed in, and nothing that a link leads to."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from pathlib import Path
from typing import Any

from nbgrader.exchange.default.collect import ExchangeCollect

MAX_DEPTH = 16
KILOBYTE = 1000  # as nbgrader counts
_OPEN_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class RefusedError(Exception):
    """A submission is larger, or deeper, than is collected."""


class CollectRegularFiles(ExchangeCollect):
    """Collects as nbgrader does, but follows no link, and lets one submission hold up no other.

    Stock, a link in a submission is followed with the instructor's rights: to the solutions, or to other students'
    work, which would then be handed in, marked and shown in feedback. A pipe or an unreadable file ends the command.
    """

    def do_copy(self, src: str, dest: str, log: Any = None) -> None:
        with tempfile.TemporaryDirectory(prefix="attnkit-collect-") as folder:
            try:
                own = Path(folder) / "submission"
                for name in copy_regular_files(src, own, KILOBYTE * self.coursedir.max_dir_size):
                    self.log.warning("%s: %s is no readable file of its own, so it was not collected", src, name)
                super().do_copy(str(own), dest, log)
            except (OSError, RuntimeError, RefusedError) as error:  # RuntimeError: nbgrader's own limit
                self.log.error("%s was not collected: %s", src, error)


def copy_regular_files(source: str, target: Path, most: int) -> list[str]:
    """Copy the regular files below `source`, of `most` bytes in all; the names of what was left out.

    What is exchanged for a link meanwhile is not followed either. Raises RefusedError and OSError.
    """
    if not stat.S_ISDIR(os.lstat(source).st_mode):
        raise NotADirectoryError(f"{source} is a link or a file, not a folder")
    left_out = []
    for folder, folders, files, handle in os.fwalk(source, follow_symlinks=False):
        below = Path(os.path.relpath(folder, source))
        if len(below.parts) > MAX_DEPTH:
            raise RefusedError(f"its folders lie more than {MAX_DEPTH} deep")
        (target / below).mkdir(mode=0o755)
        for name in files:
            size = _copy(name, handle, target / below / name, most)
            if size is None:
                left_out.append(str(below / name))
            else:
                most -= size
        left_out += [str(below / name) for name in folders if _is_link(name, handle)]
    return left_out


def _copy(name: str, folder: int, target: Path, most: int) -> int | None:
    """Copy the file `name` of an open folder; its size, None where it is no regular file or can't be read."""
    try:
        file = os.fdopen(os.open(name, _OPEN_FLAGS, dir_fd=folder), "rb")
    except OSError:
        return None
    with file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode):
            return None
        if about.st_size > most:
            raise RefusedError(f"with {name} it is larger than the course allows (CourseDirectory.max_dir_size)")
        with target.open("xb") as copied:
            shutil.copyfileobj(file, copied)
        return about.st_size


def _is_link(name: str, folder: int) -> bool:
    return stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
