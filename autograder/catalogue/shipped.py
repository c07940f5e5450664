"""Where the kit's data folders lie: beside the package in a clone, inside it in a wheel."""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent


def shipped(folder: str) -> Path:
    """The folder `assignments`, `quizzes` or `reference_solutions`; raises FileNotFoundError where none lies."""
    for place in (PACKAGE / "shipped" / folder, PACKAGE.parent / folder):
        if place.is_dir():
            return place
    raise FileNotFoundError(f"the kit's folder {folder}/ is missing; install self-attention-kit again")
