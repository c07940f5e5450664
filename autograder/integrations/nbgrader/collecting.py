"""How nbgrader's exchange is collected from: the files that students handed in, and nothing that a link leads to.

Anybody with an account may write into the exchange's inbound folder, so that what lies there is named by strangers:
`<student>+<assignment>+<time>+<random>`.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from nbgrader.exchange.default.collect import ExchangeCollect

from autograder.intake.entries import printable
from autograder.intake.students import is_safe

if sys.platform != "win32":
    import pwd

MAX_DEPTH = 16
KILOBYTE = 1000  # as nbgrader counts
LATE_COPY = timedelta(minutes=30)  # how long handing in may take, on a busy machine whose clock is a little off
TIMESTAMP = "timestamp.txt"
_OPEN_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class RefusedError(Exception):
    """A submission can't be collected as it is; the text says why."""


class CollectRegularFiles(ExchangeCollect):
    """Collects as nbgrader does, but follows no link, and lets one submission hold up no other.

    Stock, a link in a submission is followed with the instructor's rights: to the solutions, or to other students'
    work, which would then be handed in, marked and shown in feedback. A pipe, an unreadable file, a name without a time
    or a link to nowhere ends the command; and a folder in another student's name is collected in place of theirs.
    """

    src_records: list[dict[str, Any]]

    def init_src(self) -> None:
        super().init_src()
        self.src_records = [record for record in self.src_records if not self._is_refused(record)]

    def _path_to_record(self, path: str) -> dict[str, Any]:
        try:
            return self._record(path)
        except RefusedError as error:
            # Of nobody, and so in nobody's place: the newest of a student's records alone is collected.
            return {"username": (path,), "filename": path, "timestamp": datetime.min, "refused": str(error)}

    def _record(self, path: str) -> dict[str, Any]:
        """nbgrader's own record of a submission. Raises RefusedError."""
        try:
            record: dict[str, Any] = super()._path_to_record(path)
        except (ValueError, OverflowError):
            raise RefusedError("its name has no time that can be read") from None
        if not is_safe(record["username"]) or not record["filename"].isprintable():
            raise RefusedError("its name has no student's id that is safe as a folder's name")
        try:
            status = os.lstat(path)
        except OSError as error:
            raise RefusedError(str(error.strerror)) from None
        if not stat.S_ISDIR(status.st_mode):
            raise RefusedError("it is a link or a file, not a folder")
        if self.check_owner and _belongs_to_another(record["username"], status.st_uid):
            raise RefusedError(f"it is not {record['username']}'s own, but of the user with number {status.st_uid}")
        return record

    def _is_refused(self, record: dict[str, Any]) -> bool:
        if why := record.get("refused"):
            self.log.error("%s was not collected: %s", printable(str(record["filename"]), 300), why)
        return bool(why)

    def copy_files(self) -> None:
        """Each submission by itself: what vanishes while it is collected ends nothing."""
        if not (records := self.src_records):
            super().copy_files()
        for record in records:
            self.src_records = [record]
            try:
                super().copy_files()
            except OSError as error:
                self.log.error("%s was not collected: %s", record["filename"], printable(str(error), 300))

    def do_copy(self, src: str, dest: str, log: Any = None) -> None:
        with tempfile.TemporaryDirectory(prefix="attnkit-collect-") as folder:
            try:
                own = Path(folder) / "submission"
                for name in copy_regular_files(src, own, KILOBYTE * self.coursedir.max_dir_size):
                    self.log.warning(
                        "%s: %s is no readable file of its own, so it was not collected", src, printable(name)
                    )
                self._note_time(src, own)
                super().do_copy(str(own), dest, log)
            except (OSError, RuntimeError, RefusedError) as error:  # RuntimeError: nbgrader's own limit
                self.log.error("%s was not collected: %s", src, printable(str(error), 300))

    def _note_time(self, src: str, own: Path) -> None:
        """Have one time of a submission, that of its name: by this one the newest is chosen, and by the file's own the
        penalty for lateness. Warns where the folder was changed after it."""
        record = super()._path_to_record(src)
        claimed = record["timestamp"]
        (own / TIMESTAMP).unlink(missing_ok=True)
        # To the letter, since students find their feedback by it.
        (own / TIMESTAMP).write_text(record["filename"].rsplit("+", 3)[2], encoding="utf-8")
        changed = datetime.fromtimestamp(os.lstat(src).st_ctime, UTC).replace(tzinfo=None)
        if changed - claimed > LATE_COPY:
            self.log.warning(
                "%s says that it was handed in at %s UTC, and was changed at %s UTC", src, claimed, changed
            )


def _belongs_to_another(student: str, uid: int) -> bool:
    """Is `student` an account of this machine, and a folder of the user `uid` neither its own nor an instructor's?

    Where students are no accounts (a hub in containers), all folders have one owner, and nothing can be told.
    """
    if sys.platform == "win32":
        return False
    try:
        own = pwd.getpwnam(student).pw_uid
    except KeyError:
        return False
    return uid not in (own, os.geteuid(), 0)


def copy_regular_files(source: str, target: Path, most: int) -> list[str]:
    """Copy the regular files below `source`, of `most` bytes in all; the names of what was left out.

    What is exchanged for a link meanwhile is not followed either, and a name that does things to a terminal is none.
    Raises RefusedError and OSError.
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
            size = _copy(name, handle, target / below / name, most) if name.isprintable() else None
            if size is None:
                left_out.append(str(below / name))
            else:
                most -= size
        left_out += [str(below / name) for name in folders if _is_link(name, handle) or not name.isprintable()]
        folders[:] = [name for name in folders if name.isprintable()]
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
