"""The course secret, which inputs are drawn from: made once, and kept in the folder of a course or of a grading."""

import errno
import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path

from .whole_file import OutputError, why_not_written

NAME = "course_secret"
BYTES = 32
OWNERS, GROUPS = 0o600, 0o660  # whose it is: one person's, or a group's that runs a course together
NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS)  # what file systems say that have none


def course_secret(folder: Path, mode: int = OWNERS) -> str:
    """The secret that `folder` keeps, made by the first call, and closed to whom `mode` leaves out.

    Of several processes that make it at once all get the same. Raises OutputError where it is empty, or can be neither
    read nor made.
    """
    path = folder / NAME
    if not path.exists():
        _make(path, mode)
    try:
        if path.stat().st_mode & 0o777 & ~mode:
            with suppress(PermissionError):  # another's file, or a file system that knows no owners
                path.chmod(mode)
        secret = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        raise OutputError(f"{path} can't be read: {reason}. Put the course secret into it, as text.") from error
    if not secret:
        raise OutputError(
            f"{path} is empty. Put the course secret into it, or remove it: then a new secret is made, and "
            "submissions meet other inputs."
        )
    return secret


def _make(path: Path, mode: int) -> None:
    """Write a new secret beside `path`, and link it into place, which one process alone can do."""
    try:
        handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                with suppress(PermissionError):
                    os.fchmod(handle, mode)
                file.write(secrets.token_hex(BYTES) + "\n")
                file.flush()
                os.fsync(handle)
            _put_in_place(beside, path)
        finally:
            Path(beside).unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(why_not_written(error, path)) from error


def _put_in_place(beside: str, path: Path) -> None:
    try:
        os.link(beside, path)
    except FileExistsError:
        pass  # another process was first
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
        os.replace(beside, path)
