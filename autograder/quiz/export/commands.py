"""`attnkit quiz export`."""

from __future__ import annotations

import argparse
from pathlib import Path

from autograder.command_line import DONE, NOT_DONE, WRONG_USAGE, Subparsers, say_why_not, whole_number
from autograder.quiz.banks.problems import BankError
from autograder.whole_file import OutputError, whole_binary_file, write_whole

from .quiz import load_quiz, with_choices_for_short_answers
from .report import NAME, Exported, report
from .targets import TARGETS, Sentences, Target


def add_export(commands: Subparsers) -> None:
    """Add `export`; it sets `run`, a function of the parsed arguments that returns an exit status."""
    parser = commands.add_parser("export", help="write banks for a platform, for print or for other tools")
    parser.add_argument("banks", nargs="+", metavar="BANK", help="a bank of the kit by name, or a bank's file")
    parser.add_argument(
        "--format", dest="formats", action="append", required=True, choices=TARGETS, help="may be given several times"
    )
    parser.add_argument("--out", required=True, type=Path, metavar="DIR")
    parser.add_argument("--seed", help="chooses the numbers of items that have variables")
    parser.add_argument(
        "--variants",
        type=whole_number(1, 100),
        default=1,
        metavar="N",
        help="variants of each numeric item, of which one is drawn",
    )
    parser.add_argument(
        "--short-answers",
        choices=("open", "choice"),
        default="open",
        help="open: sentences, which a person marks; choice: the model answer among known wrong ones",
    )
    parser.set_defaults(run=run_export)


def run_export(arguments: argparse.Namespace) -> int:
    """All banks in all formats are made before anything is written; what is not carried goes into the report."""
    if arguments.variants > 1 and arguments.seed is None:
        return say_why_not("quiz export", "variants are made by a seed; give --seed with --variants", WRONG_USAGE)
    exported = []
    try:
        for bank in arguments.banks:
            quiz = load_quiz(bank, arguments.seed, arguments.variants)
            for name in arguments.formats:
                target = TARGETS[name]
                carried = with_choices_for_short_answers(quiz) if _as_choices(target, arguments.short_answers) else quiz
                exported.append(Exported(carried, target, target.export(carried)))
        for each in exported:
            for file in each.export.files:
                with whole_binary_file(arguments.out / file.path) as stream:
                    stream.write(file.data)
                print(arguments.out / file.path)
        write_whole(arguments.out / NAME, report(exported))
    except (BankError, OutputError, ValueError) as error:
        return say_why_not("quiz export", error, NOT_DONE)
    count = sum(len(each.quiz.losses) + len(each.export.losses) for each in exported)
    print(f"{count} things are not carried as they are: {arguments.out / NAME}")
    return DONE


def _as_choices(target: Target, asked: str) -> bool:
    if target.sentences is Sentences.EITHER:
        return asked == "choice"
    return target.sentences is Sentences.CHOICE
