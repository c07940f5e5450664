"""Lines that are IPython's and not Python's: magics, shell lines, help. They are replaced; line numbers stay.

No such line is valid Python where a statement begins, so nothing that runs is ever lost. Where a statement
begins is found by a scan over brackets, strings and continued lines, so that `% b` below `x = (a` stays.
"""

from __future__ import annotations

import re

# Cell magics whose body runs in the notebook itself. All others hand it to another program or scope.
_BODY_RUNS_HERE = frozenset({"time", "capture", "prun"})
_CELL_MAGIC = re.compile(r"%%(\w*)")

# Every repetition is possessive, so that no line takes more than linear time.
_LINE_MAGIC = re.compile(
    r"""[ \t]*+(?:
      [%!]                                   # %matplotlib inline   !pip install numpy   !!ls   %%time
    | \?{1,2}+[\w.*%]                        # ?np.dot
    | [%\w.*]++\?{1,2}+[ \t]*+;?+[ \t]*+$    # np.dot?
    | (?:pip3?|conda|mamba)[ ]++install[ ]   # what %automagic makes of it
    )""",
    re.VERBOSE,
)
# What nbconvert writes for them in a .py, where it ends in its line.
_IPYTHON_CALL = re.compile(r"[ \t]*+get_ipython\(\)\.(?:run_line_magic|run_cell_magic|system|getoutput|magic)\(")
_CLOSED_CALL = re.compile(r"\)[ \t]*+;?+[ \t]*+$")
_ASSIGNED_MAGIC = re.compile(r"([\w., *\t]++=)[ \t]*+(?:!|%(?!=)|get_ipython\(\)\.)")

# What can change the meaning of the line's end: a comment, a quote, a bracket, a backslash.
_TURN = re.compile(r"""\#|'{3}|"{3}|'|"|[()\[\]{}]|\\""")
# What can end a string that began with this quote, or keep its end from being one.
_STRING_TURN = {quote: re.compile(r"\\|" + quote) for quote in ("'", '"', "'''", '"""')}


class _Scan:
    """Follows Python's line structure: is the next line the beginning of a statement?"""

    def __init__(self) -> None:
        self.depth = 0
        self.quote: str | None = None
        self.continued = False

    @property
    def at_statement(self) -> bool:
        return not (self.depth or self.quote or self.continued)

    def pass_line(self, line: str) -> None:
        """Go over one line, which has no line break in it."""
        self.continued = False
        position = 0
        while position < len(line):
            if self.quote:
                position = self._pass_string(line, position)
                continue
            found = _TURN.search(line, position)
            if not found:
                return
            position, turn = found.end(), found[0]
            if turn == "#":
                return
            if turn == "\\":
                self.continued = position == len(line)
            elif turn in "([{":
                self.depth += 1
            elif turn in ")]}":
                self.depth = max(0, self.depth - 1)
            else:
                self.quote = turn
        if self.quote and len(self.quote) == 1 and not self.continued:
            self.quote = None  # a string that was never closed ends with its line

    def _pass_string(self, line: str, position: int) -> int:
        """The position after the string's end, or the line's length where it goes on."""
        assert self.quote
        while found := _STRING_TURN[self.quote].search(line, position):
            if found[0] == self.quote:
                self.quote = None
                return found.end()
            position = found.end() + 1
            self.continued = len(self.quote) == 1 and position > len(line)
        return len(line)


def without_magics(source: str) -> str:
    """`source` with each magic, shell and help line replaced by `pass`, or `name = None` where assigned."""
    lines = source.split("\n")
    if not any(map(_replacement, lines)):
        return source
    scan = _Scan()
    for number, line in enumerate(lines):
        if not scan.at_statement:
            scan.pass_line(line)
        elif replacement := _replacement(line):
            lines[number] = replacement
            _blank_continuation(lines, number, line)
        elif line.strip():
            scan.pass_line(line)
    return "\n".join(lines)


def _replacement(line: str) -> str | None:
    if _LINE_MAGIC.match(line) or (_IPYTHON_CALL.match(line) and _CLOSED_CALL.search(line)):
        return line[: len(line) - len(line.lstrip(" \t"))] + "pass"
    if assigned := _ASSIGNED_MAGIC.match(line):
        return assigned[1] + " None"
    return None


def _blank_continuation(lines: list[str], number: int, line: str) -> None:
    while line.endswith("\\") and number + 1 < len(lines):
        number += 1
        line, lines[number] = lines[number], ""


def without_cell_magic(source: str) -> str | None:
    """`source` less a cell magic at its head; None where that makes the cell something other than Python."""
    lines = source.split("\n")
    for number, line in enumerate(lines):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        found = _CELL_MAGIC.match(line)
        if not found:
            break
        if found[1] not in _BODY_RUNS_HERE:
            return None
        lines[number] = "pass"
    return "\n".join(lines)


def without_leading_indent(source: str) -> str:
    """`source` as IPython runs it when its first line is indented: less that indentation on every line."""
    first = next((line for line in source.split("\n") if line.strip()), "")
    indent = first[: len(first) - len(first.lstrip(" \t"))]
    if not indent:
        return source
    return "\n".join(line.removeprefix(indent) for line in source.split("\n"))
