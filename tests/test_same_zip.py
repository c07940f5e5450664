"""The same files give the same zip, and each entry is what its name says."""

import io
import stat
import zipfile

from autograder.same_zip import add_to_zip


def zipped() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        add_to_zip(archive, "page.html", b"<p>")
        add_to_zip(archive, "run", b"#!", 0o100700)
        add_to_zip(archive, "folder/", b"")
    return stream.getvalue()


def test_the_same_files_give_the_same_bytes_at_any_time(monkeypatch):
    first = zipped()
    monkeypatch.setattr("time.time", lambda: 2_000_000_000.0)
    assert zipped() == first


def test_an_entry_is_a_file_or_a_folder_as_its_name_says():
    modes = [entry.external_attr >> 16 for entry in zipfile.ZipFile(io.BytesIO(zipped())).infolist()]
    assert [stat.filemode(mode) for mode in modes] == ["-rw-r--r--", "-rwx------", "drwxr-xr-x"]
