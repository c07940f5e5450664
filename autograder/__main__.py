"""`python -m autograder` is `attnkit`."""

import os
import sys

# For `-m` Python looks first where the command is given: perhaps in a student's folder, with a numpy.py of their own.
# A clone's own folder stays. (`attnkit` and `python -P -m` don't look there.)
CLONE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
if __name__ == "__main__" and not sys.flags.safe_path and os.path.realpath(sys.path[0]) != CLONE:
    del sys.path[0]

from autograder.commands import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
