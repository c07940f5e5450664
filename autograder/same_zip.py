"""Zips that are the same whenever and wherever they are made of the same files."""

import zipfile

WHEN = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip can hold
UNIX = 3


def add_to_zip(archive: zipfile.ZipFile, name: str, data: bytes, mode: int = 0o100644) -> None:
    """Adds a file of this name, with a file type and rights as Unix has them."""
    entry = zipfile.ZipInfo(name, WHEN)
    entry.create_system, entry.external_attr = UNIX, mode << 16
    archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
