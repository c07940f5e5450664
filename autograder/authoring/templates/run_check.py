"""How a notebook runs its visible checks: copied into its first code cell."""


class Stop(Exception):
    """Stops a notebook with one sentence in place of a traceback."""

    def _render_traceback_(self):
        return [f"STOP: {self}"]


def run_check(check, answer):
    """Run a visible check; where an exercise is not written yet, stop and say what comes next."""
    try:
        check(answer)
    except NotImplementedError as error:
        raise Stop(f"{error}. Next: write it in its cell above, run that cell, then this one.") from None
    print(f"{answer.__name__}: the visible check passes.")
