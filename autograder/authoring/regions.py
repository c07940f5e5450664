"""Solution regions as nbgrader marks them."""

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"


def clear_regions(source: str, stub: str) -> str:
    """Put `stub` in each solution region's place. Raises ValueError where marks don't pair, or none stand."""
    kept: list[str] = []
    inside = False
    for number, line in enumerate(source.splitlines(), start=1):
        mark = line.strip()
        if mark == (END if not inside else BEGIN):
            raise ValueError(f"line {number} is {mark!r} without its other half")
        if mark == BEGIN:
            kept.append(line[: line.index("#")] + stub)
        elif not inside:
            kept.append(line)
        inside = inside != (mark in (BEGIN, END))
    if inside:
        raise ValueError(f"{BEGIN!r} without its {END!r}")
    if "\n".join(kept) == source:
        raise ValueError("no solution region")
    return "\n".join(kept)


def drop_marks(source: str) -> str:
    """Keep the solutions without the lines that mark them; in a script, those of Markdown cells are comments."""
    marks = (BEGIN, END, f"# {BEGIN}", f"# {END}")
    return "\n".join(line for line in source.splitlines() if line.strip() not in marks)
