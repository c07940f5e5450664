"""Tell of a student's exception without trusting it."""

import linecache

_MESSAGE, _NAME, _SOURCE = 200, 80, 200


def describe(error, files):
    """(type's name, message, line, source) of an exception; line and source are the innermost in `files`."""
    line, source = _own_line(error.__traceback__, files)
    return [_name(error), _message(error), line, source]


def lineage(error):
    """The names of Python's own exceptions that an exception descends from: a ValueError's subclass is one."""
    return [kind.__name__ for kind in type.mro(type(error)) if type.__getattribute__(kind, "__module__") == "builtins"]


def own_text(text):
    """`text` as an exact str that UTF-8 can hold."""
    return str.encode(text, "utf-8", "replace").decode()


def _name(error):
    try:
        return own_text(type(error).__name__)[:_NAME]
    except BaseException:  # a metaclass may raise anything
        return "Exception"


def _message(error):
    try:
        return own_text(str(error)[:_MESSAGE])
    except BaseException:  # __str__ may raise anything
        return "(its text cannot be read)"


def _own_line(traceback, files):
    line, file = None, None
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename in files:
            line, file = traceback.tb_lineno, traceback.tb_frame.f_code.co_filename
        traceback = traceback.tb_next
    return line, linecache.getline(file, line).strip()[:_SOURCE] if line else ""
