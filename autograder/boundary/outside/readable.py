"""What student code may read: Python, its standard library, NumPy, PyTorch and what these need. Nothing else."""

from __future__ import annotations

import os
import re
import sys
import sysconfig
from dataclasses import dataclass
from functools import cache
from importlib import metadata, util
from pathlib import Path

PACKAGES = ("numpy", "torch", "msgpack")
_INSIDE = Path(__file__).resolve().parent.parent / "inside"
_SITE_FOLDERS = ("site-packages", "dist-packages")


@dataclass(frozen=True)
class Readable:
    """`paths` may be read with all below them, but for what lies in `hidden`. `site` are sys.path's further entries."""

    interpreter: Path
    paths: tuple[Path, ...]
    hidden: tuple[Path, ...]
    site: tuple[Path, ...]
    inside: Path = _INSIDE

    def exact(self) -> list[str]:
        """The same as paths that may be read wholly: folders that hold something hidden are told entry by entry."""
        return sorted(str(path) for top in self.paths for path in _around(top, self.hidden))

    def barred(self) -> Path | None:
        """The first folder on the way to a readable path that only its owner may enter."""
        ways = sorted({folder for path in (*self.paths, self.inside) for folder in path.parents})
        return next((folder for folder in ways if not folder.stat().st_mode & 0o001), None)

    def closed(self) -> Path | None:
        """The first of the readable paths, or modules directly in them, that only its owner may read.

        Whoever installs with a umask of 077 closes all of a package alike, so that these tell of the rest.
        """
        modules = (module for path in self.paths for module in (path, *sorted(path.glob("*.py"))))
        return next((path for path in modules if not path.stat().st_mode & 0o004), None)


def _around(path: Path, hidden: tuple[Path, ...]) -> list[Path]:
    if path in hidden:
        return []
    if not any(path in other.parents for other in hidden):
        return [path]
    return [piece for entry in sorted(path.iterdir()) for piece in _around(entry, hidden)]


@cache
def readable() -> Readable:
    """The readable set of this Python installation."""
    interpreter = Path(sys.executable).resolve()
    libraries = [folder for folder in _library_folders() if folder.is_dir()]
    base = {
        "installed_base": sys.base_prefix,
        "installed_platbase": sys.base_exec_prefix,
        "base": sys.base_prefix,
        "platbase": sys.base_exec_prefix,
    }  # not a virtual environment's
    standard = {Path(sysconfig.get_path(name, vars=base)).resolve() for name in ("stdlib", "platstdlib")}
    hidden = {entry for folder in libraries for entry in folder.glob("python*") if entry.resolve() not in standard}
    hidden |= {folder / site for folder in standard for site in _SITE_FOLDERS if (folder / site).is_dir()}
    packages, site = _packages()
    paths = {interpreter, *libraries, *standard, *packages}
    paths |= {path for path in map(Path, ("/usr/share/zoneinfo", "/etc/ld.so.cache")) if path.exists()}
    return Readable(interpreter, tuple(sorted(paths)), tuple(sorted(hidden)), tuple(site))


def _library_folders() -> list[Path]:
    """Where the system's shared libraries lie, and the interpreter's own where it has some."""
    triplet = sysconfig.get_config_var("MULTIARCH")
    if triplet and Path("/usr/lib", triplet).is_dir():
        folders = [Path("/usr/lib", triplet)]
    else:
        folders = [Path("/usr/lib64"), Path("/usr/lib")]
    if sys.base_prefix != "/usr":
        folders.append(Path(sys.base_prefix, "lib"))
    return [folder.resolve() for folder in folders]


def _packages() -> tuple[set[Path], list[Path]]:
    """The top-level files and folders of PACKAGES and of all that they require, and the folders they lie in."""
    paths: set[Path] = set()
    site: dict[Path, None] = {}
    for distribution in _with_requirements():
        base = Path(str(distribution.locate_file(""))).resolve()
        tops = {file.parts[0] for file in distribution.files or () if file.parts[0] != ".."}
        for top in tops - {"__pycache__"}:
            if (base / top).exists() and not top.endswith((".dist-info", ".egg-info", ".pth")):
                paths.add(base / top)
                site.setdefault(base)
    for package in PACKAGES:  # a system's own package may have no list of its files
        spec = util.find_spec(package)
        if spec is None or spec.origin is None:
            raise ModuleNotFoundError(f"{package} is not installed; install self-attention-kit again")
        folder = Path(spec.origin).resolve().parent
        paths.add(folder)
        site.setdefault(folder.parent)
    return paths, list(site)


def _with_requirements() -> list[metadata.Distribution]:
    found: dict[str, metadata.Distribution] = {}
    waiting = list(PACKAGES)
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in found:
            continue
        try:
            found[name] = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # an extra, or a requirement for another system
        waiting += [
            match[0]
            for line in found[name].requires or ()
            if "extra ==" not in line
            if (match := re.match(r"[\w.-]+", line))
        ]
    return list(found.values())


def environment() -> dict[str, str]:
    """The zygote's whole environment. One thread each: a child of a process with more would hang."""
    variables = {
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "TMPDIR": "/tmp",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
    }
    kept = ("LD_LIBRARY_PATH", "OPENBLAS_CORETYPE")  # where Python's own library lies, and the kernels NumPy chose
    return variables | {name: os.environ[name] for name in kept if name in os.environ}
