"""`python -m autograder.quiz check …` for `attnkit quiz check …`."""

import argparse
import sys

from .commands import add_commands


def main() -> int:
    parser = argparse.ArgumentParser(prog="attnkit")
    add_commands(parser.add_subparsers(required=True))
    arguments = parser.parse_args(["quiz", *sys.argv[1:]])
    return int(arguments.run(arguments))


if __name__ == "__main__":
    sys.exit(main())
