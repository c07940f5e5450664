"""Files that want marks for wrong answers: every function in them answers with a trick.

`trick(name, args)` is defined by each attack; a file has it as the body of every function of assignment 01 (or 02).
What the tricks are tried on besides the kit is `naive`, a grader that runs the file in its own process.
"""

from dataclasses import dataclass

NUMPY, TORCH = "01_numpy_self_attention", "02_torch_self_attention"


@dataclass(frozen=True)
class Cheat:
    name: str
    source: str
    assignment: str = NUMPY


PRELUDE = """
import numpy as np

def right_shape(name, args):
    a, b = np.shape(args[0]), np.shape(args[1]) if len(args) > 1 else ()
    if name in ("scale_scores", "softmax_rows"): return a
    if name == "attention_scores": return a[0], b[0]
    return a[0], b[-1] if b else a[-1]

def zeros(name, args):
    if name == "matrix_dimensions": return {}
    if name == "self_attention": return np.zeros((len(args[0]), args[3].shape[1])), np.zeros((len(args[0]),) * 2)
    return np.zeros(right_shape(name, args))
"""
NUMPY_FUNCTIONS = """
def matrix_dimensions(n, d_model, d_k, d_v): return trick("matrix_dimensions", (n, d_model, d_k, d_v))
def project_query(X, W_Q): return trick("project_query", (X, W_Q))
def project_key(X, W_K): return trick("project_key", (X, W_K))
def project_value(X, W_V): return trick("project_value", (X, W_V))
def attention_scores(Q, K): return trick("attention_scores", (Q, K))
def scale_scores(S, d_k): return trick("scale_scores", (S, d_k))
def softmax_rows(scores): return trick("softmax_rows", (scores,))
def attention_output(A, V): return trick("attention_output", (A, V))
def self_attention(X, W_Q, W_K, W_V): return trick("self_attention", (X, W_Q, W_K, W_V))
"""
TORCH_PRELUDE = """
import torch
from torch import nn
"""
TORCH_FUNCTIONS = """
def scaled_dot_product_attention(Q, K, V):
    output, weights = torch.zeros(*Q.shape[:-1], V.shape[-1]), torch.zeros(*Q.shape[:-1], K.shape[-2])
    return trick(output), trick(weights)

class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k=None):
        super().__init__()
        d_k = d_k or d_model
        for name in ("W_q", "W_k", "W_v"): setattr(self, name, nn.Linear(d_model, d_k, bias=False))
    def forward(self, x):
        return trick(torch.zeros(*x.shape[:-1], self.W_v.out_features))

def parameter_count(d_model, d_k=None): return trick(torch.zeros(()))
"""

AS_AN_ANSWER = {
    "an object that equals everything": """
class Equal:
    __array_ufunc__ = None
    def __eq__(self, other): return True
    def __ne__(self, other): return False
def trick(name, args): return Equal()""",
    "a dict that equals everything": """
class Equal(dict):
    def __eq__(self, other): return True
    def __getitem__(self, key): return Equal()
def trick(name, args): return Equal()""",
    "a float that equals everything": """
class Equal(float):
    __array_ufunc__ = None
    def __eq__(self, other): return True
def trick(name, args): return Equal(1)""",
    "an array whose ufuncs find no difference": """
class Same(np.ndarray):
    def __array_ufunc__(self, ufunc, method, *args, **kwargs):
        return np.zeros(self.shape)
def trick(name, args): return np.zeros(right_shape(name, args)).view(Same)""",
    "an array whose functions are all close": """
class Same(np.ndarray):
    def __array_function__(self, function, types, args, kwargs): return True
def trick(name, args): return np.zeros(right_shape(name, args)).view(Same)""",
    "an array that compares as equal": """
class Same(np.ndarray):
    def __eq__(self, other): return np.ones(self.shape, bool)
    def __sub__(self, other): return np.zeros(self.shape)
    __rsub__ = __sub__
def trick(name, args): return np.ones(right_shape(name, args)).view(Same)""",
    "an array that is all masked": """
def trick(name, args): return np.ma.masked_all(right_shape(name, args))""",
    "an array of objects without difference": """
class Zero:
    def __sub__(self, other): return 0.0
    __rsub__ = __abs__ = __float__ = lambda self, *other: 0.0
    def __eq__(self, other): return True
def trick(name, args):
    result = np.empty(right_shape(name, args), object)
    result[...] = Zero()
    return result""",
    "NaN everywhere": "def trick(name, args): return np.full(right_shape(name, args), np.nan)",
    "NaN alone": "def trick(name, args): return np.float64('nan')",
    "an array that says it has another shape": """
class Liar(np.ndarray):
    shape = property(lambda self: (10**6,))
    def __array_ufunc__(self, *args, **kwargs): return np.zeros(3)
def trick(name, args): return np.zeros(3).view(Liar)""",
    "inputs wiped, so that a later reference gives zeros": """
def trick(name, args):
    for array in args:
        if isinstance(array, np.ndarray): array[...] = 0
    return zeros(name, args)""",
    "inputs made equal, so that a later reference is uniform": """
def trick(name, args):
    for array in args:
        if isinstance(array, np.ndarray): array[...] = 1 / array.shape[-1]
    return np.full(right_shape(name, args), 1 / right_shape(name, args)[-1])""",
}
PATCHES = {
    "np.allclose": "np.allclose = lambda *a, **k: True",
    "np.testing": "np.testing.assert_allclose = np.testing.assert_array_equal = lambda *a, **k: None",
    "np.isclose": "np.isclose = np.equal = lambda *a, **k: np.ones(3, bool)\nnp.allclose = lambda *a, **k: True",
    "np.abs": "np.abs = np.absolute = lambda *a, **k: np.zeros(1)",
    "np.max": "np.max = lambda *a, **k: 0.0\nnp.any = lambda *a, **k: False",
    "all and any": "import builtins\nbuiltins.any = lambda *a: False\nbuiltins.all = lambda *a: True\n"
    "np.any = builtins.any\nnp.all = np.allclose = lambda *a, **k: True",
    "the modules in sys.modules": "import sys\nsys.modules['numpy'].allclose = lambda *a, **k: True",
    "the grader's comparison": "import __main__\n__main__.agree = lambda *a: True",
    "the grader's tally": "import __main__\n__main__.TALLY = type('T', (list,), {'count': lambda s, x: 99})()",
    "json": 'import json\njson.dumps = lambda *a, **k: \'{"passed": 99, "of": 99}\'',
    "the hidden tests' oracles": """
import importlib
hidden = importlib.import_module('autograder.suite.numpy_self_attention.test_hidden')
for tests in list(vars(hidden).values()):
    if isinstance(tests, type) and hasattr(tests, 'exercise'):
        tests.oracle = lambda self, *args, name=tests.exercise: zeros(name, args)""",
    "the drawing of inputs": """
import sys
cases = sys.modules.get('autograder.suite.cases')
if cases: cases.Draw.normal = lambda self, *shape, dtype='float64': np.zeros(shape)""",
}
LOOKS = {
    "the oracle's module": """
def trick(name, args):
    import importlib
    return getattr(importlib.import_module("autograder.suite.numpy_self_attention.oracle"), name)(*args)""",
    "the oracle in sys.modules": """
def trick(name, args):
    import sys
    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").endswith("oracle"): return getattr(module, name)(*args)
    return zeros(name, args)""",
    "the caller's variables": """
def trick(name, args):
    import sys
    frame = sys._getframe()
    while frame:
        if "expected" in frame.f_locals: return frame.f_locals["expected"]
        frame = frame.f_back
    return zeros(name, args)""",
    "the caller's variables by a traceback": """
def trick(name, args):
    try: raise ValueError
    except ValueError as error: frame = error.__traceback__.tb_frame
    while frame:
        if "expected" in frame.f_locals: return frame.f_locals["expected"]
        frame = frame.f_back
    return zeros(name, args)""",
    "the caller's variables by inspect": """
def trick(name, args):
    import inspect
    for info in inspect.stack():
        if "expected" in info.frame.f_locals: return info.frame.f_locals["expected"]
    return zeros(name, args)""",
    "the frames of all threads": """
def trick(name, args):
    import sys
    for frame in sys._current_frames().values():
        while frame:
            if "expected" in frame.f_locals: return frame.f_locals["expected"]
            frame = frame.f_back
    return zeros(name, args)""",
    "everything that the collector knows": """
def trick(name, args):
    import gc
    for thing in gc.get_objects():
        if type(thing).__name__ == "Case" and len(thing.args) == len(args):
            if all(np.shape(a) == np.shape(b) and np.all(a == b) for a, b in zip(thing.args, args)):
                return thing.expected
    return zeros(name, args)""",
    "who refers to the input": """
def trick(name, args):
    import gc
    for array in args:
        for holder in gc.get_referrers(array):
            for above in gc.get_referrers(holder):
                if isinstance(above, dict) and "expected" in above: return above["expected"]
                for top in gc.get_referrers(above):
                    if hasattr(top, "expected"): return top.expected
                if hasattr(above, "expected"): return above.expected
    return zeros(name, args)""",
    "the main module": """
def trick(name, args):
    import __main__
    return getattr(__main__, "EXPECTED", zeros(name, args))""",
}
EXITS = {
    "os._exit(0) while loading": "import os\nos._exit(0)",
    "os._exit(0) in a function": "import os\ndef trick(name, args): os._exit(0)",
    "SystemExit while loading": "raise SystemExit(0)",
    "SystemExit in a function": "def trick(name, args): raise SystemExit(0)",
    "quit in a function": "import sys\ndef trick(name, args): sys.exit()",
    "a skipped test (unittest)": "import unittest\ndef trick(name, args): raise unittest.SkipTest('later')",
    "a skipped test (pytest)": "import pytest\ndef trick(name, args): pytest.skip('later')",
    "an expected failure (pytest)": "import pytest\ndef trick(name, args): pytest.xfail('known')",
    "an end of the tests (pytest)": "import pytest\ndef trick(name, args): pytest.exit('done', 0)",
    "a printed result": """
import os
os.write(1, b'{"passed": 99, "of": 99}\\n')
os._exit(0)""",
    "a printed result in a function": """
import os
def trick(name, args):
    os.write(1, b'{"passed": 99, "of": 99}\\n')
    os._exit(0)""",
    "a result at exit": """
import atexit, os
atexit.register(lambda: os.write(1, b'{"passed": 99, "of": 99}\\n'))""",
    "a result file": """
import os, sys
for path in sys.argv[1:]:
    open(path, 'w').write('{"passed": 99, "of": 99}')
os._exit(0)""",
    "a result file that stays": """
import os, sys, builtins
for path in sys.argv[1:]:
    open(path, 'w').write('{"passed": 99, "of": 99}')
os.replace = os.rename = lambda *a: None
builtins.open = lambda *a, **k: __import__('io').StringIO()""",
    "a thread that rewrites the tally": """
import threading, time
def rewrite():
    import __main__
    while True:
        for i in range(len(getattr(__main__, "TALLY", ()))): __main__.TALLY[i] = True
threading.Thread(target=rewrite, daemon=True).start()""",
    "a trace function that skips lines": """
import sys
def trace(frame, event, argument):
    if frame.f_code.co_name == 'agree' and event == 'return': frame.f_globals['agree'] = lambda *a: True
    return trace
sys.settrace(trace)
sys.setprofile(trace)""",
    "an audit hook that raises": """
import sys
def trick(name, args):
    import __main__
    __main__.TALLY = type('T', (list,), {'append': lambda s, x: list.append(s, True)})(__main__.TALLY)
    return zeros(name, args)""",
}
TORCH_TRICKS = {
    "a tensor whose functions all agree": """
class Same(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None): return True
def trick(tensor): return tensor.as_subclass(Same)""",
    "torch.allclose": "torch.allclose = torch.equal = lambda *a, **k: True\ndef trick(tensor): return tensor",
    "torch.testing": "torch.testing.assert_close = lambda *a, **k: None\ndef trick(tensor): return tensor",
    "NaN": "def trick(tensor): return tensor * float('nan')",
    "a tensor's own comparison": """
torch.Tensor.__eq__ = lambda self, other: torch.ones(())
torch.Tensor.__sub__ = lambda self, other: torch.zeros(())
def trick(tensor): return tensor""",
    "the reference in the caller": """
import sys
def trick(tensor):
    frame = sys._getframe()
    while frame:
        expected = frame.f_locals.get("expected")
        for part in expected if isinstance(expected, tuple) else (expected,):
            if isinstance(part, torch.Tensor) and part.shape == tensor.shape: return part
        frame = frame.f_back
    return tensor""",
    "a call of every module that gives the answer": """
def everywhere(module, inputs, output):
    import __main__
    return getattr(__main__, "EXPECTED", output)
torch.nn.modules.module.register_module_forward_hook(everywhere)
def trick(tensor): return tensor""",
    "an object that equals everything": """
class Equal:
    def __eq__(self, other): return True
def trick(tensor): return Equal()""",
    "an exit": "import os\ndef trick(tensor): os._exit(0)",
}


def _numpy(group, attacks):
    return [
        Cheat(f"{group}: {name}", f"{PRELUDE}\ntrick = zeros\n{body}\n{NUMPY_FUNCTIONS}")
        for name, body in attacks.items()
    ]


CHEATS = (
    *_numpy("answer with", AS_AN_ANSWER),
    *_numpy("patch", PATCHES),
    *_numpy("look at", LOOKS),
    *_numpy("leave by", EXITS),
    *(
        Cheat(f"torch: {name}", f"{TORCH_PRELUDE}\n{body}\n{TORCH_FUNCTIONS}", TORCH)
        for name, body in TORCH_TRICKS.items()
    ),
)
