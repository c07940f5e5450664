"""A marker of Moodle XML as Moodle's documentation of its question types has it: no part of Moodle runs here."""

import xml.etree.ElementTree as ET
from collections.abc import Sequence

# Moodle's list of grades for an answer, in per cent, as its documentation of the XML format gives it.
FRACTIONS = {
    100,
    90,
    83.33333,
    80,
    75,
    70,
    66.66667,
    60,
    50,
    40,
    33.33333,
    30,
    25,
    20,
    16.66667,
    14.28571,
    12.5,
    11.11111,
    10,
    5,
    0,
}


def questions(xml: bytes) -> dict[str, ET.Element]:
    return {
        question.findtext("idnumber"): question
        for question in ET.fromstring(xml).findall("question")
        if question.get("type") != "category"
    }


def score(question: ET.Element, chosen: Sequence[int], typed: str) -> float | None:
    """0 to 1; None for an essay. `chosen` are places among the answers; `typed` is the text of a number."""
    answers = question.findall("answer")
    match question.get("type"):
        case "multichoice" | "truefalse":
            return max(0.0, sum(float(answers[place].get("fraction")) for place in chosen) / 100)
        case "numerical":
            for answer in answers:
                if abs(float(typed) - float(answer.findtext("text"))) <= float(answer.findtext("tolerance")):
                    return float(answer.get("fraction")) / 100
            return 0.0
        case "essay":
            return None
    raise ValueError(f"{question.get('type')} is a type that the kit does not use")
