"""A grading in which something outside the wall kills a student's process comes out as an undisturbed one, or not."""

import signal

import pytest

from autograder.boundary.outside.exchange import Limits
from autograder.boundary.outside.process import StudentProcess
from autograder.boundary.outside.wall import Disturbed, raise_wall
from autograder.catalogue.result import Result
from autograder.commands.crew import Crew
from autograder.commands.sample_class import IMPORTS, NUMPY_PARTS, TORCH_PARTS
from autograder.grading.grade import DISTURBANCES, Course, grade

from ..submitted import submitted

NUMPY, TORCH = "01_numpy_self_attention", "02_torch_self_attention"
KEEPS = """
CALLS = []
def project_query(X, W_Q):
    CALLS.append(1)
    return X @ W_Q + (0 if len(CALLS) < 4 else len(CALLS))
"""
WRONG_ATTENTION = TORCH_PARTS["scaled_dot_product_attention"].replace("dim=-1", "dim=-2")
SUBMISSIONS = {
    "an answer that depends on earlier calls": (
        NUMPY,
        IMPORTS + "".join({**NUMPY_PARTS, "project_query": KEEPS}.values()),
    ),
    "follow-through, whose right step counts its calls": (
        TORCH,
        "".join({**TORCH_PARTS, "scaled_dot_product_attention": WRONG_ATTENTION}.values()),
    ),
}


@pytest.fixture(scope="module")
def wall():
    with raise_wall(limits=Limits(load_seconds=5.0, call_seconds=2.0)) as wall:
        yield wall


@pytest.fixture
def killing(monkeypatch):
    """`killing(method, numbers)` kills the process before these calls of a method; a list that grows with the calls."""

    def kill(method, numbers):
        original, count = getattr(StudentProcess, method), []

        def disturbed(process, *arguments):
            if len(count) in numbers and process.alive:
                signal.pidfd_send_signal(process._pidfd, signal.SIGKILL)
            count.append(method)
            return original(process, *arguments)

        monkeypatch.setattr(StudentProcess, method, disturbed)
        return count

    return kill


def records(result: Result) -> dict:
    return {name: value for name, value in result.to_json().items() if name != "duration_s"}


@pytest.mark.parametrize("what", SUBMISSIONS)
@pytest.mark.parametrize("method", ["ask", "put", "put_calls"])
def test_a_kill_at_any_moment_changes_nothing(what, method, wall, killing):
    submission = submitted(*SUBMISSIONS[what])
    calls = killing(method, ())
    undisturbed = records(grade(submission, wall, Course("a course")))
    moments = range(len(calls))
    if method == "ask":
        assert moments
    for moment in moments[:: max(1, len(moments) // 6)]:
        killing(method, (moment,))
        assert records(grade(submission, wall, Course("a course"))) == undisturbed, moment


def test_where_the_kills_never_end_there_is_no_result_but_a_sentence(wall, killing):
    calls = killing("ask", range(10_000))
    with pytest.raises(Disturbed, match=r"killed from outside again and again.*--resume"):
        grade(submitted(NUMPY, IMPORTS + "".join(NUMPY_PARTS.values())), wall, Course("a course"))
    assert len(calls) == DISTURBANCES


def test_a_class_goes_on_after_it(killing):
    submission = submitted(NUMPY, IMPORTS + "".join(NUMPY_PARTS.values()))
    killing("ask", range(DISTURBANCES))
    with Crew(1, Course("a course"), frozenset()) as crew:
        (_, first), (_, second) = crew.grade([submission, submission])
    assert isinstance(first, str) and first.startswith("Students' processes were killed")
    assert second.score == 100
