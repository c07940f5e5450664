"""`attnkit demo`: grades a made-up class, hostile students included."""

from __future__ import annotations

import argparse


def add_commands(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = subparsers.add_parser("demo", help="grade a made-up class and see what comes of it")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    return 0
