"""`attnkit quiz`: check, take, grade, export, assemble."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from autograder.catalogue.objectives import OBJECTIVES
from autograder.command_line import DONE, NOT_DONE, WRONG_USAGE, Subparsers, say_why_not, whole_number
from autograder.quiz.banks.assembly import AssemblyError, assemble
from autograder.quiz.banks.check import Level, check
from autograder.quiz.banks.loading import bank_names, find_bank, load_bank, read_source
from autograder.quiz.banks.problems import BankError
from autograder.quiz.export.commands import add_export
from autograder.quiz.marks.feedback import FOLDER as FEEDBACK
from autograder.quiz.marks.feedback import write_feedback
from autograder.quiz.marks.grading import grade
from autograder.quiz.marks.records import MARKS, RESULTS, write_grades
from autograder.quiz.marks.responses import ResponsesError, read_responses, table
from autograder.quiz.marks.review import NAME as REVIEW_QUEUE
from autograder.quiz.marks.review import read_reviews
from autograder.quiz.marks.statistics import analysis_of, summary, write_statistics
from autograder.quiz.pages.page import graded_page, self_check_page
from autograder.whole_file import OutputError, write_whole

from .take import take


def add_commands(subparsers: Subparsers) -> None:
    """Add `quiz` and its commands. Each sets `run`: a function of the parsed arguments that returns an exit status."""
    quiz = subparsers.add_parser("quiz", help="check, take, grade, export and assemble quizzes")
    commands = quiz.add_subparsers(required=True, metavar="COMMAND")
    _add_check(commands)
    _add_take(commands)
    _add_grade(commands)
    add_export(commands)
    _add_assemble(commands)


def _add_check(commands: Subparsers) -> None:
    parser = commands.add_parser("check", help="hold banks against the rules of item writing")
    parser.add_argument("banks", nargs="*", metavar="BANK", help="banks by name or file; without one, all of the kit's")
    parser.set_defaults(run=_check)


def _check(arguments: argparse.Namespace) -> int:
    levels: Counter[Level] = Counter()
    try:
        for name in arguments.banks or bank_names():
            source = read_source(find_bank(name))
            findings = check(source)
            levels.update(finding.level for finding in findings)
            for finding in findings:
                print(finding)
            print(f"{source.file}: {len(source.entries)} items, {len(findings)} findings")
    except BankError as error:
        return say_why_not("quiz check", error, NOT_DONE)
    print(
        f"{levels[Level.ERROR]} errors, {levels[Level.WARNING]} warnings, "
        f"{levels[Level.RECORDED]} recorded on items that are kept as they are"
    )
    return NOT_DONE if levels[Level.ERROR] else DONE


def _add_grade(commands: Subparsers) -> None:
    parser = commands.add_parser("grade", help="mark a CSV of responses")
    parser.add_argument("responses", type=Path, metavar="RESPONSES", help="CSV with the header student,item,response")
    parser.add_argument("--quiz", required=True, metavar="BANK", help="a bank of the kit by name, or a bank's file")
    parser.add_argument("--out", required=True, type=Path, metavar="DIR")
    parser.add_argument("--seed", help="the seed that chose the variants of numeric items")
    parser.add_argument("--students", type=Path, metavar="FILE", help="CSV with a column student: the class")
    parser.set_defaults(run=_grade)


def _grade(arguments: argparse.Namespace) -> int:
    try:
        bank = load_bank(arguments.quiz, arguments.seed)
        sheet = read_responses(arguments.responses)
        students = _roster(arguments.students) if arguments.students else ()
        grades = grade(bank, sheet, students, read_reviews(arguments.out))
        write_grades(arguments.out, grades)
        write_feedback(arguments.out, grades)
        analysis = analysis_of(grades)
        if analysis is not None:
            write_statistics(arguments.out, analysis)
    except (BankError, ResponsesError, OutputError) as error:
        return say_why_not("quiz grade", error, NOT_DONE)
    for problem in grades.problems:
        print(problem, file=sys.stderr)
    review = sum(total.review for total in grades.totals)
    print(f"{len(grades.totals)} students, {len(bank.items)} items: {arguments.out / RESULTS}")
    print(f"Marks: {arguments.out / MARKS}")
    print(f"Feedback for each student: {arguments.out / FEEDBACK}")
    if review:
        print(f"{review} for review: fill in score in {arguments.out / REVIEW_QUEUE}, then give this command again.")
    if analysis is not None:
        print(summary(analysis))
    return NOT_DONE if grades.problems else DONE


def _add_take(commands: Subparsers) -> None:
    parser = commands.add_parser("take", help="take a quiz in the terminal, or make a page of it")
    parser.add_argument("bank", metavar="BANK", help="a bank of the kit by name, or a bank's file")
    parser.add_argument("--seed", help="chooses the variants of numeric items")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a page in place of asking here")
    parser.add_argument("--graded", action="store_true", help="with --html: no key in it; it saves a response file")
    parser.add_argument("--save", type=Path, metavar="FILE", help="keep the responses as a CSV for quiz grade")
    parser.add_argument("--student", default="student-01", metavar="ID", help="the student id in that CSV")
    parser.set_defaults(run=_take)


def _take(arguments: argparse.Namespace) -> int:
    if arguments.graded and not arguments.html:
        return say_why_not("quiz take", "--graded makes a page: give --html FILE as well.", WRONG_USAGE)
    try:
        bank = load_bank(arguments.bank, arguments.seed)
        if arguments.html:
            write_whole(arguments.html, graded_page(bank) if arguments.graded else self_check_page(bank))
            print(arguments.html)
            return DONE
        taken = take(bank)
        if arguments.save:
            write_whole(arguments.save, taken.responses_csv(arguments.student))
            print(f"Responses: {arguments.save}")
    except (BankError, OutputError) as error:
        return say_why_not("quiz take", error, NOT_DONE)
    return DONE


def _add_assemble(commands: Subparsers) -> None:
    parser = commands.add_parser("assemble", help="make one of several parallel versions of a quiz")
    parser.add_argument("--objectives", nargs="+", required=True, metavar="OBJECTIVE", help=", ".join(OBJECTIVES))
    parser.add_argument("--count", type=whole_number(least=1), required=True, metavar="N", help="how many items")
    parser.add_argument("--seed", required=True, help="another seed makes another version of equal difficulty")
    parser.add_argument("--from", nargs="+", dest="banks", metavar="BANK", help="without it, all of the kit's banks")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the version, a bank's file (.yaml)")
    parser.set_defaults(run=_assemble)


def _assemble(arguments: argparse.Namespace) -> int:
    try:
        sources = [read_source(find_bank(name)) for name in arguments.banks or bank_names()]
        version = assemble(sources, tuple(dict.fromkeys(arguments.objectives)), arguments.count, arguments.seed)
        write_whole(arguments.out, version.text)
    except (BankError, AssemblyError, OutputError) as error:
        return say_why_not("quiz assemble", error, NOT_DONE)
    print(f"{arguments.out}: {', '.join(version.ids)}")
    if version.fixed:
        print(f"{version.fixed} of {len(version.ids)} items have no alternative and stand in every version.")
    return DONE


def _roster(path: Path) -> tuple[str, ...]:
    return tuple(dict.fromkeys(cells[0].strip() for _, cells in table(path, ("student",)) if cells[0].strip()))
