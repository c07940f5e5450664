"""Zips that are the same whenever and wherever they are made of the same files."""

import zipfile

WHEN = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip can hold
UNIX = 3
FILE, FOLDER = 0o100644, 0o040755  # a type and rights, as Unix has them


def add_to_zip(archive: zipfile.ZipFile, name: str, data: bytes, mode: int = FILE) -> None:
    """Adds a file of this name, with this type and these rights; a name that ends in `/` is a folder."""
    entry = zipfile.ZipInfo(name, WHEN)
    entry.create_system = UNIX
    entry.external_attr = (FOLDER if name.endswith("/") else mode) << 16
    archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
