"""The essential part of the battery, told as JSON: the layers, what crossed them, and what tricks and right work earn.

python -m tests.attacks.probe
"""

import json
import sys

from autograder.boundary.outside.doctor import examine
from autograder.boundary.outside.exchange import Limits
from autograder.boundary.outside.wall import WallError, raise_wall
from autograder.commands.sample_class import IMPORTS, NUMPY_PARTS
from autograder.grading.grade import Course, grade

from ..submitted import submitted
from .marks import CHEATS, NUMPY

LIMITS = Limits(load_seconds=2.0, call_seconds=1.0, memory_bytes=512 << 20)


def score(source, wall):
    return grade(submitted(NUMPY, source), wall, Course("a course")).score


def told():
    examination = examine()
    found = {
        "layers": " ".join(examination.layers),
        "troubles": examination.troubles,
        "crossed": [crossing.attempt for crossing in examination.crossings if crossing.crossed],
        "ok": examination.ok,
    }
    try:
        with raise_wall(limits=LIMITS) as wall:
            tricks = [cheat for cheat in CHEATS if cheat.assignment == NUMPY][::8]
            found["tricks"] = {cheat.name: score(cheat.source, wall) for cheat in tricks}
            found["right work"] = score(IMPORTS + "".join(NUMPY_PARTS.values()), wall)
    except WallError as error:
        found["refused"] = str(error)
    return found


if __name__ == "__main__":
    json.dump(told(), sys.stdout)
