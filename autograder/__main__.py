"""`python -m autograder` is `attnkit`."""

import sys

from autograder.commands import main

if __name__ == "__main__":
    sys.exit(main())
