# Generated from reference_solutions/numpy_self_attention.py; do not edit.
"""Visible checks of numpy_self_attention.py. Run `pytest` in this folder or in the folder above.

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
ANSWERS = Path(__file__).with_name("numpy_self_attention.py")
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


def check_matrix_dimensions(matrix_dimensions):
    shapes = matrix_dimensions(n=4, d_model=6, d_k=3, d_v=5)
    wanted = {"X", "W_Q", "W_K", "W_V", "Q", "K", "V", "S", "A", "Output"}
    assert set(shapes) == wanted, (
        f"these keys are missing or too many: {sorted(set(shapes) ^ wanted)}"
    )
    assert tuple(shapes["X"]) == (4, 6), (
        f"X holds 4 tokens of 6 features, and you say {shapes['X']}"
    )
    assert tuple(shapes["W_Q"]) == (6, 3), f"W_Q takes 6 features to 3, and you say {shapes['W_Q']}"
    for left, right, product in (("X", "W_K", "K"), ("X", "W_V", "V"), ("A", "V", "Output")):
        assert shapes[left][1] == shapes[right][0], (
            f"{left} @ {right} can't be multiplied with these shapes"
        )
        fits = tuple(shapes[product]) == (shapes[left][0], shapes[right][1])
        assert fits, f"{left} @ {right} does not have the shape that you give for {product}"


def test_matrix_dimensions():
    __tracebackhide__ = True
    examine("matrix_dimensions", check_matrix_dimensions)


def check_project_query(project_query):
    X = np.array([[1.0, 2.0], [0.0, 1.0]])
    W_Q = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]])
    Q = project_query(X, W_Q)
    assert np.shape(Q) == (2, 3), (
        f"two tokens and d_k = 3 make a (2, 3) array, and you return {np.shape(Q)}"
    )
    assert np.allclose(Q[0], [1, 2, 3]), (
        f"the worked example gives (1, 2, 3), and your first query is {Q[0]}"
    )


def test_project_query():
    __tracebackhide__ = True
    examine("project_query", check_project_query)


def check_project_key(project_key):
    X = np.array([[1.0, 2.0], [0.0, 1.0]])
    W_K = np.array([[2.0, 0.0, 0.0], [1.0, 0.0, 1.0]])
    K = project_key(X, W_K)
    assert np.shape(K) == (2, 3), (
        f"two tokens and d_k = 3 make a (2, 3) array, and you return {np.shape(K)}"
    )
    assert np.allclose(K[0], [4, 0, 2]), (
        f"the worked example gives (4, 0, 2), and your first key is {K[0]}"
    )


def test_project_key():
    __tracebackhide__ = True
    examine("project_key", check_project_key)


def check_project_value(project_value):
    X = np.array([[1.0, 2.0], [0.0, 1.0]])
    W_V = np.array([[3.0], [1.0]])
    V = project_value(X, W_V)
    assert np.shape(V) == (2, 1), (
        f"two tokens and d_v = 1 make a (2, 1) array, and you return {np.shape(V)}"
    )
    assert np.allclose(V, [[5], [1]]), (
        f"the worked example gives 5 for the first token, and yours is {V[0]}"
    )


def test_project_value():
    __tracebackhide__ = True
    examine("project_value", check_project_value)


def check_attention_scores(attention_scores):
    Q = np.array([[1.0, 0.0], [2.0, 1.0]])
    K = np.array([[1.0, 1.0], [0.0, 3.0], [1.0, -1.0]])
    S = attention_scores(Q, K)
    assert np.shape(S) == (2, 3), (
        f"two queries and three keys make a (2, 3) array, and you return {np.shape(S)}"
    )
    assert np.allclose(S[1], [3, 3, 1]), (
        f"the worked example gives (3, 3, 1), and your second row is {S[1]}"
    )
    assert np.allclose(S[0], [1, 0, 1]), (
        f"the query (1, 0) reads the first entry of each key, and your row is {S[0]}"
    )


def test_attention_scores():
    __tracebackhide__ = True
    examine("attention_scores", check_attention_scores)


def check_scale_scores(scale_scores):
    S = np.array([[2.0, -4.0]])
    scaled = scale_scores(S, 16)
    assert np.shape(scaled) == (1, 2), (
        f"scaling changes no shape: (1, 2) came in, and {np.shape(scaled)} came out"
    )
    assert np.allclose(scaled, [[0.5, -1.0]]), (
        f"the worked example gives (0.5, -1), and yours is {scaled[0]}"
    )
    assert np.array_equal(S, [[2.0, -4.0]]), (
        "your function changed the scores that it was given; return new ones"
    )


def test_scale_scores():
    __tracebackhide__ = True
    examine("scale_scores", check_scale_scores)


def check_softmax_rows(softmax_rows):
    scores = np.array([[0.0, np.log(3.0)], [5.0, 5.0], [2.0, 0.0]])
    A = softmax_rows(scores)
    assert np.shape(A) == (3, 2), (
        f"softmax changes no shape: (3, 2) came in, and {np.shape(A)} came out"
    )
    sums = np.sum(A, axis=1)
    assert np.allclose(sums, 1), f"each row must sum to 1, and your rows sum to {sums.round(3)}"
    assert np.allclose(A[0], [0.25, 0.75]), (
        f"the worked example gives (0.25, 0.75), and your first row is {A[0]}"
    )
    assert np.allclose(A[1], [0.5, 0.5]), (
        f"equal scores get equal weights, and your second row is {A[1]}"
    )
    large = softmax_rows(np.array([[1000.0, 1000.0]]))
    assert np.allclose(large, 0.5), (
        f"two scores of 1000 get half the weight each, and yours are {large[0]}"
    )


def test_softmax_rows():
    __tracebackhide__ = True
    examine("softmax_rows", check_softmax_rows)


def check_attention_output(attention_output):
    A = np.array([[1.0, 0.0], [0.25, 0.75]])
    V = np.array([[4.0, 0.0, 8.0], [0.0, 4.0, 8.0]])
    Output = attention_output(A, V)
    assert np.shape(Output) == (2, 3), (
        f"two queries and d_v = 3 make (2, 3), and you return {np.shape(Output)}"
    )
    assert np.allclose(Output[0], V[0]), (
        f"all weight on the first value gives that value, and yours is {Output[0]}"
    )
    assert np.allclose(Output[1], [1, 3, 8]), (
        f"the worked example gives (1, 3, 8), and your row is {Output[1]}"
    )


def test_attention_output():
    __tracebackhide__ = True
    examine("attention_output", check_attention_output)


def check_self_attention(self_attention):
    X = np.eye(2)
    W_Q, W_K = np.zeros((2, 4)), np.zeros((2, 4))
    W_Q[0, 0], W_K[0, 0] = 2 * np.log(3.0), 1.0
    result = self_attention(X, W_Q, W_K, np.array([[4.0], [8.0]]))
    assert len(result) == 2, f"return a pair (Output, A); yours has {len(result)} parts"
    Output, A = result
    assert np.shape(Output) == (2, 1), (
        f"two tokens and d_v = 1 make an Output (2, 1), and yours is {np.shape(Output)}"
    )
    assert np.shape(A) == (2, 2), f"two tokens make an A (2, 2), and yours is {np.shape(A)}"
    assert np.allclose(np.sum(A, axis=1), 1), (
        f"each row of A must sum to 1, and yours sum to {np.sum(A, axis=1)}"
    )
    assert np.allclose(A[0], [0.75, 0.25]), (
        f"the worked example gives (3/4, 1/4), and your first row is {A[0]}"
    )
    assert np.allclose(Output, [[5], [6]]), (
        f"the worked example gives 5 and 6, and yours are {np.ravel(Output)}"
    )


def test_self_attention():
    __tracebackhide__ = True
    examine("self_attention", check_self_attention)
