# Generated from reference_solutions/attention_properties.py; do not edit.
"""Visible checks of attention_properties.py. Run `pytest` in this folder or in the folder above.

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
ANSWERS = Path(__file__).with_name("attention_properties.py")
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


def check_is_attention_matrix(is_attention_matrix):
    assert is_attention_matrix(np.array([[0.9, 0.1], [0.4, 0.6]])), (
        "the worked example's first matrix can be one"
    )
    cases = {
        "its columns sum to 1, its rows don't": [[0.9, 0.4], [0.1, 0.6]],
        "it has a negative entry": [[1.5, -0.5], [0.5, 0.5]],
        "it is not square": [[0.5, 0.5]],
        "it is not finite": [[np.nan, 1.0], [0.5, 0.5]],
    }
    for reason, A in cases.items():
        assert not is_attention_matrix(np.array(A)), f"{A} is no attention matrix: {reason}"


def test_is_attention_matrix():
    __tracebackhide__ = True
    examine("is_attention_matrix", check_is_attention_matrix)


def check_strongest_source(strongest_source):
    A = np.array([[0.2, 0.5, 0.3], [0.4, 0.2, 0.4], [0.1, 0.0, 0.9]])
    assert strongest_source(A, 0) == 1, (
        f"row (0.2, 0.5, 0.3) borrows most from 1, and you say {strongest_source(A, 0)}"
    )
    assert strongest_source(A, 1) == 0, (
        f"on a tie the lowest counts, and you say {strongest_source(A, 1)}"
    )


def test_strongest_source():
    __tracebackhide__ = True
    examine("strongest_source", check_strongest_source)


def check_permute_tokens(permute_tokens):
    X = np.array([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]])
    shuffled = permute_tokens(X, np.array([2, 0, 1]))
    assert np.shape(shuffled) == (3, 2), (
        f"shuffling keeps the shape (3, 2), and you return {np.shape(shuffled)}"
    )
    assert np.array_equal(shuffled, X[[2, 0, 1]]), (
        f"tokens a, b, c must become c, a, b, and yours are {shuffled[:, 0]}"
    )
    assert np.array_equal(X[:, 0], [1, 2, 3]), (
        "your function changed the array that it was given; return a new one"
    )


def test_permute_tokens():
    __tracebackhide__ = True
    examine("permute_tokens", check_permute_tokens)


def check_is_permutation_equivariant(is_permutation_equivariant):
    X, order = np.array([[1.0, 5.0], [2.0, 3.0], [4.0, 7.0]]), np.array([2, 0, 1])
    assert is_permutation_equivariant(lambda tokens: 2 * tokens, X, order), (
        "doubling each token is equivariant"
    )
    center = is_permutation_equivariant(lambda tokens: tokens - tokens.mean(axis=0), X, order)
    assert center, (
        "taking the mean of all tokens away is equivariant: the mean does not depend on the order"
    )
    running = is_permutation_equivariant(lambda tokens: np.cumsum(tokens, axis=0), X, order)
    assert not running, "adding up the tokens so far is not equivariant: that is the worked example"
    pooled = is_permutation_equivariant(lambda tokens: tokens[::-1], X, order)
    assert not pooled, (
        "turning the sequence around is not equivariant: it moves tokens by their place"
    )


def test_is_permutation_equivariant():
    __tracebackhide__ = True
    examine("is_permutation_equivariant", check_is_permutation_equivariant)


def check_positional_encoding(positional_encoding):
    PE = positional_encoding(2, 4)
    assert np.shape(PE) == (2, 4), (
        f"two positions and d_model = 4 make (2, 4), and you return {np.shape(PE)}"
    )
    assert np.allclose(PE[0], [0, 1, 0, 1]), f"position 0 is (0, 1, 0, 1), and yours is {PE[0]}"
    wanted = [np.sin(1), np.cos(1), np.sin(0.01), np.cos(0.01)]
    assert np.allclose(PE[1], wanted), (
        f"the worked example gives {np.round(wanted, 3)}, and yours is {PE[1]}"
    )
    assert np.shape(positional_encoding(3, 5)) == (3, 5), "an odd d_model must work too"


def test_positional_encoding():
    __tracebackhide__ = True
    examine("positional_encoding", check_positional_encoding)


def check_self_attention_with_positions(self_attention_with_positions):
    X = np.array([[3.0, 4.0]])
    result = self_attention_with_positions(X, np.ones((2, 3)), np.ones((2, 3)), np.eye(2))
    assert len(result) == 2, f"return a pair (Output, A); yours has {len(result)} parts"
    Output, A = result
    assert np.shape(A) == (1, 1), f"one token makes an A (1, 1), and yours is {np.shape(A)}"
    assert np.allclose(Output, [[3, 5]]), f"the worked example gives (3, 5), and yours is {Output}"
    assert np.array_equal(X, [[3, 4]]), (
        "your function changed the tokens that it was given; make a new array"
    )


def test_self_attention_with_positions():
    __tracebackhide__ = True
    examine("self_attention_with_positions", check_self_attention_with_positions)


def check_row_entropy(row_entropy):
    entropies = row_entropy(np.array([[0.5, 0.5], [1.0, 0.0]]))
    assert np.shape(entropies) == (2,), (
        f"two rows have two entropies, and you return the shape {np.shape(entropies)}"
    )
    assert np.isfinite(entropies).all(), (
        f"a weight of 0 adds nothing, and your entropies are {entropies}"
    )
    assert np.allclose(entropies, [np.log(2), 0]), (
        f"the worked example gives ln 2 and 0, and yours are {entropies}"
    )


def test_row_entropy():
    __tracebackhide__ = True
    examine("row_entropy", check_row_entropy)


def check_attention_cost(attention_cost):
    cost = attention_cost(3, 2, 5)
    wanted = {"score_multiplications", "weight_entries", "output_multiplications"}
    assert set(cost) == wanted, f"these keys are missing or too many: {sorted(set(cost) ^ wanted)}"
    scores = cost["score_multiplications"]
    assert scores == 18, (
        f"9 pairs times 2 multiplications make 18 for the scores, and you count {scores}"
    )
    doubled = attention_cost(6, 2, 5)
    for name in wanted:
        assert doubled[name] == 4 * cost[name], f"twice the tokens make four times the {name}"


def test_attention_cost():
    __tracebackhide__ = True
    examine("attention_cost", check_attention_cost)
