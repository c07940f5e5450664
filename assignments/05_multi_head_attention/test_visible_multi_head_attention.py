# Generated from reference_solutions/multi_head_attention.py; do not edit.
"""Visible checks of multi_head_attention.py. Run `pytest` in this folder or in the folder above.

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
ANSWERS = Path(__file__).with_name("multi_head_attention.py")
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


def check_split_heads(split_heads):
    x = torch.arange(8.0).reshape(1, 2, 4)
    heads = split_heads(x, 2)
    assert tuple(heads.shape) == (1, 2, 2, 2), (
        f"(1, 2, 4) in two heads makes (1, 2, 2, 2), not {tuple(heads.shape)}"
    )
    first = heads[0, 0].tolist()
    assert first == [[0, 1], [4, 5]], (
        f"head 0 holds (0, 1) and (4, 5), the first features of each token, not {first}"
    )
    wide = split_heads(torch.zeros(2, 5, 6), 3)
    assert tuple(wide.shape) == (2, 3, 5, 2), (
        f"(2, 5, 6) in three heads makes (2, 3, 5, 2), not {tuple(wide.shape)}"
    )


def test_split_heads():
    __tracebackhide__ = True
    examine("split_heads", check_split_heads)


def check_merge_heads(merge_heads):
    heads = torch.tensor([[[[0.0, 1], [4, 5]], [[2, 3], [6, 7]]]])
    x = merge_heads(heads)
    assert tuple(x.shape) == (1, 2, 4), (
        f"two heads of two features make (1, 2, 4), not {tuple(x.shape)}"
    )
    first = x[0, 0].tolist()
    assert first == [0, 1, 2, 3], f"the first token is (0, 1, 2, 3) again, not {first}"
    x = merge_heads(torch.zeros(2, 3, 5, 2))
    assert tuple(x.shape) == (2, 5, 6), (
        f"three heads of two features make (2, 5, 6), not {tuple(x.shape)}"
    )


def test_merge_heads():
    __tracebackhide__ = True
    examine("merge_heads", check_merge_heads)


def check_MultiHeadSelfAttention(MultiHeadSelfAttention):
    module = MultiHeadSelfAttention(2, 2)
    names = {name for name, _ in module.named_parameters()}
    wanted = {"W_q.weight", "W_k.weight", "W_v.weight", "W_o.weight"}
    assert names == wanted, f"W_q, W_k, W_v, W_o without bias, not {sorted(names)}"
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.eye(2))
    out = module(torch.tensor([[[0.0, 0.0], [math.log(3.0), 0.0]]]))
    assert tuple(out.shape) == (1, 2, 2), (
        f"the output has the input's shape (1, 2, 2), not {tuple(out.shape)}"
    )
    first = out[0, 0]
    close = torch.allclose(first, torch.tensor([math.log(3.0) / 2, 0.0]), atol=1e-5)
    assert close, f"the worked example gives (0.549, 0), not {first.tolist()}"
    try:
        MultiHeadSelfAttention(6, 4)
    except ValueError:
        return
    raise AssertionError("4 heads do not divide 6 features: that must raise a ValueError")


def test_MultiHeadSelfAttention():
    __tracebackhide__ = True
    examine("MultiHeadSelfAttention", check_MultiHeadSelfAttention)


def check_EncoderBlock(EncoderBlock):
    block = EncoderBlock(2, 1, 3)
    parts = {name for name, _ in block.named_children()}
    wanted = {"attention", "norm1", "norm2", "feed_forward"}
    assert parts == wanted, (
        f"the parts are attention, norm1, norm2 and feed_forward, not {sorted(parts)}"
    )
    with torch.no_grad():
        for parameter in [*block.attention.parameters(), *block.feed_forward.parameters()]:
            parameter.zero_()
    out = block(torch.tensor([[[1.0, 3.0]]]))
    assert tuple(out.shape) == (1, 1, 2), (
        f"the output has the input's shape (1, 1, 2), not {tuple(out.shape)}"
    )
    close = torch.allclose(out, torch.tensor([[[-1.0, 1.0]]]), atol=1e-3)
    assert close, f"the worked example gives (-1, 1), not {out.flatten().tolist()}"


def test_EncoderBlock():
    __tracebackhide__ = True
    examine("EncoderBlock", check_EncoderBlock)
