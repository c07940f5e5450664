# Generated from reference_solutions/torch_self_attention.py; do not edit.
"""Visible checks of torch_self_attention.py. Run `pytest` in this folder or in the folder above.

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


NEEDS = {"torch": [2, 0]}
PROBLEMS = environment_problems(NEEDS)
ANSWERS = Path(__file__).with_name("torch_self_attention.py")
UNFINISHED = []  # exercises that are not implemented, in the order of the assignment

if not PROBLEMS:
    import math

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


def check_scaled_dot_product_attention(scaled_dot_product_attention):
    Q = torch.tensor([[2 * math.log(3.0), 0.0, 0.0, 0.0]])
    K, V = torch.eye(4)[:2], torch.tensor([[4.0], [8.0]])
    result = scaled_dot_product_attention(Q, K, V)
    assert len(result) == 2, f"return a pair (output, weights); yours has {len(result)} parts"
    output, weights = result
    assert tuple(weights.shape) == (1, 2), (
        f"one query and two keys make weights (1, 2), not {tuple(weights.shape)}"
    )
    assert torch.allclose(weights.sum(-1), torch.ones(1)), (
        f"a row of weights must sum to 1, yours to {weights.sum()}"
    )
    assert torch.allclose(weights, torch.tensor([[0.75, 0.25]])), (
        f"the worked example gives (3/4, 1/4), not {weights}"
    )
    assert torch.allclose(output, torch.tensor([[5.0]])), (
        f"the worked example gives 5, and your output is {output}"
    )
    stacked, _ = scaled_dot_product_attention(
        Q.expand(3, 2, 1, 4), K.expand(3, 2, 2, 4), V.expand(3, 2, 2, 1)
    )
    assert tuple(stacked.shape) == (3, 2, 1, 1), (
        f"leading dimensions (3, 2) must stay, and you return {stacked.shape}"
    )


def test_scaled_dot_product_attention():
    __tracebackhide__ = True
    examine("scaled_dot_product_attention", check_scaled_dot_product_attention)


def check_SelfAttention(SelfAttention):
    module = SelfAttention(1)
    names = {name: tuple(parameter.shape) for name, parameter in module.named_parameters()}
    assert set(names) == {"W_q.weight", "W_k.weight", "W_v.weight"}, (
        f"W_q, W_k, W_v without bias, not {sorted(names)}"
    )
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.fill_(1.0)
    out = module(torch.tensor([[[0.0], [math.log(3.0)]]]))
    assert tuple(out.shape) == (1, 2, 1), (
        f"(batch, n, d_model) = (1, 2, 1) makes (1, 2, 1), not {tuple(out.shape)}"
    )
    first = out[0, 0, 0].item()
    assert math.isclose(first, math.log(3.0) / 2, rel_tol=1e-5), (
        f"the worked example gives 0.549, not {first:.3f}"
    )
    narrow = SelfAttention(6, d_k=4)
    out = narrow(torch.randn(2, 5, 6))
    assert tuple(out.shape) == (2, 5, 4), (
        f"d_model = 6 and d_k = 4 make (2, 5, 4), not {tuple(out.shape)}"
    )
    out.sum().backward()
    untouched = [name for name, parameter in narrow.named_parameters() if parameter.grad is None]
    assert not untouched, f"no gradient reaches {', '.join(untouched)}, so it would never learn"


def test_SelfAttention():
    __tracebackhide__ = True
    examine("SelfAttention", check_SelfAttention)


def check_parameter_count(parameter_count):
    count = parameter_count(2, 5)
    assert count != 10, "10 is the count of one projection, and the module has three"
    assert count == 30, f"three projections with 10 entries each have 30, and you count {count}"
    assert parameter_count(4) == parameter_count(4, 4), "without d_k the module uses d_model for it"


def test_parameter_count():
    __tracebackhide__ = True
    examine("parameter_count", check_parameter_count)
