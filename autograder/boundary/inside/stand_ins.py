"""Inert stand-ins for packages that are not inside the wall, so that a plot or a progress bar costs no marks."""

import contextlib
import dis
import sys
import types


class StandIn:
    """Takes every attribute, call, item and operator, and does nothing."""

    def __init__(self, name, iterated=()):
        object.__setattr__(self, "_stand_in", (name, iterated))

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return StandIn(f"{self._stand_in[0]}.{name}")

    def __setattr__(self, name, value):
        pass

    def __call__(self, *args, **kwargs):
        """A function or class alone is being decorated and comes back; what is iterated over goes through."""
        if len(args) == 1 and not kwargs and isinstance(args[0], (types.FunctionType, type)):
            return args[0]
        return StandIn(f"{self._stand_in[0]}(…)", self._iterated(args))

    def _iterated(self, args):
        """What is iterated over: for `trange`, `prange` and the like a range."""
        if self._stand_in[0].endswith("range") and 1 <= len(args) <= 3:
            with contextlib.suppress(TypeError, ValueError):
                return range(*args)
        return args[0] if args else ()

    def __iter__(self):
        """As many stand-ins as `a, b = …` asks for; else what the call that made this one was given."""
        frame = sys._getframe(1)
        wanted = _unpacked(frame.f_code.co_code, frame.f_lasti)
        if wanted is not None:
            return iter([StandIn(self._stand_in[0]) for _ in range(wanted)])
        try:
            return iter(self._stand_in[1])
        except TypeError:
            return iter(())

    def __mro_entries__(self, bases):
        return (StandInBase,)

    def __instancecheck__(self, instance):
        return False

    def __enter__(self):
        return StandIn(self._stand_in[0])

    def __exit__(self, *error):
        return False

    def __repr__(self):
        return f"<stand-in for {self._stand_in[0]}>"

    def __len__(self):
        return 0

    def __bool__(self):
        return True

    def __float__(self):
        return 0.0

    def __int__(self):
        return 0

    def __contains__(self, item):
        return False

    def __lt__(self, other):
        return False

    __le__ = __gt__ = __ge__ = __lt__

    def _itself(self, *others):
        return self

    __getitem__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _itself
    __neg__ = __matmul__ = __rmatmul__ = __or__ = __ror__ = __and__ = __rand__ = __pow__ = __mod__ = _itself

    def __setitem__(self, key, value):
        pass

    def __delitem__(self, key):
        pass


class StandInBase:
    """What a student's class derives from where its base is a stand-in."""

    def __init__(self, *args, **kwargs):
        pass

    def __init_subclass__(cls, **kwargs):
        pass


def _unpacked(code, at):
    """How many names the assignment at instruction `at` unpacks into, or None where it is none."""
    if dis.opname[code[at]] == "UNPACK_SEQUENCE":
        return code[at + 1]
    if dis.opname[code[at]] == "UNPACK_EX":
        return code[at + 1] & 0xFF
    return None


class _StandInModule(types.ModuleType):
    """A module whose every name is a stand-in. `from it import *` brings none."""

    __all__ = ()
    __path__ = ()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return StandIn(f"{self.__name__}.{name}")


def stand_in_module(returned, imported):
    """The module `returned`, after `imported`, which it begins, has been made with all its parents."""
    parent = None
    parts = imported.split(".")
    for i in range(len(parts)):
        name = ".".join(parts[: i + 1]) or "sibling"
        module = _MODULES.setdefault(name, _StandInModule(name))
        if parent is not None:
            setattr(parent, parts[i], module)
        parent = module
    return _MODULES[returned or "sibling"]


_MODULES = {}


def inert_names():
    """Names that a notebook or an interactive Python has and a plain process lacks."""

    def leave(code=None):
        raise SystemExit(code)

    def display(*values, **options):
        return None

    return {"exit": leave, "quit": leave, "display": display, "get_ipython": lambda: StandIn("IPython")}
