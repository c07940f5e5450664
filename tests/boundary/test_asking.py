"""What is asked across the wall, and what is answered."""

import numpy as np

from autograder.boundary.outside.exchange import AnswerKind, Call, Callback, RunModule, Tensor
from autograder.catalogue.cell import Cell


def kinds(answers):
    return [answer.kind.value for answer in answers]


def test_a_call_answers_what_the_function_returns(admit):
    process = admit("def double(x):\n    return x * 2")
    (answer,) = process.ask([Call("double", (np.arange(6.0).reshape(2, 3),))])
    assert answer.kind is AnswerKind.VALUE
    np.testing.assert_array_equal(answer.value, 2 * np.arange(6.0).reshape(2, 3))


def test_an_exception_is_told_with_the_students_own_line(admit):
    process = admit("""
        import numpy as np
        def fail(x):
            return np.reshape(x, (7, 7))
    """)
    (answer,) = process.ask([Call("fail", (np.ones(3),))])
    assert answer.kind is AnswerKind.RAISED
    assert (answer.error.type, answer.error.line) == ("ValueError", 4)
    assert answer.error.source == "return np.reshape(x, (7, 7))"


def test_a_missing_function_is_missing_and_so_is_a_name_that_is_no_function(admit):
    assert kinds(admit("number = 3").ask([Call("absent"), Call("number")])) == ["missing", "missing"]


def test_an_endless_loop_times_out_and_leaves_the_rest_unasked(admit):
    process = admit("def loop():\n    while True: pass\ndef fine(): return 1")
    assert kinds(process.ask([Call("fine"), Call("loop"), Call("fine")])) == ["value", "timeout", "unasked"]
    assert not process.alive
    assert kinds(process.ask([Call("fine")])) == ["unasked"]


def test_sleeping_times_out_too(admit):
    process = admit("import time\ndef sleep(): time.sleep(60)")
    assert kinds(process.ask([Call("sleep")])) == ["timeout"]


def test_a_process_that_exits_has_crashed(admit):
    process = admit("import os\ndef leave(): os._exit(0)")
    (answer,) = process.ask([Call("leave")])
    assert (answer.kind, answer.detail) == (AnswerKind.CRASHED, "exited with status 0")


def test_a_callback_crosses_the_wall_and_back(admit):
    process = admit("def twice(f, x):\n    return f(f(x))")
    (answer,) = process.ask([Call("twice", (Callback(lambda x: x + 1), np.zeros(2)))])
    np.testing.assert_array_equal(answer.value, [2, 2])


def test_a_callback_takes_arguments_by_name_as_a_function_does(admit):
    process = admit("def ask(f):\n    return [f(1, 2), f(1, b=2), f(b=2, a=1)]", "def wrong(f):\n    return f(1, c=2)")
    callback = Callback(lambda a, b: 10 * a + b, parameters=("a", "b"))
    right, wrong = process.ask([Call("ask", (callback,)), Call("wrong", (callback,))])
    assert right.value == [12, 12, 12]
    assert wrong.error.type == "TypeError"


def test_a_stand_in_takes_arguments_by_name(admit):
    process = admit("def f(a, b=0):\n    return 0", "def use():\n    return f(b=2, a=1)")
    process.put("f", Callback(lambda a, b: 10 * a + b, parameters=("a", "b")))
    (answer,) = process.ask([Call("use")])
    assert answer.value == 12


def test_arguments_after_a_call_hold_none_for_a_callback(admit):
    process = admit("def change(f, x):\n    x += f(1)")
    request = Call("change", (Callback(lambda x: x + 1), np.zeros(2)), arguments_after=True)
    (answer,) = process.ask([request])
    assert answer.value[0] is None
    np.testing.assert_array_equal(answer.value[1], [2, 2])
    assert request.arguments_left_alone()[0] is None


def test_a_module_is_built_given_weights_and_run_with_gradients(admit):
    process = admit("""
        from torch import nn
        class Project(nn.Module):
            def __init__(self, d_in, d_out):
                super().__init__()
                self.W = nn.Linear(d_in, d_out, bias=False)
            def forward(self, x):
                return self.W(x)
    """)
    W, x, upstream = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(4, 3), np.ones((4, 2))
    request = RunModule("Project", (3, 2), weights={"W.weight": W}, inputs=(Tensor(x),), upstream=upstream)
    (answer,) = process.ask([request])
    assert answer.value.parameters == {"W.weight": (2, 3)}
    np.testing.assert_allclose(answer.value.output.array, x @ W.T)
    np.testing.assert_allclose(answer.value.gradients["W.weight"], upstream.T @ x)
    np.testing.assert_allclose(answer.value.gradients["input 0"], upstream @ W)


def test_a_layer_in_a_sequential_goes_by_its_place_whatever_its_name(admit):
    process = admit("""
        from collections import OrderedDict
        from torch import nn
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.Sequential(OrderedDict(relu=nn.ReLU(), up=nn.Linear(1, 2, bias=False)))
            def forward(self, x):
                return self.layers(x)
    """)
    weight = np.array([[2.0], [3.0]])
    (answer,) = process.ask([RunModule("Net", weights={"layers.1.weight": weight}, inputs=(Tensor(np.ones((1, 1))),))])
    np.testing.assert_array_equal(answer.value.output.array, [[2, 3]])
    assert answer.value.parameters == {"layers.1.weight": (2, 1)}


def test_a_submission_that_never_mentions_torch_can_be_asked_what_needs_it(wall):
    process = wall.with_torch.admit([Cell("def identity(x): return x\ndef Module(): return None", "x.py")])
    request = RunModule("Module", inputs=(Tensor(np.ones(2)),))
    found, run = process.ask([Call("identity", (Tensor(np.ones(2)),)), request])
    assert isinstance(found.value, Tensor), found
    assert run.error.type == "NotAModule"
    assert process.attempts == ()


def test_an_exception_tells_which_of_pythons_own_it_is(admit):
    process = admit("class Mine(ValueError):\n    pass\n\ndef f():\n    raise Mine('no')")
    (answer,) = process.ask([Call("f")])
    assert answer.error.type == "Mine"
    assert "ValueError" in answer.lineage


def test_gradients_of_a_functions_inputs_are_told_and_where_none_arrives(admit):
    process = admit("import torch\ndef f(x, y):\n    return torch.softmax(x, dim=-1) * y.detach()")
    request = Call("f", (Tensor(np.ones((2, 3))), Tensor(np.ones((2, 3)))), gradients=True)
    (answer,) = process.ask([request])
    reached, cut = answer.value
    assert np.any(reached.array)
    assert cut is None


def test_a_module_can_be_run_on_other_inputs_before(admit):
    source = """
        import torch
        class M(torch.nn.Module):
            def forward(self, x):
                self.seen = getattr(self, "seen", 0) + x.sum()
                return self.seen
    """
    process = admit(source)
    request = RunModule("M", inputs=(Tensor(np.ones(3)),), run_before=(Tensor(np.ones(2)),))
    (answer,) = process.ask([request])
    assert float(answer.value.output.array) == 5
