"""What looks like an attempt on the grader is told to the instructor; honest work that looks odd raises no flag."""

import textwrap

import pytest

from autograder.boundary.outside.exchange import Call, Limits
from autograder.boundary.outside.wall import raise_wall
from autograder.catalogue.cell import Cell

LIMITS = Limits(load_seconds=2.0, call_seconds=1.0, memory_bytes=512 << 20)

ATTEMPTS = {
    "opens-files-of-others": [
        "open('/proc/self/environ')",
        "open('/proc/1/mem', 'rb')",
        "open('/home/teacher/course/gradebook.csv')",
        "open('/x/autograder/suite/numpy_self_attention/cases.py')",
        "import pathlib; pathlib.Path('/root/.ssh/id_rsa').read_text()",
    ],
    "looks-for-the-grader": ["import autograder", "from autograder.suite.numpy_self_attention import oracle"],
    "searches-memory": [
        "import gc; gc.get_objects()",
        "import gc; gc.get_referrers(3)",
        "import sys; sys._current_frames()",
    ],
    "watches-execution": ["import sys; sys.settrace(lambda *a: None)", "import sys; sys.setprofile(lambda *a: None)"],
    "calls-c-directly": ["import ctypes; ctypes.CDLL(None)"],
    "sends-a-signal": ["import os; os.kill(os.getppid(), 9)", "import os; os.killpg(0, 9)"],
    "replaces-the-process": ["import os; os.execv('/bin/sh', ['sh'])"],
    "replaces-comparisons": [
        "import numpy as np; np.allclose = lambda *a, **k: True",
        "import numpy.testing as t; t.assert_allclose = lambda *a, **k: None",
        "import builtins; builtins.all = lambda x: True",
    ],
    "ends-the-process": ["import os; os._exit(0)"],
    "writes-to-protocol": ["import os; os.write(3, b'x' * 64)"],
}
ATTEMPTS_IN_CALLS = {
    "opens-files-of-others": "return open('/proc/self/maps').read()",
    "searches-memory": "import gc; return len(gc.get_objects())",
    "ends-the-process": "import os; os._exit(0)",
    "writes-to-protocol": "import os; os.write(3, b'x' * 64)",
    "returns-a-disguise": """
import numpy as np
global Same
class Same(np.ndarray):
    __module__ = 'submission'
    def __array_ufunc__(self, *a, **k): return True
return np.ones(3).view(Same), 1""",
}
HONEST = {
    "leaves a breakpoint in": "breakpoint()\nimport pdb; pdb.set_trace()",
    "shadows np": "import numpy as np\nnp = __import__('math')\nnp.sqrt(2)",
    "deletes np": "import numpy as np\ndel np",
    "patches a library": "import numpy as np\nnp.softmax = lambda x: np.exp(x) / np.exp(x).sum()",
    "patches a library's class": "import torch\ntorch.nn.Linear.extra_repr = lambda self: 'mine'",
    "prints a lot": "for i in range(10000): print('line', i)",
    "crashes in an unrelated cell": "1 / 0",
    "asserts and fails": "assert 1 == 2, 'my check'",
    "saves a plot": "import matplotlib.pyplot as plt\nplt.imshow([[1]]); plt.savefig('attention.png')",
    "writes a file": "open('results.txt', 'w').write('x')",
    "saves an array": "import numpy as np\nnp.save('A.npy', np.ones(3))",
    "reads its data": "import numpy as np\nnp.loadtxt('data/embeddings.csv')",
    "downloads data": "import urllib.request\nurllib.request.urlretrieve('http://example.org/x.csv', 'x.csv')",
    "installs a package": "import subprocess, sys\n"
    "subprocess.check_call([sys.executable, '-m', 'pip', 'install', 'einops'])",
    "clears the screen": "import os\nos.system('clear')",
    "changes its folder": "import os\nos.chdir('..'); os.listdir('.')",
    "extends the path": "import sys\nsys.path.append('..')\nimport my_helpers",
    "asks for input": "n = int(input('n? '))",
    "exits at the end": "import sys\nprint('done')\nsys.exit(0)",
    "exits as in a notebook": "exit()",
    "measures time": "import time\nstart = time.perf_counter(); time.sleep(0.01); print(time.process_time())",
    "measures memory": "import gc, tracemalloc\ntracemalloc.start(); gc.collect(); tracemalloc.get_traced_memory()",
    "reads the processor": "open('/proc/cpuinfo').read(); open('/proc/meminfo').read()",
    "asks for the machine": "import platform, os\nprint(platform.platform(), os.cpu_count())",
    "logs": "import logging\nlogging.basicConfig(level='INFO'); logging.warning('x')",
    "filters warnings": "import warnings\nwarnings.filterwarnings('ignore'); warnings.warn('x')",
    "sets seeds": "import random, numpy as np, torch\nrandom.seed(0); np.random.seed(0); torch.manual_seed(0)",
    "sets print options": "import numpy as np\nnp.set_printoptions(precision=3)",
    "sets the environment": "import os\nos.environ['OMP_NUM_THREADS'] = '1'\nos.environ.get('HOME')",
    "names its function": "import sys, inspect\nprint(sys._getframe().f_code.co_name, inspect.currentframe().f_lineno)",
    "prints a traceback": "import traceback\ntry: 1 / 0\nexcept ZeroDivisionError: traceback.print_exc()",
    "reads its own source": "import inspect\ndef f(x): return x\nprint(inspect.getsource(f), inspect.signature(f))",
    "has unit tests": "import unittest\nclass T(unittest.TestCase):\n    def test(self): self.assertEqual(1, 1)\n"
    "unittest.main(argv=['x'], exit=False)",
    "has doctests": "import doctest\ndoctest.testmod()",
    "tests with numpy": "import numpy as np\nnp.testing.assert_allclose(np.ones(3), np.ones(3)); np.allclose(1, 1)",
    "uses pytest": "import pytest\nwith pytest.raises(ValueError): raise ValueError",
    "returns a named tuple": "from typing import NamedTuple\nclass Result(NamedTuple):\n    Output: int\n    A: int\n"
    "def f(): return Result(1, 2)",
    "returns a matrix": "import numpy as np\ndef f(): return np.matrix([[1.0]])",
    "returns a masked array": "import numpy as np\ndef f(): return np.ma.masked_array([1.0], [False])",
    "has a class with __eq__": "class Token:\n    def __eq__(self, other): return True\nTokens = [Token()]",
    "caches": "import functools\n@functools.lru_cache\ndef f(): return 1\nf()",
    "uses threads": "import threading\nt = threading.Thread(target=print); t.start(); t.join()",
    "tries processes": "import multiprocessing as m\nwith m.Pool(2) as pool: pool.map(abs, [1])",
    "registers a hook": "import torch\ntorch.nn.Linear(2, 2).register_forward_hook(lambda *a: None)(torch.ones(1, 2)) "
    "if False else None",
    "works with notebooks": "from IPython.display import display, Markdown\ndisplay(Markdown('x'))\nget_ipython()",
    "is graded by another grader too": "import otter\ngrader = otter.Notebook('x.ipynb')\ngrader.check('q1')",
    "raises the recursion limit": "import sys\nsys.setrecursionlimit(5000)",
    "fills memory by mistake": "import numpy as np\nnp.ones((10**7, 10**7))",
    "loops by mistake": "x = 1\nwhile x > 0: x += 1",
    "pickles": "import pickle\npickle.loads(pickle.dumps([1]))",
    "uses a context variable": "import decimal\ndecimal.getcontext().prec = 3",
}


@pytest.fixture(scope="module", params=[(), ("bwrap",)], ids=["whole wall", "no bwrap"])
def wall(request):
    """With bwrap, paths inside are others than those outside."""
    with raise_wall(frozenset(request.param), LIMITS) as wall:
        yield wall


def flags(wall, source):
    process = wall.admit([Cell(source, "cell 1"), Cell("def fine(): return 1", "cell 2")])
    process.ask([Call("f"), Call("fine")])
    process.close()
    return [attempt.partition(":")[0] for attempt in process.attempts]


@pytest.mark.parametrize(("flag", "source"), [(flag, source) for flag, all_ in ATTEMPTS.items() for source in all_])
def test_an_attempt_while_loading_is_flagged(flag, source, wall):
    assert flag in flags(wall, source)


@pytest.mark.parametrize("flag", ATTEMPTS_IN_CALLS)
def test_an_attempt_in_a_call_is_flagged(flag, wall):
    assert flag in flags(wall, "def f():\n" + textwrap.indent(ATTEMPTS_IN_CALLS[flag], "    "))


@pytest.mark.parametrize("what", HONEST)
def test_honest_work_raises_no_flag(what, wall):
    assert flags(wall, HONEST[what]) == []


def test_there_are_thirty_honest_look_alikes():
    assert len(HONEST) >= 30


def test_what_a_process_tells_of_itself_is_bounded(wall):
    flood = "import sys\nfor i in range(10000):\n    try: open(f'/proc/{i}/mem')\n    except OSError: pass"
    process = wall.admit([Cell(flood, "cell 1")])
    assert len(process.attempts) == 1 and len(process.attempts[0]) < 300
    process.close()
