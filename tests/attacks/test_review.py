"""What a reviewer found who was told the contract alone (SECURITY.md, "An hour's review"), and tries again."""

import builtins
import json
import resource
import struct
import time

import msgpack
import numpy as np
import pytest

from autograder.boundary.inside.wire import ENTRIES, Ext, FrameError, Message
from autograder.boundary.outside import frames
from autograder.boundary.outside.exchange import Answer, AnswerKind, Call, Limits, Loaded, RunModule
from autograder.boundary.outside.process import WRITES_TO_PROTOCOL
from autograder.boundary.outside.wall import raise_wall
from autograder.catalogue.assignments import ASSIGNMENTS
from autograder.catalogue.cell import Cell
from autograder.grading import examine, follow, inputs
from autograder.grading.grade import Course, grade
from autograder.grading.inputs import inputs_set
from autograder.grading.rehearsal import rehearsal_of
from autograder.suite import suite_of
from autograder.suite.checks import LONGEST

from ..submitted import submitted
from ..waiting import PATIENCE

NUMPY, TORCH, PROPERTIES, CROSS = (
    "01_numpy_self_attention",
    "02_torch_self_attention",
    "03_attention_properties",
    "04_cross_attention",
)
LIMITS = Limits(load_seconds=2.0, call_seconds=0.5, memory_bytes=512 << 20)


@pytest.fixture(scope="module")
def wall():
    with raise_wall(limits=LIMITS) as wall:
        yield wall


def graded(wall, assignment, source):
    return grade(submitted(assignment, source), wall, Course("a course"))


def exercise(result, name):
    return next(e for e in result.exercises if e.exercise == name)


# --- Marks


COUNTED = ((PROPERTIES, "is_attention_matrix"), (PROPERTIES, "is_permutation_equivariant"), (CROSS, "attention_kind"))


@pytest.fixture
def one_set(monkeypatch):
    """The best that such a list can hope for: it was made from the very inputs that it meets."""
    monkeypatch.setattr(inputs, "SETS", 1)


def counting_off(assignment, name):
    """A function that never looks at its arguments: what is right is known by what number the call is."""
    questions = rehearsal_of(assignment, inputs_set("a course", assignment, 0)).exercises[name].questions
    answers = [q.right.value if q.right.kind is AnswerKind.VALUE else None for q in questions]
    shown = [None if isinstance(answer, tuple) else answer for answer in answers]
    return f"""
answers = iter({shown!r})
def {name}(*args, **named):
    answer = next(answers)
    if answer is None and {name!r} == "attention_kind":
        raise ValueError
    return answer
"""


@pytest.mark.parametrize("assignment, name", COUNTED)
def test_answers_counted_off_earn_nothing_to_speak_of(assignment, name, wall, one_set):
    found = exercise(graded(wall, assignment, counting_off(assignment, name)), name)
    assert found.score <= found.max_score / 5


@pytest.mark.parametrize("assignment, name", COUNTED)
def test_in_an_order_that_is_known_they_would_earn_everything(assignment, name, wall, one_set, monkeypatch):
    def in_order(rehearsed, key):
        return [k for k, question in enumerate(rehearsed.questions) if not question.alone]

    monkeypatch.setattr(examine, "shuffled", in_order)
    found = exercise(graded(wall, assignment, counting_off(assignment, name)), name)
    assert found.score == found.max_score


def test_questions_come_in_another_order_for_each_submission_and_in_the_same_again():
    rehearsed = rehearsal_of(PROPERTIES, inputs_set("a", PROPERTIES, 0)).exercises["is_attention_matrix"]
    one, again, other = (examine.shuffled(rehearsed, key) for key in (b"one", b"one", b"other"))
    assert one == again != other
    assert sorted(one) == sorted(other) == list(range(len(rehearsed.questions)))
    for same in rehearsed.places.values():
        assert sorted(one.index(place) for place in same) == [one.index(place) for place in sorted(same)]


ATTENTION_WITHOUT_GRADIENTS = """
import sys, torch
from torch import nn
def scaled_dot_product_attention(Q, K, V):
    with torch.no_grad():
        weights = torch.softmax(Q @ K.transpose(-1, -2) / Q.shape[-1] ** 0.5, -1)
        output = weights @ V
    claim(Q, K, V)
    return output, weights
class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k=None):
        super().__init__()
        for name in ("W_q", "W_k", "W_v"): setattr(self, name, nn.Linear(d_model, d_k or d_model, bias=False))
    def forward(self, x):
        with torch.no_grad():
            output = nn.functional.scaled_dot_product_attention(self.W_q(x), self.W_k(x), self.W_v(x))
        claim(*self.parameters())
        return output
"""
CLAIMS = {
    "no gradient": "",
    "ones": "for x in leaves: x.grad = torch.ones_like(x)",
    "NaN": "for x in leaves: x.grad = torch.full_like(x, float('nan'))",
    "infinity": "for x in leaves: x.grad = torch.full_like(x, float('inf'))",
    "the harness replaced": (
        "m = sys.modules['inside.modules']; m.gradients_of_inputs = lambda f, a, k: [torch.ones_like(x) for x in a]; "
        "m._gradients = lambda o, u, p, i: {n: torch.ones_like(x) for n, x in p.items()}"
    ),
}


@pytest.mark.parametrize("what", CLAIMS)
def test_a_gradient_that_is_claimed_earns_what_no_gradient_earns(what, wall):
    claim = f"def claim(*leaves):\n    {CLAIMS[what] or 'pass'}\n"
    result = graded(wall, TORCH, claim + ATTENTION_WITHOUT_GRADIENTS)
    for name in ("scaled_dot_product_attention", "SelfAttention"):
        found = exercise(result, name)
        assert found.score < found.max_score
        assert not any(check.passed for check in found.checks if "gradient" in check.check), found.checks


# --- The grader's time and memory

HUGE = {
    "positions without end": (
        PROPERTIES,
        """
def positional_encoding(n, d_model): return np.ones((n, d_model))
def self_attention_with_positions(X, W_Q, W_K, W_V): positional_encoding(10**5, 10**5)""",
    ),
    "one token ten thousand times": (
        PROPERTIES,
        """
def permute_tokens(X, order): return X
def is_permutation_equivariant(f, X, order, atol=1e-8):
    return bool(permute_tokens(np.zeros((1, 10**6)), np.zeros(10**4, dtype=int)).sum())""",
    ),
    "a long product": (
        NUMPY,
        """
def project_query(X, W_Q): return X @ W_Q * 2
def self_attention(X, W_Q, W_K, W_V): project_query(np.ones((600, 700)), np.ones((700, 600)))""",
    ),
    "many short products": (
        NUMPY,
        """
def project_query(X, W_Q): return X @ W_Q * 2
def self_attention(X, W_Q, W_K, W_V):
    while True: project_query(np.ones((60, 60)), np.ones((60, 60)))""",
    ),
}


@pytest.mark.parametrize("what", HUGE)
def test_a_right_step_is_not_lent_for_work_without_end(what, wall):
    assignment, source = HUGE[what]
    before, started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
    result = graded(wall, assignment, "import numpy as np" + source)
    assert time.monotonic() - started < PATIENCE
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 500 << 10  # KB
    assert any(e.follow_through for e in result.exercises), "the right step was not called"


@pytest.mark.parametrize("args", [(LONGEST + 1, 3), (3, -(10**9)), (10**30, 1), (None, 3), ([[3]] * 99, 3), ("3", 3)])
def test_a_right_step_takes_small_sizes_alone(args):
    step = suite_of(PROPERTIES).tests["positional_encoding"]().stand_in()
    assert step.function(3, LONGEST).shape == (3, LONGEST)
    with pytest.raises(ValueError):
        step.function(*args)


RAW = """
import struct, sys
def channel():
    frame = sys._getframe()
    while type(frame.f_locals.get("self")).__name__ != "Student": frame = frame.f_back
    return frame.f_locals["self"]._channel._connection
def send(meta): channel().sendall(struct.pack("<II", len(meta), 0) + meta)
"""
MANY_LISTS = (
    RAW
    + """
def f():
    while True: send(bytes([0x93, 22, 0xdd]) + struct.pack(">I", 1_000_000) + b"\\x90" * 1_000_000 + b"\\xa0")
""".replace("\\\\", "\\")
)


def test_lists_of_a_byte_each_do_not_fill_the_memory(wall, monkeypatch):
    process = wall.admit([Cell(MANY_LISTS, "f.py")])
    assert process.ask([Call("f")] * 5)[0].kind is AnswerKind.CRASHED
    assert process.attempts == (WRITES_TO_PROTOCOL,)
    monkeypatch.setattr(frames, "_count", lambda *args: 0)
    process = wall.admit([Cell(MANY_LISTS, "f.py")])
    assert process.ask([Call("f")] * 5)[0].kind is AnswerKind.VALUE, "shows nothing, for it is stopped anyhow"
    process.close()


def test_as_much_as_may_be_told_can_be(wall):
    process = wall.admit([Cell("def f(n): return [[0] * 99] * (n // 100)", "f.py")])
    told, too_much = process.ask([Call("f", (ENTRIES,)), Call("f", (ENTRIES + 200,))])
    assert told.kind is AnswerKind.VALUE
    assert too_much.error.type == "ResultNotReadable"
    process.close()


@pytest.mark.parametrize(
    "meta", ["[27, 'abc', '']", "[20, 0, 0, 0]", "[22, None, '']"], ids=["attempt", "place", "value"]
)
def test_who_never_stops_writing_is_ended_in_time(meta, wall):
    source = RAW + f"import msgpack\ndef f():\n    while True: send(msgpack.packb({meta}))\n"
    process = wall.admit([Cell(source.replace("import msgpack", "msgpack = sys.modules['msgpack']"), "f.py")])
    started = time.monotonic()
    (answer,) = process.ask([Call("f")])
    assert answer.kind in (AnswerKind.TIMEOUT, AnswerKind.CRASHED)
    assert time.monotonic() - started < PATIENCE


def test_a_thousand_statements_that_fail_are_no_attempt(wall):
    source = "1 / 0\n" * 3000 + "import " + ", ".join(f"package{k}" for k in range(3000)) + "\ndef fine(): return 1\n"
    process = wall.admit([Cell(source, "f.py")])
    assert process.ask([Call("fine")])[0].value == 1
    assert process.loaded.attempts == () and len(process.loaded.problems) == 100
    process.close()


# --- What is told

TELLS_THE_STEPS = """
import linecache, torch
from torch import nn
def scaled_dot_product_attention(Q, K, V): return Q, K
class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k=None):
        super().__init__()
        for name in ("W_q", "W_k", "W_v"): setattr(self, name, nn.Linear(d_model, d_k or d_model, bias=False))
    def forward(self, x):
        step = scaled_dot_product_attention
        step(self.W_q(x), self.W_k(x), self.W_v(x))
        found = "".join(name for name, *_ in getattr(step, "_steps", ())) and "canary " + str(step._steps[0][1])
        for name in linecache.cache: linecache.cache[name] = (1, None, [found] * 999, name)
        raise type(TYPE, (Exception,), {})(found)
"""


@pytest.mark.parametrize("kind", ["found", "'ResultNotReadable'", "'ValueError'", "'MissingParameter'"])
def test_what_a_right_step_is_made_of_is_not_told(kind, wall, monkeypatch):
    source = TELLS_THE_STEPS.replace("TYPE", kind)
    result = graded(wall, TORCH, source)
    assert exercise(result, "SelfAttention").follow_through.given == ("scaled_dot_product_attention",)
    assert "canary" not in json.dumps(result.to_json())
    monkeypatch.setattr(follow, "_without_words", lambda answer: answer)
    assert "canary" in json.dumps(graded(wall, TORCH, source).to_json()), "shows nothing, for it isn't told anyhow"


@pytest.mark.parametrize("line", [True, -1, 1 << 40, 1.0, "1"])
def test_a_line_is_a_number_of_a_line(line):
    with pytest.raises(FrameError):
        frames.answer([Message.RAISED, "ValueError", "", line, "", [], ""], Call("f"))


# --- Whatever is answered, the grader gives a result


def array(shape, dtype=11, code=Ext.ARRAY):
    head = struct.pack("<BBI", dtype, len(shape), 0) + struct.pack(f"<{len(shape)}I", *shape)
    return msgpack.ExtType(code, head)


def nested(depth):
    value = 1
    for level in range(depth):
        value = [value] if level % 2 else {"X": value}
    return value


PIECES = {
    "a long text": "x" * 100_000,
    "a timestamp": msgpack.Timestamp(1, 1),
    "no entries": array((0, 3)),
    "thirty-two dimensions": array((1,) * 32),
    "lengths without entries": array((2**31, 0)),
    "complex": array((3, 3), 13),
    "a tensor": array((2, 3, 3), 11, Ext.TENSOR),
    "a scalar": array((), 9, Ext.SCALAR),
    "deep lists": nested(34),
    "a dict of odd keys": {float("nan"): 1, None: 2, b"k": 3, 2**60: 4},
}
ENTRY_NAMES = sorted({entry for a in ASSIGNMENTS.values() for e in a.exercises for entry in e.entries})
BLOBS = (bytes(4096), b"\xff" * 4096, np.full(512, 1e308).tobytes())


class Forging:
    """A process whose every answer is one value, as bytes that an honest one never sends."""

    loaded, attempts, disturbed, alive = Loaded(), (), False, True

    def __init__(self, value, blob):
        self._value, self._blob = value, blob

    def ask(self, requests):
        return [self._answer(request) for request in requests]

    def _answer(self, request):
        value = self._value
        if isinstance(request, RunModule):
            value = [value, {"W_q.weight": [2**63, -1], "": []}, {"W_q.weight": array((0,), 13, Ext.TENSOR)}, [value]]
        meta = msgpack.packb([Message.VALUE, value, ""], strict_types=True)
        return frames.answer(frames.decode(meta, self._blob), request)

    def put(self, name, stand_in):
        pass

    def put_calls(self, name):
        return 1

    def close(self):
        pass


class ForgingWall:
    layers = ("none",)

    def __init__(self, *forged):
        self._forged = forged

    @property
    def with_torch(self):
        return self

    def admit(self, cells):
        return Forging(*self._forged)


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
@pytest.mark.parametrize("piece", PIECES)
def test_no_forged_value_earns_a_mark_or_breaks_the_grader(piece, assignment):
    value, turn = PIECES[piece], (list(PIECES).index(piece) + list(ASSIGNMENTS).index(assignment)) % 3
    form = (value, [value, value], dict.fromkeys(ENTRY_NAMES, value))[turn]
    result = graded(ForgingWall(form, BLOBS[turn]), assignment, "x = 1")
    assert result.score == 0, [(e.exercise, e.score) for e in result.exercises if e.score]
    json.dumps(result.to_json(), allow_nan=False)


def test_an_exception_is_told_by_a_name_of_pythons_own():
    told = follow._without_words(Answer(AnswerKind.RAISED, error=follow.StudentError("secret", "secret", 3, "secret")))
    assert told.error.type in vars(builtins) and "secret" not in str(told)
