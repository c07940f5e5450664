"""Files, and folders, that are written whole or not at all."""

import errno
import io
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

PART = ".part"


class OutputError(Exception):
    """A file or folder can't be written; the text is a sentence for who runs the command."""


class FolderInUseError(OutputError):
    """The folder to write to holds something already."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} is in use, and may hold somebody's work; name a new folder.")


@contextmanager
def whole_binary_file(path: Path, mode: int = 0o666) -> Iterator[IO[bytes]]:
    """A file that takes the place of `path` when the block ends well.

    It is written beside `path`, flushed to the disk and renamed: at every moment `path` is the old file or
    the new one. Each path has one temporary name: what a killed run left is overwritten by the next. Raises
    OutputError.
    """
    part = path.with_name(f".{path.name}{PART}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(part, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, mode)
        try:
            with open(descriptor, "w+b") as file:
                yield file
                file.flush()
                os.fsync(descriptor)
            os.replace(part, path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise OutputError(why_not_written(error, path)) from error


@contextmanager
def whole_file(path: Path, mode: int = 0o666) -> Iterator[IO[str]]:
    """The same for text: UTF-8, line ends as they are written."""
    with whole_binary_file(path, mode) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        yield text
        text.flush()
        text.detach()


def write_whole(path: Path, text: str) -> None:
    """Write `text` to `path`, whole or not at all. Raises OutputError."""
    with whole_file(path) as file:
        file.write(text)


@contextmanager
def whole_folder(path: Path, mode: int = 0o755) -> Iterator[Path]:
    """A folder to fill, which takes the place of `path` when the block ends well; else nothing is left of it.

    `path` may be missing or an empty folder. Raises FolderInUseError where it is anything else, OutputError where it
    can't be written.
    """
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise FolderInUseError(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}."))
    except OSError as error:
        raise OutputError(why_not_written(error, path)) from error
    try:
        yield beside
        _put_in_place(beside, path, mode)
    except BaseException:
        shutil.rmtree(beside)
        raise


def _put_in_place(beside: Path, path: Path, mode: int) -> None:
    try:
        beside.chmod(mode)
        beside.rename(path)  # in an empty folder's place; no other is replaced
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
            raise FolderInUseError(path) from error
        raise OutputError(why_not_written(error, path)) from error


@contextmanager
def temporary_folder(purpose: str) -> Iterator[Path]:
    """A folder of one's own that is gone when the block ends. Raises OutputError where none can be made."""
    try:
        folder = Path(tempfile.mkdtemp(prefix=f"attnkit-{purpose}-"))
    except OSError as error:
        raise OutputError(
            f"No temporary file can be written ({error.strerror or error}). Free some space there, or name another "
            "folder in the environment variable TMPDIR."
        ) from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def why_not_written(error: OSError, path: Path) -> str:
    """What went wrong with `path`, and what to do."""
    folder = path.parent
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return (
                f"The disk that holds {folder} is full: {path.name} was not written. Free some space and run "
                "the command again; `attnkit grade --resume` keeps the results that are there."
            )
        case errno.EROFS:
            return f"{folder} is on a read-only file system: {path.name} was not written. Write to another folder."
        case errno.EACCES | errno.EPERM:
            return f"You may not write {path}. Change its owner or mode, or write to another folder."
        case errno.ENAMETOOLONG:
            return f"The name {path} is too long for this file system. Write to a folder with a shorter name."
        case errno.ENOTDIR | errno.EEXIST:
            return f"{folder}, or something above it, is a file. Write to another folder."
        case errno.EISDIR | errno.ELOOP:
            return f"{path} is a folder or a link where a file belongs. Move it away and run the command again."
        case _:
            return f"{path} could not be written: {error.strerror or error}."
