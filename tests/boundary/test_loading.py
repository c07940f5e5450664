"""How a submission is let in: statement by statement, with stand-ins for what is not there."""

import linecache
import sys

import numpy as np
import pytest

from autograder.boundary.inside import loading
from autograder.boundary.outside.exchange import AnswerKind, Call


def answers(process, *calls):
    return [answer.value for answer in process.ask([Call(*call) for call in calls])]


def test_a_statement_that_fails_is_told_and_the_rest_goes_on(admit):
    process = admit("x = undefined\ndef fine(): return 1", "1 / 0")
    assert [(p.cell, p.line, p.error.type) for p in process.loaded.problems] == [
        ("cell 1", 1, "NameError"),
        ("cell 2", 1, "ZeroDivisionError"),
    ]
    assert answers(process, ("fine",)) == [1]


def test_a_cell_that_does_not_parse_is_lost_alone(admit):
    process = admit("def one(): return 1", "def two(: return 2", "def three(): return 3")
    (problem,) = process.loaded.problems
    assert (problem.cell, problem.line, problem.is_syntax_error) == ("cell 2", 1, True)
    assert answers(process, ("one",), ("three",)) == [1, 3]


@pytest.mark.parametrize("source", ["return 5", "x = 1\nnonlocal x", "\0", "(" * 500 + ")" * 500])
def test_what_python_refuses_to_compile_is_a_syntax_error(admit, source):
    (problem,) = admit(source).loaded.problems
    assert problem.is_syntax_error


def test_the_main_block_does_not_run(admit):
    process = admit("ran = False\nif __name__ == '__main__':\n    ran = True\ndef get(): return ran")
    assert answers(process, ("get",)) == [False]


def test_a_statement_that_ends_the_process_is_skipped(admit):
    process = admit("import os\ndef one(): return 1\nos._exit(0)\ndef two(): return 2")
    (problem,) = process.loaded.problems
    assert (problem.line, problem.error.type, problem.error.source) == (3, "Crashed", "os._exit(0)")
    assert answers(process, ("one",), ("two",)) == [1, 2]


def test_an_endless_statement_is_skipped(admit):
    process = admit("def one(): return 1\nwhile True: pass\ndef two(): return 2")
    (problem,) = process.loaded.problems
    assert (problem.line, problem.error.type) == (2, "Timeout")
    assert answers(process, ("one",), ("two",)) == [1, 2]


def test_after_four_restarts_loading_ends_where_the_fifth_would_be(admit):
    lines = ["import os"]
    for i in range(7):
        lines += [f"def f{i}(): return {i}", "os._exit(1)"]
    process = admit("\n".join(lines))
    assert [problem.line for problem in process.loaded.problems] == [3, 5, 7, 9, 11]
    found = process.ask([Call(f"f{i}") for i in range(7)])
    assert [a.kind.value for a in found] == ["value"] * 5 + ["missing"] * 2


def test_sys_exit_at_top_level_is_a_problem_and_no_end(admit):
    process = admit("import sys\nsys.exit(0)\nexit()\ndef fine(): return 1")
    assert [problem.error.type for problem in process.loaded.problems] == ["SystemExit"] * 2
    assert answers(process, ("fine",)) == [1]


def test_a_future_import_holds_for_what_follows(admit):
    process = admit(
        "from __future__ import annotations\ndef f(x: undefined) -> 1: return x", "def g(): return f.__annotations__"
    )
    assert not process.loaded.problems
    assert answers(process, ("g",)) == [{"x": "undefined", "return": "1"}]


@pytest.mark.parametrize(
    "source",
    [
        "import matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.show()",
        "import matplotlib.pyplot as plt\nfig, axes = plt.subplots(1, 2)\naxes[0].imshow([[1]]).set_clim(0, 1)",
        "import matplotlib.pyplot as plt\nfig, (left, right) = plt.subplots(1, 2)\nleft.plot()",
        "from matplotlib import pyplot, cm\npyplot.rcParams['x'] = cm.viridis(0.3)",
        "import seaborn as sns; sns.set_theme(); ax = sns.heatmap([[1]], annot=True); ax.set(xlabel='x')",
        "import matplotlib\nmatplotlib.use('Agg')",
        "import matplotlib.pyplot as plt\nwith plt.style.context('x'): plt.plot()",
        "import pandas as pd\ndf = pd.DataFrame({'a': [1]})\nprint(df.head(), df['a'].mean() + 1, -df, len(df))",
        "from tqdm.auto import tqdm\nassert [i for i in tqdm(range(3), desc='x')] == [0, 1, 2]",
        "from tqdm import trange\nassert [i for i in trange(1, 3, desc='x')] == [1, 2]",
        "import numba\nassert [i for i in numba.prange(3)] == [0, 1, 2]",
        "import numba\n@numba.njit\ndef f(x): return x\nassert f(3) == 3",
        "import numba\n@numba.njit(parallel=True)\ndef f(x): return x\nassert f(3) == 3",
        "import lightning as pl\nclass Net(pl.LightningModule):\n    def __init__(self): super().__init__()\nNet()",
        "from jaxtyping import Float\ndef f(x: Float['n d'] | None): return x",
        "from my_helpers import softmax\nimport attention_utils.layers as layers",
        "from . import sibling\nfrom .helpers import softmax",
        "from IPython.display import display as show, HTML\nshow(HTML('x'))",
        "display(3)\nget_ipython().run_line_magic('matplotlib', 'inline')",
        "import matplotlib.pyplot as plt\nassert not isinstance(3, plt.Figure)",
        "import tkinter",
    ],
)
def test_a_stand_in_takes_what_is_done_with_it(admit, source):
    process = admit(source)
    assert not process.loaded.problems


def test_stand_in_imports_are_told_by_their_top_name(admit):
    process = admit("import math, numpy.linalg, matplotlib.pyplot as plt\nfrom seaborn.x import y\nimport matplotlib")
    assert process.loaded.stand_in_imports == ("matplotlib", "seaborn")


def test_a_result_that_comes_from_a_stand_in_is_told_as_one(admit):
    process = admit("from scipy.special import softmax\ndef f(): return softmax([1])")
    (answer,) = process.ask([Call("f")])
    assert "what comes from <stand-in for scipy.special.softmax(…)>" in answer.error.message


def test_installed_packages_other_than_numpy_and_torch_are_stand_ins_too(admit):
    process = admit("import msgpack\ndef f(): return repr(msgpack.packb)")
    assert process.loaded.stand_in_imports == ("msgpack",)
    assert answers(process, ("f",)) == ["<stand-in for msgpack.packb>"]


@pytest.mark.parametrize(
    "source",
    [
        "try:\n    import cupy as np\nexcept ImportError:\n    import numpy as np\ndef f(): return np.ones(1)",
        "try: from scipy.special import softmax\nexcept (ModuleNotFoundError, OSError):\n"
        "    def softmax(x): return [1.0]\ndef f(): return softmax([3])",
        "try:\n    import jax\n    HAVE = True\nexcept Exception:\n    HAVE = False\ndef f(): return [1.0 - HAVE]",
        "try:\n    import einops\nexcept: einops = None\ndef f(): return [1.0] if einops is None else einops.ones(1)",
        "def f():\n    try: import scipy.special as s\n    except ImportError: s = None\n    return s or [1.0]",
    ],
)
def test_what_a_student_does_without_a_package_is_done_where_it_is_not_there(admit, source):
    process = admit(source)
    assert not process.loaded.problems and not process.loaded.stand_in_imports
    assert list(answers(process, ("f",))[0]) == [1.0]


def test_a_package_without_which_a_student_has_no_other_way_is_a_stand_in(admit):
    process = admit("""
        try:
            import matplotlib.pyplot as plt
        except ImportError:
            print("no plots")
        try:
            import seaborn
        except ValueError:
            seaborn = None
        try:
            import tqdm
        except ImportError:
            import tqdm
        try:
            plt = 1 / 0
        except Exception:
            import pandas
        seaborn.set_theme(), tqdm.tqdm([]), pandas.DataFrame()
    """)
    assert not process.loaded.problems
    assert process.loaded.stand_in_imports == ("matplotlib", "seaborn", "tqdm", "pandas")


@pytest.mark.parametrize(
    "stop", ["breakpoint()", "import pdb; pdb.set_trace()", "from pdb import set_trace; set_trace()"]
)
def test_a_debugger_that_was_left_in_stops_nothing(admit, stop):
    process = admit(f"{stop}\ndef f():\n    {stop}\n    return 1")
    assert not process.loaded.problems
    assert answers(process, ("f",)) == [1]


def test_a_wrong_name_in_a_real_package_is_the_students_error(admit):
    process = admit("from numpy import no_such_name", "import os.no_such_module")
    assert [problem.error.type for problem in process.loaded.problems] == ["ImportError", "ModuleNotFoundError"]


@pytest.mark.parametrize("module", ["json", "csv", "sqlite3", "asyncio", "typing", "numpy.fft", "ctypes"])
def test_the_standard_library_and_numpy_are_the_real_ones(admit, module):
    process = admit(f"import {module} as m\ndef f(): return type(m).__name__")
    assert process.loaded.stand_in_imports == ()
    assert answers(process, ("f",)) == ["module"]


def test_a_plot_in_a_function_costs_nothing(admit):
    process = admit("""
        import numpy as np
        import matplotlib.pyplot as plt
        from tqdm import trange
        def double(x):
            fig, ax = plt.subplots()
            ax.imshow(x)
            plt.colorbar(ax.images[0])
            fig.savefig("x.png")
            return x * 2
    """)
    np.testing.assert_array_equal(answers(process, ("double", (np.ones(2),)))[0], [2, 2])


PYTEST_THAT_SERVES = """
import numpy as np
import pytest
from pytest import approx, raises

@pytest.mark.parametrize("x", [1, 2])
@pytest.fixture
def decorated(): return 7

def good():
    with pytest.raises(ValueError, match="dim") as caught:
        raise ValueError("wrong dim")
    assert "dim" in str(caught.value)
    raises(ZeroDivisionError, lambda: 1 / 0)
    assert 0.1 + 0.2 == approx(0.3)
    assert 1.0 != approx(1.1)
    assert np.array([0.1 + 0.2, 1]) == approx(np.array([0.3, 1]))
    assert np.ones(3) == pytest.approx(1)
    assert [1.0, 2.0] == pytest.approx([1, 2.0000001]) and {"a": 1.0} == approx({"a": 1})
    assert 105 == approx(100, rel=0.1) and 105 != approx(100, abs=1)
    assert np.ones(2) != approx(np.ones(3))
    assert decorated() == 7

def did_not_raise():
    with pytest.raises(ValueError): pass

def wrong_message():
    with pytest.raises(ValueError, match="dim"): raise ValueError("size")

def other_error():
    with pytest.raises(ValueError): raise KeyError(1)

def failed(): pytest.fail("no")

def skipped():
    try: pytest.skip("no reason")
    except Exception: return "caught"

def xfailed(): pytest.xfail("x")

def imported(): pytest.importorskip("no_such_package")
"""


def test_pytests_helpers_serve_a_students_tests(admit):
    process = admit(PYTEST_THAT_SERVES)
    assert not process.loaded.problems and not process.loaded.stand_in_imports
    names = ("good", "did_not_raise", "wrong_message", "other_error", "failed", "skipped", "xfailed", "imported")
    found = process.ask([Call(name) for name in names])
    assert found[0].kind is AnswerKind.VALUE, found[0]
    assert [a.error.type for a in found[1:]] == [
        "Failed",
        "AssertionError",
        "KeyError",
        "Failed",
        "Skipped",
        "XFailed",
        "Skipped",
    ]


HOW_IT_FAILS = [
    "1 / 0",
    "raise SystemExit(3)",
    "@(1 / 0)\ndef f(): pass",
    "@print\n@undefined\nclass C: pass",
    "x = [\n    1,\n    undefined,\n]",
    "if True:\n    y = 1\n    undefined\n    y = 2",
    "for i in range(3):\n    undefined",
    "with open('/nowhere'):\n    pass",
    "try:\n    1 / 0\nfinally:\n    y = 1",
    "def broken(): return undefined\nbroken()",
    "class C:\n    undefined",
    "'é'; undefined; y = 1",
    "if True: undefined; y = 1",
    "assert False, 'no'",
    "import nowhere.numpy as np; np.linalg.x; undefined",
    "list(map(undefined, [1]))",
    "(lambda: undefined)()",
    "[undefined for _ in range(2)]",
    "async def f(): pass\nf().throw(ValueError)",
]


@pytest.mark.parametrize("failing", HOW_IT_FAILS)
def test_around_a_statement_that_fails_every_other_runs_once(admit, failing):
    before = "from collections import Counter\nran = Counter()\nran['before'] += 1; ran['beside'] += 1\n"
    after = "\nran['next'] += 1\ndef count(): return dict(ran)\nran['last'] += 1"
    process = admit(before + failing + after)
    assert answers(process, ("count",)) == [dict.fromkeys(("before", "beside", "next", "last"), 1)]
    assert len(process.loaded.problems) == 1


@pytest.mark.parametrize("cell", [*HOW_IT_FAILS, "(", "return 1", "x = 1\nglobal x", "from __future__ import braces"])
def test_a_cell_that_runs_at_once_leaves_what_it_leaves_statement_by_statement(monkeypatch, cell):
    monkeypatch.setitem(sys.modules, "submission", None)
    monkeypatch.setattr(linecache, "cache", {})
    cells = [
        ("first", "from __future__ import annotations\nn = 1"),
        ("second", f"n += 1\n{cell}\nn += 1\ndef f(x: y): pass"),
    ]
    left = []
    for at_once in (True, False):
        submission = loading.Submission()
        submission.load(cells, at_once, [], None, lambda *place: None)
        function = submission.get("f")
        left.append(
            (submission.get("n"), submission.get("y"), submission.problems, function and function.__annotations__)
        )
    assert left[0] == left[1]


def test_an_exception_that_hides_where_it_was_raised_costs_its_statement_alone(admit):
    process = admit("""
        class Hidden(Exception):
            __traceback__ = property(lambda self: None)
            def __str__(self): return str(self.with_traceback(None) and 1)
        raise Hidden
        def fine(): return 1
    """)
    assert answers(process, ("fine",)) == [1]
