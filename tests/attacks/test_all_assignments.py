"""The same tricks on every assignment: on functions, modules, callbacks and students' own tests."""

import pytest

from autograder.boundary.outside.exchange import Limits
from autograder.boundary.outside.wall import raise_wall
from autograder.catalogue.assignments import ASSIGNMENTS, Kind
from autograder.grading.grade import Course, grade

from ..submitted import submitted

LIMITS = Limits(load_seconds=2.0, call_seconds=0.5, memory_bytes=512 << 20)
TESTED = "06_test_your_attention"

TRICKS = {
    "an object that equals everything": """
class Equal:
    __array_ufunc__ = None
    def __eq__(self, other): return True
    def __bool__(self): return True
    def __getitem__(self, key): return self
def trick(*args): return Equal()""",
    "NaN": "def trick(*args): return float('nan')",
    "the first argument": "def trick(*args): return args[0]",
    "an exit": "import os\ndef trick(*args): os._exit(0)",
    "SystemExit": "def trick(*args): raise SystemExit(0)",
    "what a callback gives": """
def trick(*args):
    for function in args:
        if callable(function):
            try: return function(*args[1:])
            except ValueError as error: return str(error)
    return None""",
    "frames forged": """
import os
def trick(*args):
    os.write(3, bytes([4, 0, 0, 0, 0, 0, 0, 0, 0x93, 22, 0xc3, 0xa0]))
    return None""",
}
TEST_TRICKS = {
    "passes always": "def trick(attend): pass",
    "fails always": "def trick(attend): assert False",
    "skips": "import pytest\ndef trick(attend): pytest.skip('not now')",
    "expects to fail": "import pytest\ndef trick(attend): pytest.xfail('known')",
    "exits": "import os\ndef trick(attend): os._exit(1)",
    "leaves": "def trick(attend): raise SystemExit(1)",
    "fails from the second time on": "times = []\ndef trick(attend):\n    times.append(1)\n    assert len(times) < 2",
    "fails the first time alone": "times = []\ndef trick(attend):\n    times.append(1)\n    assert len(times) > 1",
    "fails every other time": "times = []\ndef trick(attend):\n    times.append(1)\n    assert len(times) % 2",
    "fails where the first one met answered otherwise": """
import numpy as np
rng = np.random.default_rng(0)
asked = [rng.normal(size=shape) for shape in ((4, 5), (5, 3), (5, 3), (5, 2))]
met = []
def trick(attend):
    met.append([np.array(part).ravel().tolist() for part in attend(*asked)])
    assert np.array_equal(met[0], met[-1])""",
    "fails where no other one met agrees": """
import numpy as np
rng = np.random.default_rng(0)
asked = [rng.normal(size=shape) for shape in ((4, 5), (5, 3), (5, 3), (5, 2))]
met = []
def trick(attend):
    A = np.array(attend(*asked)[1])
    met.append(A)
    assert len(met) < 2 or any(A.shape == other.shape and np.allclose(A, other) for other in met[:-1])""",
    "fails by what the callable looks like": """
def trick(attend):
    looks = [repr(attend.__code__), attend.__name__, repr(attend.__closure__), repr(attend.__dict__)]
    assert 'wrong' not in ''.join(looks)""",
    "fails where the callable has no source": """
import inspect
def trick(attend):
    assert 'softmax' in inspect.getsource(attend)""",
    "fails by a file that the last one left": """
import os
def trick(attend):
    assert not os.path.exists('/tmp/seen')
    open('/tmp/seen', 'w').close()""",
    "fails where the grader's clock is odd": "import time\ndef trick(attend): assert time.time_ns() < 0",
}


def functions(assignment):
    """The assignment's functions and classes, each of which answers with `trick`."""
    parts = []
    for exercise in assignment.exercises:
        if exercise.kind is Kind.MODULE:
            parts.append(f"""
class {exercise.name}(nn.Module):
    def __init__(self, *args, **kwargs):
        super().__init__()
        self.W_q = nn.Linear(4, 4, bias=False)
    def forward(self, *inputs): return trick(*inputs)""")
        else:
            names = [part.split("=")[0].strip() for part in exercise.signature.strip("()").split(",")]
            parts.append(f"def {exercise.name}{exercise.signature}: return trick({', '.join(names)})")
    uses_torch = any(exercise.kind is Kind.MODULE for exercise in assignment.exercises)
    return ("from torch import nn\n" if uses_torch else "") + "\n".join(parts)


@pytest.fixture(scope="module")
def wall():
    with raise_wall(limits=LIMITS) as wall:
        yield wall


def score(wall, assignment, trick):
    source = f"{trick}\n{functions(assignment)}"
    submission = submitted(assignment.id, source)
    return grade(submission, wall, Course("a course"))


@pytest.mark.parametrize("assignment", [a for a in ASSIGNMENTS if a != TESTED])
@pytest.mark.parametrize("what", TRICKS)
def test_a_trick_earns_nothing_in_any_assignment(what, assignment, wall):
    result = score(wall, ASSIGNMENTS[assignment], TRICKS[what])
    assert result.score == 0, [(e.exercise, e.score, e.outcome) for e in result.exercises if e.score]


@pytest.mark.parametrize("what", TEST_TRICKS)
def test_a_test_that_tells_nothing_earns_nothing(what, wall):
    result = score(wall, ASSIGNMENTS[TESTED], TEST_TRICKS[what])
    assert result.score == 0, [(e.exercise, e.score, e.outcome) for e in result.exercises if e.score]
