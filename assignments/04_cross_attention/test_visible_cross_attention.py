# Generated from reference_solutions/cross_attention.py; do not edit.
"""Visible checks of cross_attention.py. Run `pytest` in this folder or in the folder above.

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


NEEDS = {"numpy": [1, 22], "torch": [2, 0]}
PROBLEMS = environment_problems(NEEDS)
ANSWERS = Path(__file__).with_name("cross_attention.py")
UNFINISHED = []  # exercises that are not implemented, in the order of the assignment

if not PROBLEMS:
    import math

    import numpy as np
    import torch
    from torch import nn


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


def check_attention_kind(attention_kind):
    kind = attention_kind("encoder", "encoder", "encoder")
    assert kind == "self", f"one sequence for all three is 'self', and you say {kind!r}"
    kind = attention_kind("decoder", "encoder", "encoder")
    assert kind == "cross", (
        f"queries from the decoder, keys and values from the encoder are 'cross', not {kind!r}"
    )
    try:
        attention_kind("decoder", "encoder", "decoder")
    except ValueError:
        return
    raise AssertionError("keys and values from different sequences must raise a ValueError")


def test_attention_kind():
    __tracebackhide__ = True
    examine("attention_kind", check_attention_kind)


def check_cross_attention(cross_attention):
    X_target, X_source = np.array([[np.log(3.0)]]), np.array([[1.0], [0.0]])
    W_Q, W_K = np.array([[2.0, 0, 0, 0]]), np.array([[1.0, 0, 0, 0]])
    Output, A = cross_attention(X_target, X_source, W_Q, W_K, np.array([[8.0]]))
    assert np.shape(A) == (1, 2), (
        f"one target and two source tokens make an A (1, 2), and yours is {np.shape(A)}"
    )
    assert np.allclose(np.sum(A, axis=1), 1), (
        f"each target token's row must sum to 1, yours to {np.sum(A, axis=1)}"
    )
    assert np.allclose(A, [[0.75, 0.25]]), f"the worked example gives (3/4, 1/4), and yours is {A}"
    assert np.allclose(Output, [[6]]), f"the worked example gives 6, and yours is {Output}"


def test_cross_attention():
    __tracebackhide__ = True
    examine("cross_attention", check_cross_attention)


def check_causal_mask(causal_mask):
    mask = causal_mask(3)
    assert np.shape(mask) == (3, 3), (
        f"three tokens make a (3, 3) mask, and you return {np.shape(mask)}"
    )
    assert np.asarray(mask).dtype == bool, (
        f"a mask holds truths (bool), and yours holds {np.asarray(mask).dtype}"
    )
    assert list(mask[0]) == [True, False, False], (
        f"token 0 sees itself only, and your row is {mask[0]}"
    )
    assert list(mask[1]) == [True, True, False], (
        f"token 1 sees tokens 0 and 1, and your row is {mask[1]}"
    )


def test_causal_mask():
    __tracebackhide__ = True
    examine("causal_mask", check_causal_mask)


def check_local_mask(local_mask):
    mask = local_mask(4, 1)
    assert np.shape(mask) == (4, 4), (
        f"four tokens make a (4, 4) mask, and you return {np.shape(mask)}"
    )
    assert list(mask[0]) == [True, True, False, False], (
        f"token 0 sees 0 and 1, and your row is {mask[0]}"
    )
    assert np.array_equal(local_mask(3, 0), np.eye(3, dtype=bool)), (
        "with window 0 each token sees itself only"
    )


def test_local_mask():
    __tracebackhide__ = True
    examine("local_mask", check_local_mask)


def check_masked_attention(masked_attention):
    Q, K = np.array([[1.0], [1.0]]), np.array([[0.0], [np.log(3.0)], [7.0]])
    V = np.array([[4.0], [8.0], [1e6]])
    mask = np.array([[True, True, False], [False, False, False]])
    Output, A = masked_attention(Q, K, V, mask)
    assert np.shape(A) == (2, 3), (
        f"two queries and three keys make an A (2, 3), and yours is {np.shape(A)}"
    )
    assert np.allclose(A[0], [0.25, 0.75, 0]), (
        f"the worked example gives (1/4, 3/4, 0), and your row is {A[0]}"
    )
    assert np.allclose(Output[0], [7]), f"1/4 of 4 and 3/4 of 8 make 7, and yours is {Output[0]}"
    assert np.allclose(A[1], 0), (
        f"a query without allowed keys gets zero weights, and yours are {A[1]}"
    )
    assert np.allclose(Output[1], 0), (
        f"a query without allowed keys gets a zero output, and yours is {Output[1]}"
    )


def test_masked_attention():
    __tracebackhide__ = True
    examine("masked_attention", check_masked_attention)


def check_CrossAttention(CrossAttention):
    module = CrossAttention(1)
    names = {name for name, _ in module.named_parameters()}
    assert names == {"W_q.weight", "W_k.weight", "W_v.weight"}, (
        f"W_q, W_k, W_v without bias, not {sorted(names)}"
    )
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.fill_(1.0)
    out = module(torch.tensor([[[math.log(3.0)]]]), torch.tensor([[[1.0], [0.0]]]))
    assert tuple(out.shape) == (1, 1, 1), (
        f"one target token makes an output (1, 1, 1), not {tuple(out.shape)}"
    )
    assert math.isclose(out.item(), 0.75, rel_tol=1e-5), (
        f"the worked example gives 0.75, not {out.item():.3f}"
    )
    out = CrossAttention(6, d_k=4)(torch.randn(2, 3, 6), torch.randn(2, 5, 6))
    assert tuple(out.shape) == (2, 3, 4), (
        f"3 target tokens and d_k = 4 make (2, 3, 4), not {tuple(out.shape)}"
    )


def test_CrossAttention():
    __tracebackhide__ = True
    examine("CrossAttention", check_CrossAttention)
