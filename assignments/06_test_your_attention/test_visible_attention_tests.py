# Generated from reference_solutions/attention_tests.py; do not edit.
"""Visible checks of attention_tests.py. Run `pytest` in this folder or in the folder above.

They are the worked examples; the marks come from more tests than these.
"""

import importlib
import importlib.util
import platform
import sys
from functools import cache, wraps
from pathlib import Path

import pytest


def environment_problems(needs):
    """Say what this Python lacks, a sentence each. `needs` maps a package to its lowest (major, minor)."""
    problems = []
    if sys.version_info[:2] < (3, 10):
        problems.append(f"This is Python {platform.python_version()}; install 3.10 or later from python.org.")
    for package, lowest in needs.items():
        problems += package_problems(package, tuple(lowest))
    if any("torch" in problem for problem in problems) and intel_mac():
        problems.append("On a Mac with an Intel chip PyTorch ends at 2.2: take Python 3.12 or earlier, "
                        'and install "torch<2.3" "numpy<2".')
    return problems


def package_problems(package, lowest):
    python = f'& "{sys.executable}"' if sys.platform == "win32" else f'"{sys.executable}"'
    install = f"in a notebook cell run `%pip install -U {package}`, " \
              f"in a terminal `{python} -m pip install -U {package}`"
    try:
        module = importlib.import_module(package)
        version = tuple(int(part) for part in module.__version__.split(".")[:2])
    except ModuleNotFoundError as error:
        missing = f"{package} is missing" if error.name == package else f"{package} needs {error.name}"
        return [f"{missing}: {install}."]
    except AttributeError:
        place = getattr(module, "__file__", None) or f"a folder named {package}"
        return [f"Something of yours hides {package}: {place}. Give it another name, and restart Python."]
    except (ImportError, OSError) as error:
        windows = " PyTorch also needs the Microsoft Visual C++ Redistributable (x64)."
        return [f"{package} does not start ({str(error)[:150]}). Install it again: {install}."
                + (windows if sys.platform == "win32" else "")]
    wanted = ".".join(map(str, lowest))
    return [] if version >= lowest else [f"{package} {module.__version__} is older than {wanted}: {install}."]


def intel_mac():
    return sys.platform == "darwin" and platform.machine() == "x86_64"


def versions(needs):
    """Name this Python and its packages in one line."""
    found = [f"{package} {importlib.import_module(package).__version__}" for package in needs]
    return ", ".join([f"Python {platform.python_version()}", *found])


NEEDS = {"numpy": [1, 22]}
PROBLEMS = environment_problems(NEEDS)
ANSWERS = Path(__file__).with_name("attention_tests.py")
UNFINISHED = []  # exercises that are not implemented, in the order of the assignment

if not PROBLEMS:
    import numpy as np


def test_environment():
    if PROBLEMS:
        raise failure("\n".join(PROBLEMS))


def failure(sentence):
    """A failed test that shows one sentence and no traceback."""
    return pytest.fail.Exception(sentence, pytrace=False)


@cache
def answers():
    """Your file, as a module."""
    spec = importlib.util.spec_from_file_location(ANSWERS.stem, ANSWERS)
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        raise failure(f"{ANSWERS.name} is not Python: line {error.lineno}: {error.msg}") from None
    except FileNotFoundError:
        raise failure(f"{ANSWERS.name} is missing beside this file; take it from the release") from None
    return module


def examine(exercise, check):
    """Run a check on your answer. What it says is shown without a traceback, your own errors with your lines."""
    __tracebackhide__ = True
    if PROBLEMS:
        pytest.skip("the environment is not ready: test_environment says what is missing")
    answer = getattr(answers(), exercise, None)
    if answer is None:
        raise failure(f"{ANSWERS.name} has no {exercise}; take its stub from the release")
    try:
        check(returning(answer))
    except NotImplementedError as error:
        UNFINISHED.append(exercise)
        next_step = f". Next: write it in {ANSWERS.name}" if exercise == UNFINISHED[0] else ""
        raise failure(f"{error}{next_step}") from None
    except Exception as error:
        if raised_in(error) != __file__:
            raise error.with_traceback(your_lines(error.__traceback__)) from None
        message, _, _ = str(error).partition("\nassert ")
        if not isinstance(error, AssertionError):
            message = f"the check can't read what you return ({type(error).__name__}: {message})"
        raise failure(f"{exercise}: {message}") from None


def returning(answer):
    """Your answer, which says so where it returns nothing. Classes, and tests that you write, may."""
    if isinstance(answer, type) or answer.__name__.startswith("test_"):
        return answer

    @wraps(answer)
    def asked(*arguments, **named):
        __tracebackhide__ = True
        if (result := answer(*arguments, **named)) is None:
            raise failure(f"{answer.__name__} returns nothing (None); does it end with `return`?")
        return result

    return asked


def your_lines(traceback):
    """A traceback from the first line that is not in this file."""
    while traceback.tb_next and traceback.tb_frame.f_code.co_filename == __file__:
        traceback = traceback.tb_next
    return traceback


def raised_in(error):
    """The file whose line raised `error`."""
    traceback = error.__traceback__
    while traceback.tb_next:
        traceback = traceback.tb_next
    return traceback.tb_frame.f_code.co_filename


def by_hand(X, W_Q, W_K, W_V):
    """Self-attention, number by number: slow and right."""
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    A = np.zeros((len(Q), len(K)))
    for i, query in enumerate(Q):
        for j, key in enumerate(K):
            A[i, j] = np.exp(sum(query * key) / len(key) ** 0.5)
        A[i] /= sum(A[i])
    Output = [sum(weight * value for weight, value in zip(row, V, strict=True)) for row in A]
    return np.array(Output), A


def transposed(X, W_Q, W_K, W_V):
    Output, A = by_hand(X, W_Q, W_K, W_V)
    return Output.T, A


def sums_to_two(X, W_Q, W_K, W_V):
    Output, A = by_hand(X, W_Q, W_K, W_V)
    return Output, 2 * A


def scaled_by_d_k(X, W_Q, W_K, W_V):
    return by_hand(X, W_Q / W_Q.shape[1] ** 0.5, W_K, W_V)


def louder_at_the_end(X, W_Q, W_K, W_V):
    return by_hand(X * np.linspace(0.5, 1.5, len(X))[:, None], W_Q, W_K, W_V)


def raises(test, attend):
    """Does `test` raise for `attend`? A test that isn't implemented yet says so."""
    try:
        test(attend)
    except NotImplementedError:
        raise
    except Exception:
        return True
    return False


def check_test_shapes(test_shapes):
    assert not raises(test_shapes, by_hand), "your test rejects the right implementation by_hand"
    assert raises(test_shapes, transposed), (
        "your test lets `transposed` pass, whose Output is (d_v, n)"
    )


def test_test_shapes():
    __tracebackhide__ = True
    examine("test_shapes", check_test_shapes)


def check_test_rows_sum_to_one(test_rows_sum_to_one):
    assert not raises(test_rows_sum_to_one, by_hand), (
        "your test rejects the right implementation by_hand"
    )
    assert raises(test_rows_sum_to_one, sums_to_two), (
        "your test lets `sums_to_two` pass, whose rows sum to 2"
    )


def test_test_rows_sum_to_one():
    __tracebackhide__ = True
    examine("test_rows_sum_to_one", check_test_rows_sum_to_one)


def check_test_scaling(test_scaling):
    assert not raises(test_scaling, by_hand), "your test rejects the right implementation by_hand"
    assert raises(test_scaling, scaled_by_d_k), (
        "your test lets `scaled_by_d_k` pass, which divides by d_k, not its root"
    )


def test_test_scaling():
    __tracebackhide__ = True
    examine("test_scaling", check_test_scaling)


def check_test_permutation_equivariance(test_permutation_equivariance):
    assert not raises(test_permutation_equivariance, by_hand), (
        "your test rejects the right implementation by_hand"
    )
    caught = raises(test_permutation_equivariance, louder_at_the_end)
    assert caught, "your test lets `louder_at_the_end` pass, which turns later tokens up"


def test_test_permutation_equivariance():
    __tracebackhide__ = True
    examine("test_permutation_equivariance", check_test_permutation_equivariance)
