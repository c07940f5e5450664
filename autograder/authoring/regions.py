"""Solution regions as nbgrader marks them."""

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"


def clear_regions(source: str, stub: str) -> str:
    """Put `stub` in the place of each solution region. Raises ValueError where the marks don't pair."""
    kept: list[str] = []
    inside = False
    for number, line in enumerate(source.splitlines(), start=1):
        mark = line.strip()
        if mark == (END if not inside else BEGIN):
            raise ValueError(f"line {number} of the cell: {mark!r} without its other half")
        if mark == BEGIN:
            kept.append(line[: line.index("#")] + stub)
        elif not inside:
            kept.append(line)
        inside = inside != (mark in (BEGIN, END))
    if inside:
        raise ValueError(f"the cell has a {BEGIN!r} without its {END!r}")
    return "\n".join(kept)


def drop_marks(source: str) -> str:
    """Keep the solutions, without the lines that mark them."""
    return "\n".join(line for line in source.splitlines() if line.strip() not in (BEGIN, END))
