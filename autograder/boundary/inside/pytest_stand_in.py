"""Serves for `import pytest` inside the wall: `raises`, `approx`, `fail`, `skip`, `xfail`, inert decorators."""

import importlib
import math
import re

import numpy as np

from .stand_ins import StandIn

__all__ = ["approx", "exit", "fail", "fixture", "importorskip", "mark", "param", "raises", "skip", "xfail"]


class OutcomeException(BaseException):
    """As in pytest, no Exception: a test's own `except Exception` doesn't catch it."""


class Failed(OutcomeException):
    pass


class Skipped(OutcomeException):
    pass


class XFailed(Failed):
    pass


class Exit(OutcomeException):
    pass


def _raiser(kind):
    def function(reason="", *args, msg=None, **kwargs):
        raise kind(msg or reason)

    function.Exception = kind
    return function


fail, skip, xfail, exit = (_raiser(kind) for kind in (Failed, Skipped, XFailed, Exit))


def importorskip(name, minversion=None, reason=None, **kwargs):
    try:
        return importlib.import_module(name)
    except ImportError:
        raise Skipped(reason or f"could not import {name!r}") from None


class ExceptionInfo:
    """What `with raises(...) as info` gives."""

    value = None

    @property
    def type(self):
        return type(self.value)

    @property
    def traceback(self):
        return self.value.__traceback__

    tb = traceback

    def match(self, pattern):
        assert re.search(pattern, str(self.value)), f"{pattern!r} does not match {str(self.value)!r}"
        return True

    def __str__(self):
        return repr(self.value)


class _Raises:
    def __init__(self, expected, match):
        self._expected, self._match, self._info = expected, match, ExceptionInfo()

    def __enter__(self):
        return self._info

    def __exit__(self, kind, error, traceback):
        if kind is None:
            raise Failed(f"DID NOT RAISE {self._expected!r}")
        if not issubclass(kind, self._expected):
            return False
        self._info.value = error
        if self._match is not None:
            self._info.match(self._match)
        return True


def raises(expected_exception, *args, match=None, **kwargs):
    """A context manager, or with a callable as second argument, a call that must raise."""
    context = _Raises(expected_exception, match)
    if not args:
        return context
    with context as info:
        args[0](*args[1:], **kwargs)
    return info


class approx:  # noqa: N801  (pytest's name)
    """`actual == approx(expected)`: within 1e-6 of its size or 1e-12, for numbers, arrays, sequences and dicts."""

    __array_ufunc__ = None
    __array_priority__ = 100
    __hash__ = None

    def __init__(self, expected, rel=None, abs=None, nan_ok=False):
        self._expected, self._rel, self._abs, self._nan_ok = expected, rel, abs, nan_ok

    def __eq__(self, actual):
        return self._equal(self._expected, actual)

    def __ne__(self, actual):
        return not self == actual

    def __repr__(self):
        return f"approx({self._expected!r})"

    def _equal(self, expected, actual):
        if isinstance(expected, dict):
            return set(expected) == set(actual) and all(self._equal(v, actual[k]) for k, v in expected.items())
        if isinstance(expected, np.ndarray) or hasattr(expected, "detach"):
            actual = np.asarray(actual)
            return actual.shape == tuple(expected.shape) and all(
                self._near(e, a) for e, a in zip(np.asarray(expected).flat, actual.flat, strict=True)
            )
        if isinstance(expected, (list, tuple)):
            return len(expected) == len(actual) and all(
                self._equal(e, a) for e, a in zip(expected, actual, strict=True)
            )
        if hasattr(actual, "shape") and actual.shape:
            return all(self._near(expected, a) for a in np.asarray(actual).flat)
        return self._near(expected, actual)

    def _near(self, expected, actual):
        if expected == actual:
            return True
        try:
            if math.isnan(expected) or math.isnan(actual):
                return self._nan_ok and math.isnan(expected) and math.isnan(actual)
            if math.isinf(expected) or math.isinf(actual):
                return False
            absolute = 1e-12 if self._abs is None else self._abs
            relative = (0.0 if self._abs is not None else 1e-6) if self._rel is None else self._rel
            return bool(abs(expected - actual) <= max(relative * abs(expected), absolute))
        except TypeError:
            return False


class _Mark:
    """`pytest.mark.anything`, with or without arguments, leaves the function as it is."""

    def __getattr__(self, name):
        return self

    def __call__(self, *args, **kwargs):
        return args[0] if len(args) == 1 and not kwargs and callable(args[0]) else self


mark = _Mark()


def fixture(function=None, **options):
    return function if function is not None else lambda function: function


def param(*values, **options):
    return values[0] if len(values) == 1 else values


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return StandIn(f"pytest.{name}")
