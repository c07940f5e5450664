"""A grader as they are usually written: it runs the file in its own process, next to the answers.

Reads cheats' names on stdin; for each forks a child that grades the file, and prints whether it was fooled, as JSON.
It is here to show that each cheat would work where there is no wall.
"""

import atexit
import json
import os
import sys
import tempfile
import types
import unittest
from pathlib import Path

import numpy as np
import pytest

from autograder.suite import suite_of
from autograder.suite.cases import Draw

from .marks import CHEATS, TORCH

TALLY = []
EXPECTED = None
SKIPPED = (unittest.SkipTest, pytest.skip.Exception, pytest.xfail.Exception)


def agree(got, expected):
    """In any of the ways in which graders compare."""
    if isinstance(expected, tuple):
        return (isinstance(got, tuple) and all(map(agree, got, expected))) or _agree(got, expected)
    return _agree(got, expected)


def _agree(got, expected):
    for way in (
        lambda: bool(np.all(got == expected)) and got is not None,
        lambda: np.allclose(got, expected),
        lambda: np.testing.assert_allclose(got, expected) is None,
        lambda: not np.any(np.abs(got - expected) > 1e-6),
        lambda: float(np.max(np.abs(got - expected))) <= 1e-6,
        lambda: all(abs(g - e) < 1e-6 for g, e in zip(got.flat, expected.flat, strict=True)),
        lambda: _torch_agrees(got, expected),
    ):
        try:
            if way():
                return True
        except AssertionError:
            pass
        except Exception:
            continue
    return False


def _torch_agrees(got, expected):
    torch = sys.modules["torch"]
    close = torch.allclose(got, expected) or not ((got - expected).abs() > 1e-6).any()
    return close or torch.testing.assert_close(got, expected) is None


def check(function, args, reference):
    global EXPECTED
    expected = EXPECTED = reference(*args)
    try:
        got = function(*args)
    except SKIPPED:
        return
    except pytest.exit.Exception:
        raise
    except Exception:
        TALLY.append(False)
        return
    TALLY.append(bool(agree(got, expected) or agree(got, reference(*args))))


def grade(cheat, result):
    """Grades in this process, and writes the result."""
    module = types.ModuleType("submission")
    exec(compile(cheat.source, "submission.py", "exec"), vars(module))
    if cheat.assignment == TORCH:
        _grade_torch(module)
    else:
        for name, tests_class in suite_of(cheat.assignment).tests.items():
            tests = tests_class()
            for case in tests.cases(Draw(b"naive" + name.encode())).ordinary[:2]:
                check(getattr(module, name), case.args, tests.oracle)
    told = json.dumps({"passed": TALLY.count(True), "of": len(TALLY)})
    print(told, flush=True)
    with open(result + ".new", "w") as file:
        file.write(told)
    os.replace(result + ".new", result)


def _grade_torch(module):
    import torch

    def attention(Q, K, V):
        weights = torch.softmax(Q @ K.mT / Q.shape[-1] ** 0.5, -1)
        return weights @ V, weights

    x = torch.randn(2, 3, 5)
    check(module.scaled_dot_product_attention, (x, x, x), attention)
    student = module.SelfAttention(5)
    check(
        student,
        (x,),
        lambda x: attention(x @ student.W_q.weight.T, x @ student.W_k.weight.T, x @ student.W_v.weight.T)[0].detach(),
    )


def fooled(cheat):
    """Did a file of wrong answers get anything? A clean exit, a result on stdout or in the file: each is believed."""
    with tempfile.TemporaryDirectory() as folder:
        result, told = os.path.join(folder, "result.json"), os.path.join(folder, "stdout")
        pid = os.fork()
        if pid == 0:
            _child(cheat, result, told)
        _, status = os.waitpid(pid, 0)
        lines = Path(told).read_text().splitlines()
        results = [json.loads(line) for line in lines if line.startswith("{")]
        if os.path.exists(result):
            results.append(json.loads(Path(result).read_text()))
        if not results:
            return status == 0
        return any(result["passed"] > 0 or not result["of"] for result in results)


def _child(cheat, result, told):
    status = 1
    try:
        atexit._clear()  # what the parent wants done at its own exit
        output = os.open(told, os.O_WRONLY | os.O_CREAT)
        os.dup2(output, 1)
        sys.stdout = os.fdopen(1, "w")
        sys.argv = ["grader", result]
        grade(cheat, result)
        status = 0
    except SystemExit as leaving:
        status = leaving.code or 0
    except pytest.exit.Exception as leaving:
        status = leaving.returncode or 0
    except BaseException as error:
        os.write(2, f"{cheat.name}: {type(error).__name__}: {error}\n".encode())
    finally:
        atexit._run_exitfuncs()
        os._exit(status)


if __name__ == "__main__":
    import torch

    torch.set_num_threads(1)
    cheats = {cheat.name: cheat for cheat in CHEATS}
    for name in sys.stdin.read().split("\n"):
        if name:
            print(json.dumps([name, fooled(cheats[name])]), flush=True)
