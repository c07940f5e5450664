"""The course secret: made once, the same for all who ask, and nobody else's."""

import errno
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from autograder.course_secret import GROUPS, NAME, OWNERS, course_secret
from autograder.whole_file import OutputError


def mode_of(folder: Path) -> int:
    return stat.S_IMODE((folder / NAME).stat().st_mode)


@pytest.mark.parametrize("umask", [0, 0o077])
@pytest.mark.parametrize("mode", [OWNERS, GROUPS])
def test_it_is_made_once_for_just_those_whose_it_is(tmp_path, umask, mode):
    before = os.umask(umask)
    try:
        secret = course_secret(tmp_path, mode)
    finally:
        os.umask(before)
    assert mode_of(tmp_path) == mode
    assert len(bytes.fromhex(secret)) == 32
    assert course_secret(tmp_path, mode) == secret
    assert os.listdir(tmp_path) == [NAME]


def test_it_is_closed_again_where_it_stands_open(tmp_path):
    secret = course_secret(tmp_path)
    (tmp_path / NAME).chmod(0o644)
    assert course_secret(tmp_path) == secret
    assert mode_of(tmp_path) == OWNERS


def test_it_is_opened_to_no_group_that_it_was_closed_to(tmp_path):
    course_secret(tmp_path, OWNERS)
    course_secret(tmp_path, GROUPS)
    assert mode_of(tmp_path) == OWNERS


def test_all_who_make_it_at_once_get_the_same(tmp_path):
    together = Barrier(8)

    def make(_number: int) -> str:
        together.wait()
        return course_secret(tmp_path)

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(make, range(8)))) == 1
    assert os.listdir(tmp_path) == [NAME]


def test_it_is_made_on_a_file_system_without_links(tmp_path, monkeypatch):
    def no_links(*_paths: object) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", no_links)
    assert course_secret(tmp_path) == course_secret(tmp_path)
    assert os.listdir(tmp_path) == [NAME]


@pytest.mark.parametrize(("content", "told"), [(b"", "is empty"), (b" \n", "is empty"), (b"\xff\xfe", "can't be read")])
def test_a_file_that_holds_none_is_told(tmp_path, content, told):
    (tmp_path / NAME).write_bytes(content)
    with pytest.raises(OutputError, match=rf"{NAME}.* {told}.*\."):
        course_secret(tmp_path)


def test_a_folder_in_its_place_is_told(tmp_path):
    (tmp_path / NAME).mkdir()
    with pytest.raises(OutputError, match="can't be read"):
        course_secret(tmp_path)


def test_where_none_can_be_made_is_told(tmp_path):
    with pytest.raises(OutputError, match=NAME):
        course_secret(tmp_path / "missing")
