"""A marker of QTI 1.2 items as the standard has it: conditions in order, until one that does not continue."""

import io
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Sequence

NAMESPACE = "{http://www.imsglobal.org/xsd/ims_qtiasiv1p2}"


def parts(archive: bytes) -> dict[str, ET.Element]:
    """The XML files of a package by name."""
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        return {name: ET.fromstring(files.read(name)) for name in files.namelist() if name.endswith(".xml")}


def items(archive: bytes) -> dict[str, ET.Element]:
    root = next(root for root in parts(archive).values() if root.tag == f"{NAMESPACE}questestinterop")
    return {item.get("ident"): item for item in root.iter(f"{NAMESPACE}item")}


def score(item: ET.Element, response: Sequence[str]) -> float | None:
    """0 to 1; None where no condition sets a score, so that a person has to."""
    processing = item.find(f"{NAMESPACE}resprocessing")
    if processing.find(f".//{NAMESPACE}setvar") is None:
        return None
    value = 0.0
    for condition in processing.findall(f"{NAMESPACE}respcondition"):
        tests = condition.find(f"{NAMESPACE}conditionvar")
        if all(_holds(test, response) for test in tests):
            for set_value in condition.findall(f"{NAMESPACE}setvar"):
                value = float(set_value.text) / 100
            if condition.get("continue") == "No":
                break
    return value


def _holds(test: ET.Element, response: Sequence[str]) -> bool:
    match test.tag.removeprefix(NAMESPACE):
        case "other":
            return True
        case "varequal":
            return test.text in response
        case "vargte":
            return any(float(given) >= float(test.text) for given in response)
        case "varlte":
            return any(float(given) <= float(test.text) for given in response)
        case "and":
            return all(_holds(each, response) for each in test)
        case "or":
            return any(_holds(each, response) for each in test)
        case "not":
            return not any(_holds(each, response) for each in test)
    raise ValueError(f"{test.tag} is no test")
