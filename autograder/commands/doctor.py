"""`attnkit doctor`: which walls stand around student code on this machine."""

from __future__ import annotations

import argparse


def add_commands(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = subparsers.add_parser("doctor", help="which walls stand around student code here, each proved")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:

    return 0
