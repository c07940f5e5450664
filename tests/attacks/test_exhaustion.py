"""Code that takes time, memory, processes or output without end costs its own exercise, and the run ends in time."""

import contextlib
import os
import time
from pathlib import Path

import pytest

from autograder.boundary.outside import wall as walls
from autograder.boundary.outside.exchange import AnswerKind, Call, Limits
from autograder.catalogue.cell import Cell
from autograder.commands.sample_class import IMPORTS, NUMPY_PARTS
from autograder.grading.grade import Course, grade

from ..submitted import submitted
from ..waiting import PATIENCE, until

LIMITS = Limits(load_seconds=1.0, call_seconds=0.3, memory_bytes=256 << 20)

ENDLESS = {
    "a loop": "while True: pass",
    "a loop that swallows every exception": """
while True:
    try:
        while True: pass
    except BaseException: pass""",
    "a sleep": "import time; time.sleep(3600)",
    "a sleep in pieces": "import time\nwhile True: time.sleep(0.01)",
    "waiting for input": "import sys\nwhile True: sys.stdin.readline()",
    "waiting for a lock": "import threading; lock = threading.Lock(); lock.acquire(); lock.acquire()",
    "waiting for the grader": "import os; os.read(3, 1 << 20); os.read(3, 1 << 20)",
    "a slow pattern": "import re; re.match(r'(a+)+b', 'a' * 60)",
    "a huge power": "return len(str(9 ** 9 ** 9))",
    "a long C call": "import numpy as np; a = np.ones((4000, 4000)); [a @ a for _ in range(99)]",
    "a sum without end": "import itertools; return sum(itertools.repeat(1))",
    "a result that never ends": "import itertools; return list(itertools.count())",
    "a text that takes forever": "class E(Exception):\n    def __str__(self):\n        while True: pass\nraise E",
    "a destructor without end": "class D:\n    def __del__(self):\n        while True: pass\nd = D()\ndel d",
    "a garbage collection in a loop": "import gc\nwhile True: gc.collect()",
    "printing without end": "while True: print('x' * 1000)",
    "writing to descriptor 1 without end": "import os\nwhile True: os.write(1, b'x' * 4096)",
    "signals ignored": (
        "import signal\nfor s in range(1, 65):\n    try: signal.signal(s, signal.SIG_IGN)\n"
        "    except (OSError, ValueError): pass\nwhile True: pass"
    ),
    "a thousand threads": """
import threading
while True:
    try: threading.Thread(target=lambda: [0 for _ in iter(int, 1)]).start()
    except RuntimeError: pass""",
    "a call to itself by way of C": """
import functools
while True:
    try: functools.reduce(lambda a, b: f(), [1, 2])
    except RecursionError: pass""",
}
MEMORY = {
    "one large object": "return len(bytearray(8 << 30))",
    "one large array": "import numpy as np; return float(np.ones(1 << 30).sum())",
    "one large tensor": "import torch; return float(torch.ones(1 << 30).sum())",
    "a list that grows": "held = []\nwhile True: held.append(bytearray(1 << 20))",
    "a list that grows whatever is raised": (
        "held = []\nwhile True:\n    try: held.append(bytearray(1 << 20))\n    except MemoryError: raise"
    ),
    "a text that doubles": "text = 'x'\nwhile True: text += text",
    "a large integer": "return 1 << (1 << 40)",
    "a large format": "return '%999999999999d' % 1",
    "a mapping without file": "import mmap; return len(mmap.mmap(-1, 8 << 30))",
}
ENDS = {
    "a bad pointer": "import ctypes; ctypes.string_at(0)",
    "an abort": "import os; os.abort()",
    "an exit": "import os; os._exit(0)",
    "a stack overflow in C": "import sys; sys.setrecursionlimit(10**9)\ndef g(): return g()\nreturn g()",
    "a deep pickle": (
        "import sys, pickle; sys.setrecursionlimit(10**9)\nx = []\nfor _ in range(10**6): x = [x]\npickle.dumps(x)"
    ),
    "a signal to itself": "import signal, os; os.kill(os.getpid(), signal.SIGSEGV)",
    "the grader's socket closed": "import os; os.close(3)",
    "the grader's socket replaced": "import os; os.dup2(0, 3)",
    "the grader's socket shut down": "import socket; socket.socket(fileno=3).shutdown(socket.SHUT_RDWR)",
    "the grader's socket read empty": "import os; os.read(3, 1 << 20)",
    "all descriptors closed": "import os; os.closerange(0, 1024)",
    "the harness's modules removed": "import sys; sys.modules.clear()",
    "the harness's codec broken": "import sys; sys.modules['msgpack'].packb = sys.modules['msgpack'].Packer = None",
    "the builtins gone": "import builtins; vars(builtins).clear()",
}
LOADING = {
    "a compile bomb": "x = " + "(" * 150 + "1" + ",)" * 150,
    "a nested bomb": "x = " + "-" * 100_000 + "1",
    "a constant bomb": "x = ((((((('x' * 99) * 99) * 99) * 99) * 99) * 99) * 99)",
    "a million lines": "x = 1\n" * 300_000,
    "a loop": "while True: pass",
    "an import loop": "while True:\n    import json, importlib; importlib.reload(json)",
    "a memory bomb": "held = []\nwhile True: held.append(bytearray(1 << 20))",
    "an exit": "import os\nos._exit(0)",
    "a decorator without end": "@(lambda f: [0 for _ in iter(int, 1)])\ndef g(): pass",
    "a class without end": "class C:\n    while True: pass",
    "an import that is never done": "import sys\nclass F:\n    def find_spec(self, *a):\n        while True: pass\n"
    "sys.meta_path.insert(0, F())\nimport wave",
    "an exception hook that never ends": "import sys\nsys.excepthook = lambda *a: [0 for _ in iter(int, 1)]\n1 / 0",
}


@pytest.fixture(scope="module")
def wall():
    with walls.raise_wall(limits=LIMITS) as wall:
        yield wall


def asked(wall, body):
    """The answer to a call of `f`, and that another process is well afterwards."""
    indented = body.replace("\n", "\n    ")
    process = wall.admit([Cell(f"def f():\n    {indented}", "f.py")])
    started = time.monotonic()
    try:
        (answer,) = process.ask([Call("f")])
    finally:
        process.close()
    assert time.monotonic() - started < PATIENCE
    other = wall.admit([Cell("def fine(): return 1", "fine.py")])
    assert other.ask([Call("fine")])[0].value == 1
    other.close()
    return answer


@pytest.mark.parametrize("what", ENDLESS)
def test_what_does_not_end_is_ended(what, wall):
    answer = asked(wall, ENDLESS[what])
    assert answer.kind in (AnswerKind.TIMEOUT, AnswerKind.CRASHED) or answer.error.type == "MemoryError", answer


@pytest.mark.parametrize("what", MEMORY)
def test_memory_has_a_bound(what, wall):
    answer = asked(wall, MEMORY[what])
    if answer.kind is AnswerKind.RAISED:
        assert answer.error.type in ("MemoryError", "OverflowError", "ValueError", "RuntimeError", "OSError"), answer
    else:
        assert answer.kind in (AnswerKind.CRASHED, AnswerKind.TIMEOUT), answer


@pytest.mark.parametrize("what", ENDS)
def test_a_process_that_ends_or_breaks_its_harness_answers_nothing_more(what, wall):
    answer = asked(wall, ENDS[what])
    assert answer.kind in (AnswerKind.CRASHED, AnswerKind.TIMEOUT, AnswerKind.RAISED, AnswerKind.VALUE), answer
    assert answer.value is None


@pytest.mark.parametrize("what", LOADING)
def test_what_is_wrong_at_top_level_costs_no_function(what, wall):
    started = time.monotonic()
    sources = ("def before(): return 1", LOADING[what], "def after(): return 2")
    process = wall.admit([Cell(source, f"cell {i}") for i, source in enumerate(sources, 1)])
    assert [a.value for a in process.ask([Call("before"), Call("after")])] == [1, 2], process.loaded
    assert time.monotonic() - started < PATIENCE
    process.close()


def test_without_limits_memory_has_none():
    held = "held = []\nwhile sum(map(len, held)) < 400 << 20: held.append(bytearray(1 << 20))\nreturn len(held)"
    long = Limits(load_seconds=1.0, call_seconds=5.0, memory_bytes=256 << 20)
    with walls.raise_wall(limits=long) as wall:
        assert asked_for(wall, held).error.type == "MemoryError"
    with walls.raise_wall(frozenset({"limits"}), long) as wall:
        assert asked_for(wall, held).value == 400


def asked_for(wall, body):
    indented = body.replace("\n", "\n    ")
    process = wall.admit([Cell(f"def f():\n    {indented}", "f.py")])
    (answer,) = process.ask([Call("f")])
    process.close()
    return answer


def test_with_a_longer_deadline_a_loop_runs_longer():
    with walls.raise_wall(limits=Limits(call_seconds=2.0)) as wall:
        process = wall.admit([Cell("def f():\n    while True: pass", "f.py")])
        process.ask([Call("f")])
        assert process.cpu_seconds > LIMITS.call_seconds
        process.close()


HOSTILE = {
    "softmax_rows": "def softmax_rows(scores):\n    while True: pass\n",
    "attention_scores": "def attention_scores(Q, K):\n    import os\n    os._exit(0)\n",
    "scale_scores": "def scale_scores(S, d_k):\n    return np.ones(1 << 40)\n",
}


def test_hostile_exercises_cost_their_own_marks_only(wall):
    parts = {**NUMPY_PARTS, **HOSTILE}
    parts["self_attention"] = """
def self_attention(X, W_Q, W_K, W_V):
    S = (X @ W_Q) @ (X @ W_K).T / np.sqrt(W_Q.shape[1])
    A = np.exp(S - S.max(axis=1, keepdims=True))
    A = A / A.sum(axis=1, keepdims=True)
    return A @ (X @ W_V), A
"""
    source = IMPORTS + "".join(parts.values())
    submission = submitted("01_numpy_self_attention", source)
    result = grade(submission, wall, Course("a course"))
    lost = {e.exercise: e.outcome.value for e in result.exercises if e.score < e.max_score}
    assert lost == {"softmax_rows": "timeout", "attention_scores": "crashed", "scale_scores": "error"}
    assert result.score == 100 - 16 - 12 - 10


def test_a_bomb_that_keeps_what_it_took_costs_no_other_exercise(wall):
    parts = dict(NUMPY_PARTS)
    parts["scale_scores"] = """
HELD = []
def scale_scores(S, d_k):
    while True: HELD.append(bytearray(1 << 20))
"""
    parts["self_attention"] = parts["self_attention"].replace("scale_scores(", "(lambda S, d: S / np.sqrt(d))(")
    source = IMPORTS + "".join(parts.values())
    submission = submitted("01_numpy_self_attention", source)
    assert grade(submission, wall, Course("a course")).score == 90


LINGERING = """
def f():
    import os, time
    for _ in range(3):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(3600)
            os._exit(0)
    return 1
"""


def descendants() -> set[int]:
    """The process ids below this one, whatever else runs beside it."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            pid, _, rest = stat.read_text().partition(" (")
            parents[int(pid)] = int(rest.rpartition(") ")[2].split()[1])
    below, found = {os.getpid()}, set()
    while below:
        below = {pid for pid, parent in parents.items() if parent in below}
        found |= below
    return found


def running(pid: int) -> bool:
    """Whether a process is more than an entry that its last parent, the machine's first process, may never take up."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("without", [(), ("seccomp", "limits")], ids=["whole wall", "forks allowed"])
def test_nothing_is_left_running(without):
    before = descendants()
    with walls.raise_wall(frozenset(without), LIMITS) as wall:
        if without and "bwrap" not in wall.layers:
            pytest.skip("without bubblewrap's PID namespace, seccomp alone keeps students from leaving processes")
        for body in (LINGERING, "def f():\n    while True: pass"):
            process = wall.admit([Cell(body, "f.py")])
            process.ask([Call("f")])
            process.close()
        during = descendants() - before
        assert during
    until(lambda: not any(map(running, during)))
    assert not descendants() - before
