"""Zips that were made by accident or on purpose: one clear line each, and nothing reaches the disk."""

import io
import random
import struct
import warnings
import zipfile

import pytest

from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.intake import archive, collect
from autograder.intake.entries import MIB

from .conftest import SOURCE, found, zipped

FIRST = ASSIGNMENTS["01_numpy_self_attention"]
NAME = "numpy_self_attention.py"


def handed_in(folder, data: bytes):
    """The submission of a student who hands in this zip, beside another whose work must not suffer."""
    root = folder({"student-01/homework.zip": data, f"student-02/{NAME}": SOURCE})
    first, second = collect([root], FIRST)
    assert second.problem is None
    assert sorted(p.name for p in root.parent.rglob("*") if p.is_file()) == ["homework.zip", NAME]
    return first


@pytest.mark.parametrize(
    "path",
    [
        f"../{NAME}",
        f"../../etc/{NAME}",
        f"/tmp/{NAME}",
        f"a/../../{NAME}",
        f"C:/{NAME}",
        f"..\\{NAME}",
        f"\\\\host\\{NAME}",
    ],
)
def test_a_path_that_leads_out_of_the_zip_is_told_and_not_read(folder, path):
    submission = handed_in(folder, zipped({path: SOURCE}))
    assert submission.problem.endswith("has a path that leads out of its zip, so it was not read.")
    assert len(submission.files) == 1


def test_backslashes_part_folders_as_windows_writes_them(folder):
    assert handed_in(folder, zipped({f"homework\\{NAME}": SOURCE})).files[0].name == f"homework/{NAME}"


def test_a_path_that_leads_out_costs_nothing_beside_a_good_file(folder):
    submission = handed_in(folder, zipped({NAME: SOURCE, f"../student-02/{NAME}": "x = 1\n"}))
    assert (submission.problem, len(submission.files)) == (None, 1)
    assert "leads out of its zip" in submission.notes[0]


def test_in_a_class_zip_a_student_whose_path_leads_out_is_named_and_not_lost(tmp_path):
    (tmp_path / "class.zip").write_bytes(zipped({f"../student-01/{NAME}": SOURCE, f"student-02/{NAME}": SOURCE}))
    first, second = collect([tmp_path / "class.zip"])
    assert (first.student_as_given, "leads out" in first.problem) == ("../student-01", True)
    assert (second.student, second.problem) == ("student-02", None)


def test_a_symbolic_link_in_a_zip_is_told_and_not_read(folder):
    link = zipfile.ZipInfo(NAME)
    link.external_attr = 0o120777 << 16
    assert "is a symbolic link" in handed_in(folder, zipped({link: "/etc/passwd"})).problem


def test_an_encrypted_entry_is_told(folder):
    data = bytearray(zipped({NAME: SOURCE}))
    for signature, flags_at in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        data[data.index(signature) + flags_at] |= 1
    assert handed_in(folder, bytes(data)).problem == f"{NAME} is encrypted; zip it without a password."


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_packing_without_a_bound_is_told_and_not_unpacked(folder, method):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as bomb:
        bomb.writestr(NAME, b"#" * MIB)
    assert f"in an unusual way (method {method})" in handed_in(folder, buffer.getvalue()).problem


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[: len(data) // 2],
        lambda data: data[:40] + bytes(b ^ 0xFF for b in data[40:80]) + data[80:],
        lambda data: b"",
        lambda data: b"Rar!\x1a\7\0" + data[7:100],
        lambda data: b"PK\5\6" + bytes(18),
    ],
)
def test_a_damaged_zip_is_told(folder, damage):
    submission = handed_in(folder, damage(zipped({NAME: random.Random(0).randbytes(500)})))
    assert submission.problem
    assert submission.problem.count("\n") == 0


def test_the_same_name_twice_in_a_zip_is_told_and_both_are_kept(folder):
    buffer = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "w") as twice:
        warnings.simplefilter("ignore")
        twice.writestr(NAME, SOURCE)
        twice.writestr(NAME, SOURCE + "x = 1\n")
    submission = handed_in(folder, buffer.getvalue())
    assert len(submission.files) == 2
    assert "Nothing tells which of 2 different .py files is the submission" in submission.notes[0]


def test_a_bomb_is_refused_by_what_it_says_it_unpacks_to(folder):
    submission = handed_in(folder, zipped({NAME: bytes(60 * MIB)}))
    assert submission.problem == f"{NAME} is larger than 1 MiB, so it was not read; hand in the program alone."


def test_a_bomb_that_lies_about_its_size_is_not_unpacked_beyond_it(folder):
    data = bytearray(zipped({NAME: bytes(60 * MIB)}))
    for signature, size_at in ((b"PK\3\4", 22), (b"PK\1\2", 24)):
        struct.pack_into("<I", data, data.index(signature) + size_at, 100)
    assert handed_in(folder, bytes(data)).problem == f"{NAME} is broken in its zip; zip the files again."


def test_many_large_files_are_refused_together(folder):
    bomb = zipped({f"{n}/numpy_self_attention.ipynb": bytes(30 * MIB) for n in range(5)})
    assert "unpacks to more than 128 MiB" in handed_in(folder, bomb).problem


def test_a_zip_within_a_zip_is_not_opened(folder):
    inner = zipped({NAME: SOURCE})
    assert handed_in(folder, zipped({"inner.zip": inner})).problem == (
        "inner.zip is a zip within a zip; hand in the one file alone."
    )
    assert handed_in(folder, zipped({"inner.zip": inner, NAME: SOURCE})).problem is None


def test_a_students_zip_of_100_000_files_is_told_before_it_is_listed(folder, monkeypatch):
    monkeypatch.setattr(archive, "_tree", None)  # nothing is listed
    small = zipped({NAME: SOURCE})
    start, end = small.index(b"PK\1\2"), small.index(b"PK\5\6")
    contents = small[start:end] * 100_000
    crowded = small[:start] + contents + small[end : end + 12] + struct.pack("<IIH", len(contents), start, 0)
    assert "homework.zip holds more than 2,000 files" in handed_in(folder, crowded).problem


def test_a_student_with_too_many_files_in_a_class_zip_is_told_and_the_rest_goes_on(tmp_path):
    path = tmp_path / "class.zip"
    path.write_bytes(zipped({**{f"student-01/{n}.txt": b"" for n in range(6_000)}, f"student-02/{NAME}": SOURCE}))
    first, second = collect([path], FIRST)
    assert first.problem == "This holds 6,000 files; hand in those that were asked for."
    assert second.problem is None


def test_names_in_utf_8_without_the_flag_are_read_as_utf_8(tmp_path):
    data = zipped({f"zoë/{NAME}": SOURCE})
    unflagged = bytearray(data)
    for signature, flags_at in ((b"PK\3\4", 7), (b"PK\1\2", 9)):
        unflagged[data.index(signature) + flags_at] &= ~0x08
    (tmp_path / "class.zip").write_bytes(unflagged)
    assert [s.student for s in collect([tmp_path / "class.zip"])] == ["zoë"]


def test_names_that_are_no_utf_8_are_read_all_the_same(tmp_path):
    data = zipped({f"XXXX/{NAME}": SOURCE}).replace(b"XXXX/", b"\xff\xfe\x81\x9f/")
    (tmp_path / "class.zip").write_bytes(data)
    (submission,) = collect([tmp_path / "class.zip"])
    assert submission.problem is None


def test_a_name_with_the_flag_that_is_no_utf_8_makes_one_clear_line(folder):
    data = zipped({f"ëë/{NAME}": SOURCE}).replace("ëë".encode(), b"\xff\xff\xff\xff")
    assert "homework.zip is broken" in handed_in(folder, data).problem


def test_a_zip_is_closed_again_when_its_submissions_are_done(tmp_path):
    (tmp_path / "class.zip").write_bytes(zipped({f"student-01/{NAME}": SOURCE}))
    with warnings.catch_warnings():
        warnings.simplefilter("error", ResourceWarning)
        assert len(found(tmp_path / "class.zip")) == 1
