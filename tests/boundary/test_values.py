"""Which values cross the wall, and as what."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from autograder.boundary.outside.exchange import (
    AnswerKind,
    Call,
    Callback,
    Limits,
    RunModule,
    Tensor,
    TorchFunction,
    TorchModule,
)
from autograder.boundary.outside.wall import raise_wall
from autograder.catalogue.cell import Cell

from ..waiting import PATIENCE

IDENTITY = "def identity(x): return x"
DTYPES = ["?", "<i1", "<i2", "<i4", "<i8", "<u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8", "<c8", "<c16"]


def value_of(process, name, *args, **kwargs):
    (answer,) = process.ask([Call(name, args, kwargs)])
    assert answer.kind is AnswerKind.VALUE, answer
    return answer.value


@pytest.fixture(scope="module")
def identity(wall):
    process = wall.admit([Cell(IDENTITY, "identity.py")])
    yield process
    process.close()


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        False,
        0,
        -3,
        1 << 62,
        2.5,
        float("inf"),
        1 + 2j,
        "text",
        "ünïcödé\0",
        b"\x00\xff",
        [],
        [1, [2.0, "x"]],
        {"a": 1, 2: [3]},
        {},
        np.float32(1.5),
        np.int64(3),
        np.bool_(True),
        np.complex64(1j),
    ],
)
def test_a_plain_value_comes_back_as_it_went(identity, value):
    found = value_of(identity, "identity", value)
    assert found == value and type(found) is type(value)


def test_a_tuple_arrives_as_a_tuple_and_comes_back_as_a_list(admit):
    process = admit("def f(x): return type(x).__name__, x")
    assert value_of(process, "f", (1, (2, 3))) == ["tuple", [1, [2, 3]]]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    array=st.sampled_from(DTYPES).flatmap(
        lambda dtype: npst.arrays(dtype, npst.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4))
    )
)
def test_an_array_comes_back_bit_by_bit(identity, array):
    found = value_of(identity, "identity", array)
    assert (found.dtype, found.shape, found.tobytes()) == (array.dtype, array.shape, array.tobytes())


LAYOUTS = {
    "Fortran order": np.asfortranarray(np.arange(12.0).reshape(3, 4)),
    "every other column": np.arange(24.0).reshape(3, 8)[:, ::2],
    "reversed rows": np.arange(12.0).reshape(3, 4)[::-1],
    "reversed in both": np.arange(12.0).reshape(3, 4)[::-1, ::-1],
    "transposed, reversed, strided": np.arange(48.0).reshape(6, 8)[::-2, ::3].T,
    "broadcast": np.broadcast_to(np.arange(4.0), (3, 4)),
    "a row of a matrix": np.arange(12.0).reshape(3, 4)[1],
    "a column of a matrix": np.arange(12.0).reshape(3, 4)[:, 1],
    "none": np.empty((0, 3))[::-1],
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_an_array_arrives_in_the_layout_it_has(admit, layout):
    array = LAYOUTS[layout]
    process = admit("def look(x): return x.strides, x, x.flags.writeable")
    strides, found, writable = value_of(process, "look", array)
    assert array.size == 0 or tuple(strides) == array.strides
    np.testing.assert_array_equal(found, array)
    assert writable


def test_what_lies_between_the_entries_of_a_strided_array_does_not_cross(admit):
    base = np.full((4, 4), 1234.5)
    base[:, ::2] = 7
    process = admit("""
        import ctypes
        def neighbours(x):
            return list((ctypes.c_double * (x.size * 2 - 1)).from_address(x.ctypes.data))
    """)
    assert 1234.5 not in value_of(process, "neighbours", base[:, ::2])


def test_a_read_only_array_arrives_writable_and_changes_stay_there(admit):
    array = np.arange(3.0)
    array.flags.writeable = False
    process = admit("def change(x): x[0] = 99")
    (after,) = process.ask([Call("change", (array,), arguments_after=True)])
    np.testing.assert_array_equal(after.value[0], [99, 1, 2])
    np.testing.assert_array_equal(array, [0, 1, 2])


def test_each_call_gets_inputs_of_its_own(admit):
    process = admit("def change(x):\n    x += 1\n    return x")
    request = Call("change", (np.zeros(2),))
    for answer in process.ask([request, request, request]):
        np.testing.assert_array_equal(answer.value, [1, 1])


@pytest.mark.parametrize("dtype", ["f4", "f8", "i8", "?"])
def test_tensors_cross_as_tensors(admit, dtype):
    process = admit("import torch\ndef f(x): return x.mT, isinstance(x, torch.Tensor), str(x.dtype)")
    array = np.arange(6).reshape(2, 3).astype(dtype)
    found, is_tensor, name = value_of(process, "f", Tensor(array))
    assert is_tensor and isinstance(found, Tensor)
    np.testing.assert_array_equal(found.array, array.T)
    assert found.dtype == array.dtype and name.startswith("torch.")


def test_a_strided_tensor_arrives_strided(admit):
    process = admit("import torch\ndef f(x): return x.stride(), x")
    strides, found = value_of(process, "f", Tensor(np.asfortranarray(np.arange(6.0).reshape(2, 3))))
    assert strides == [1, 2]
    np.testing.assert_array_equal(found.array, np.arange(6.0).reshape(2, 3))


LIARS = """
import numpy as np, torch, enum
from collections import namedtuple, OrderedDict

class LyingArray(np.ndarray):
    shape = property(lambda self: (99,))
    def __array__(self, *args, **kwargs): raise SystemExit
    def __array_ufunc__(self, *args, **kwargs): return True
    def __eq__(self, other): return True
    def tobytes(self): return b"lie"
def lying_array(): return np.arange(3.0).view(LyingArray)

class LyingFloat(float):
    def __float__(self): return 99.0
    def __eq__(self, other): return True
def lying_float(): return LyingFloat(1.5)

class LyingInt(int):
    def __index__(self): return 99
    def __int__(self): return 99
def lying_int(): return LyingInt(3)

class LyingText(str):
    def __str__(self): return "lie"
    def encode(self, *args): return b"lie"
def lying_text(): return LyingText("true")

class LyingList(list):
    def __iter__(self): return iter([99])
    def __len__(self): return 1
    def __getitem__(self, i): return 99
def lying_list(): return LyingList([1, 2])

class LyingDict(dict):
    def items(self): return [("lie", 99)]
    def __iter__(self): return iter(["lie"])
def lying_dict(): return LyingDict(a=1)

class LyingTensor(torch.Tensor):
    @classmethod
    def __torch_function__(cls, *args, **kwargs): return torch.tensor(99.0)
def lying_tensor(): return torch.arange(3.0).as_subclass(LyingTensor)

def masked(): return np.ma.masked_array([1.0, 2.0], [True, False])
def matrix(): return np.matrix([[1.0, 2.0]])
def enumerated(): return enum.IntEnum("E", "A B").B
def named(): return namedtuple("P", "x y")(1, 2)
def ordered(): return OrderedDict(b=1, a=2)
def parameter(): return torch.nn.Parameter(torch.ones(2))
def views(): return {"a": 1}.keys(), {"a": 1}.values(), range(3)
def a_set(): return {3, 1, 2}
def big_endian(): return np.arange(3, dtype=">f8")
def numpy_keys(): return {np.int64(1): "one"}
"""
PLAIN = {
    "lying_array": np.arange(3.0),
    "lying_float": 1.5,
    "lying_int": 3,
    "lying_text": "true",
    "lying_list": [1, 2],
    "lying_dict": {"a": 1},
    "lying_tensor": np.arange(3, dtype="f4"),
    "masked": np.array([1.0, 2.0]),
    "matrix": np.array([[1.0, 2.0]]),
    "enumerated": 2,
    "named": [1, 2],
    "ordered": {"b": 1, "a": 2},
    "parameter": np.ones(2, dtype="f4"),
    "views": [["a"], [1], [0, 1, 2]],
    "a_set": [1, 2, 3],
    "big_endian": np.arange(3.0),
    "numpy_keys": {1: "one"},
}


@pytest.fixture(scope="module")
def liars(wall):
    process = wall.admit([Cell(LIARS, "liars.py")])
    yield process
    process.close()


@pytest.mark.parametrize("name", PLAIN)
def test_subclasses_come_back_as_their_base_type_whatever_they_say(liars, name):
    found = value_of(liars, name)
    found = found.array if isinstance(found, Tensor) else found
    if isinstance(PLAIN[name], np.ndarray):
        assert type(found) is np.ndarray and found.dtype == PLAIN[name].dtype
        np.testing.assert_array_equal(found, PLAIN[name])
    else:
        assert found == PLAIN[name] and type(found) is type(PLAIN[name])


UNREADABLE = {
    "an object array": "np.array([object()], dtype=object)",
    "an array of texts": "np.array(['a'])",
    "a structured array": "np.zeros(2, dtype=[('a', 'f8')])",
    "a date": "np.datetime64('2020-01-01')",
    "an object": "object()",
    "a function": "f",
    "a generator": "(i for i in [1])",
    "a module": "np",
    "a huge integer": "1 << 100",
    "a bfloat16 tensor": "torch.ones(2, dtype=torch.bfloat16)",
    "a meta tensor": "torch.ones(2, device='meta')",
    "a list that holds itself": "itself",
    "a deep list": "deep",
    "a long list": "[0] * 300_000",
    "a long text": "'x' * (2 << 20)",
    "a large array": "np.zeros((70 << 20) // 8)",
    "a dict with tuples as keys": "{(1, 2): 3}",
    "a text that UTF-8 can't hold": "{'a': chr(0xd800)}",
    "a stand-in": "plt.figure()",
}


def test_numbers_wider_than_double_precision_are_read_as_doubles(admit):
    process = admit("import numpy as np\ndef f():\n    return np.longdouble(1) / 3, np.full(2, 1, np.longdouble) / 3")
    (answer,) = process.ask([Call("f")])
    assert answer.kind is AnswerKind.VALUE
    assert [np.asarray(part).dtype for part in answer.value] == [np.float64, np.float64]


@pytest.mark.parametrize("what", UNREADABLE)
def test_what_cannot_be_read_is_told_so_in_a_sentence(admit, what):
    process = admit(f"""
        import numpy as np, torch
        import matplotlib.pyplot as plt
        itself = []
        itself.append(itself)
        deep = []
        for _ in range(100): deep = [deep]
        def f(): return {UNREADABLE[what]}
    """)
    (answer,) = process.ask([Call("f")])
    assert answer.kind is AnswerKind.RAISED and answer.error.type == "ResultNotReadable", answer
    assert "read" in answer.error.message
    assert process.alive


EVIL_ERRORS = {
    "its text raises": "class E(Exception):\n    def __str__(self): raise SystemExit\nraise E",
    "its text is huge": "raise ValueError('x' * (200 << 20))",
    "its text is no text": "class E(Exception):\n    def __str__(self): return 3\nraise E",
    "its text is a liar": (
        "class T(str):\n    def encode(self, *a): raise SystemExit\n"
        "class E(Exception):\n    def __str__(self): return T('x')\nraise E"
    ),
    "its text is half a character": "raise ValueError(chr(0xd800))",
    "its type's name raises": (
        "class M(type):\n    __name__ = property(lambda self: 1 / 0)\nclass E(Exception, metaclass=M): pass\nraise E"
    ),
    "it is no Exception": "class E(BaseException): pass\nraise E",
    "it leaves": "import sys\nsys.exit(0)",
    "it interrupts": "raise KeyboardInterrupt",
    "it recurses": "f()",
    "it ends a generator": "raise StopIteration",
    "it is deep": "e = None\nfor _ in range(10000):\n    n = ValueError(); n.__cause__ = e; e = n\nraise e",
}


@pytest.mark.parametrize("what", EVIL_ERRORS)
def test_whatever_is_raised_is_an_answer_of_bounded_size(admit, what):
    body = EVIL_ERRORS[what].replace("\n", "\n    ")
    process = admit(f"def f():\n    {body}\ndef fine(): return 1")
    first, second = process.ask([Call("f"), Call("fine")])
    assert first.kind is AnswerKind.RAISED and len(first.error.type) <= 80 and len(first.error.message) <= 200
    assert second.value == 1


def test_what_is_printed_is_cut_and_told_by_call(admit):
    process = admit("import sys\ndef f(n):\n    print('x' * n)\n    print('err', file=sys.stderr)")
    short, long, none = process.ask([Call("f", (3,)), Call("f", (10_000_000,)), Call("f", (0,))])
    assert short.printed == "xxx\nerr\n" and none.printed == "\nerr\n"
    assert len(long.printed) == 4096


def test_settings_of_one_call_do_not_reach_the_next(admit):
    process = admit("""
        import random, numpy as np, torch
        def draw(): return random.random(), np.random.rand(), torch.rand(1).item()
        def disturb():
            np.seterr(all="raise"); np.set_printoptions(precision=1)
            torch.set_grad_enabled(False); torch.set_default_dtype(torch.float64)
        def state():
            np.float64(1) / np.float64(0)
            return str(np.array([1.23456])), torch.is_grad_enabled(), str(torch.get_default_dtype())
    """)
    first, _, second, state = process.ask([Call("draw"), Call("disturb"), Call("draw"), Call("state")])
    assert first.value == second.value
    assert state.value == ["[1.23456]", True, "torch.float32"]


@pytest.mark.parametrize(
    "imported, drawn",
    [
        ("import random", "random.random()"),
        ("import numpy as np  # and not np.random.default_rng", "float(np.random.rand())"),
        ("from numpy.random import normal", "float(normal())"),
        ("from random import *", "gauss(0, 1)"),
        ("import numpy as np; rng = np.random.default_rng(0)", "float(np.random.normal())"),
        ("import torch", "torch.randn(1).item()"),
        ("import torch", "torch.nn.Linear(1, 1).weight.item()"),
    ],
)
def test_whatever_draws_from_shared_generators_draws_the_same_in_each_call(admit, imported, drawn):
    process = admit(f"{imported}\ndef draw(): return {drawn}")
    first, second = process.ask([Call("draw")] * 2)
    assert first.kind is AnswerKind.VALUE and first.value == second.value


def test_a_generator_of_the_students_own_is_left_as_it_is(admit):
    process = admit("""
        import numpy as np
        # random numbers of its own
        rng = np.random.default_rng(0)
        def draw(): return float(rng.normal())
    """)
    first, second = process.ask([Call("draw")] * 2)
    assert first.value != second.value


def test_a_callback_is_refused_in_the_words_that_its_giver_chose(admit):
    def picky(x):
        raise KeyError("a secret of the grader")

    process = admit("def f(g):\n    try: g(1)\n    except ValueError as error: return str(error)")
    assert value_of(process, "f", Callback(picky, "takes matrices only")) == "takes matrices only"


def test_a_callback_gets_plain_data_whatever_is_passed(admit):
    seen = []
    process = admit("""
        import numpy as np
        class Liar(np.ndarray):
            shape = (99,)
        def f(g):
            g(np.arange(3.0).view(Liar))
            try: g(object())
            except BaseException as error: return type(error).__name__
    """)
    value_of(process, "f", Callback(seen.append))
    assert [type(x) for x in seen] == [np.ndarray] and seen[0].shape == (3,)


def test_a_callback_kept_for_later_is_dead(admit):
    process = admit("kept = []\ndef keep(g): kept.append(g)\ndef use(): return kept[0](1)")
    _, answer = process.ask([Call("keep", (Callback(lambda x: x),)), Call("use")])
    assert answer.error.type == "RuntimeError" and process.alive


def test_callbacks_are_bounded_in_number():
    source = "def f(g):\n    for i in range(10**9):\n        try: g(i)\n        except ValueError: return i"
    with raise_wall(limits=Limits(callbacks=20, call_seconds=PATIENCE)) as wall:
        process = wall.admit([Cell(source, "calls.py")])
        assert value_of(process, "f", Callback(lambda x: x)) == 20


def test_calling_on_after_being_refused_ends_the_process(admit):
    process = admit("def f(g):\n    while True:\n        try: g(1)\n        except ValueError: pass")
    (answer,) = process.ask([Call("f", (Callback(lambda x: x),))])
    assert answer.kind in (AnswerKind.CRASHED, AnswerKind.TIMEOUT)


def test_the_graders_own_time_in_a_callback_is_not_the_students(admit):
    import time

    process = admit("def f(g): return g(1)")
    slow = Callback(lambda x: time.sleep(1.6) or x)
    assert value_of(process, "f", slow) == 1


def test_a_callback_takes_the_place_of_a_function_and_its_calls_are_counted(admit):
    process = admit("def wrong(x): return -x\ndef uses(x): return wrong(x) + 1\ndef doesnt(x): return x")
    process.put("wrong", Callback(lambda x: 10 * x))
    assert value_of(process, "uses", 2) == 21 and process.put_calls("wrong") == 1
    assert value_of(process, "doesnt", 2) == 2 and process.put_calls("wrong") == 1


def test_a_torch_function_takes_the_place_of_a_function_and_gradients_flow(admit):
    process = admit("""
        import torch
        def attend(Q, K): return Q
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.W = torch.nn.Linear(2, 2, bias=False)
            def forward(self, x): return attend(self.W(x), x)[1]
    """)
    steps = (("S", "torch.matmul", ("$Q", "$K"), {}), ("A", "torch.softmax", ("$S",), {"dim": -1}))
    process.put("attend", TorchFunction(("Q", "K"), steps, ("S", "A")))
    x, W = np.array([[1.0, 2.0], [3.0, 5.0]]), np.eye(2)
    (answer,) = process.ask([RunModule("Net", weights={"W.weight": W}, inputs=(Tensor(x),), upstream=x)])
    S = x @ x
    np.testing.assert_allclose(
        answer.value.output.array,
        np.exp(S - S.max(1, keepdims=True)) / np.exp(S - S.max(1, keepdims=True)).sum(1, keepdims=True),
    )
    assert np.abs(answer.value.gradients["W.weight"]).sum() > 0
    assert process.put_calls("attend") == 1


def test_a_torch_module_takes_the_place_of_a_class(admit):
    process = admit("""
        import torch
        class Inner(torch.nn.Module): pass
        class Outer(torch.nn.Module):
            def __init__(self, d):
                super().__init__()
                self.inner = Inner(d)
            def forward(self, x): return self.inner(x)
        def count(d): return sum(p.numel() for p in Inner(d).parameters())
    """)
    forward = TorchFunction(
        ("x",),
        (
            ("q", "torch.nn.functional.linear", ("$x", "$self.W_q.weight"), {}),
            ("y", "torch.mul", ("$q", "$self.scale"), {}),
        ),
        ("y",),
    )
    process.put(
        "Inner",
        TorchModule(
            ("d", "d_k", "scale"),
            {"d_k": "$d", "scale": 2.0},
            (("W_q", "torch.nn.Linear", ("$d", "$d_k"), {"bias": False}),),
            forward,
        ),
    )
    (answer,) = process.ask(
        [RunModule("Outer", (3,), weights={"inner.W_q.weight": np.eye(3)}, inputs=(Tensor(np.ones((2, 3))),))]
    )
    np.testing.assert_allclose(answer.value.output.array, 2 * np.ones((2, 3)))
    assert process.put_calls("Inner") == 2  # built, and run
    assert value_of(process, "count", 4) == 16
