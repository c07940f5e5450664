"""QTI 2.1: no schema comes with a package here, so items are converted to 3.0 by others, then played and scored."""

import io
import json
import subprocess
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path

import pytest

from autograder.quiz.export.qti import item_xml
from autograder.quiz.export.qti3 import QTI3, export_qti3
from autograder.quiz.export.qti21 import QTI21, camel, export_qti21
from autograder.quiz.model import ShortAnswer
from autograder.quiz.texts.xml import document

from .qti_player import MODULES, Play, play, skip_without_player, wrong_scores
from .taking import QUIZZES, all_ten_as_choices, knowledge_check, one_right_and_one_wrong, traps

CONVERT = Path(__file__).with_name("convert_qti.mjs")


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """What the player makes of one right and one wrong response to every item, after the conversion."""
    skip_without_player()
    if not (MODULES / "@citolab/qti-convert").exists():
        pytest.skip("qti-convert is not installed: npm install --prefix tests --no-package-lock")
    found = list(dict.fromkeys(each for load in QUIZZES.values() for each in one_right_and_one_wrong(load())))
    items = list(dict.fromkeys(each.item for each in found))
    documents = json.dumps([document(item_xml(item, QTI21)).decode() for item in items])
    ran = subprocess.run(
        ["node", CONVERT], input=documents, capture_output=True, text=True, encoding="utf-8", timeout=300
    )
    assert ran.returncode == 0, ran.stderr
    # The player wants the element itself, not what stands before it in a file.
    converted = [xml[xml.index("<qti-assessment-item") :] for xml in json.loads(ran.stdout)]
    xml_of = dict(zip(items, converted, strict=True))
    plays = [Play(xml_of[each.item], each.chosen, each.typed) for each in found]
    return dict(zip(found, play(plays, tmp_path_factory.mktemp("player")), strict=True))


class TestThePlayer:
    def test_gives_each_item_the_right_mark_for_right_and_wrong_responses(self, played):
        assert len({attempt.item for attempt in played}) > len(all_ten_as_choices().items) + len(traps().items)
        assert wrong_scores(played) == []


def tree(item) -> ET.Element:
    return ET.fromstring(item_xml(item, QTI21))


def test_no_name_of_qti3_is_left_in_an_item():
    for item in (*knowledge_check().items, *traps().items):
        names = {name.rpartition("}")[2] for each in tree(item).iter() for name in (each.tag, *each.attrib)}
        assert [name for name in names if "-" in name] == []


def test_names_are_those_of_the_specification():
    assert camel("qti-response-declaration") == "responseDeclaration"
    assert camel("qti-response-else-if") == "responseElseIf"
    assert camel("base-type") == "baseType"


def test_every_item_sets_its_score_itself_and_uses_only_what_it_declares():
    for item in (*all_ten_as_choices().items, *traps().items):
        root = tree(item)
        declared = {each.get("identifier") for each in root if each.tag.endswith("Declaration")}
        used = {each.get("identifier") for each in root.iter(f"{{{QTI21.namespace}}}setOutcomeValue")}
        used |= {each.get("identifier") for each in root.iter(f"{{{QTI21.namespace}}}variable")}
        used |= {each.get("outcomeIdentifier") for each in root.iter(f"{{{QTI21.namespace}}}modalFeedback")}
        assert used <= declared
        assert ("SCORE" in used) is not isinstance(item, ShortAnswer)
        choices = {each.get("identifier") for each in root.iter(f"{{{QTI21.namespace}}}simpleChoice")}
        shown = {each.get("identifier") for each in root.iter(f"{{{QTI21.namespace}}}modalFeedback")}
        assert not choices or shown <= choices | {"explanation"}


def test_the_parts_of_an_item_stand_in_the_order_of_the_specification():
    order = ["responseDeclaration", "outcomeDeclaration", "itemBody", "responseProcessing", "modalFeedback"]
    for item in traps().items:
        places = [order.index(each.tag.partition("}")[2]) for each in tree(item)]
        assert places == sorted(places)


def test_both_versions_have_the_same_items_under_the_same_ids():
    ids = [item.id for item in traps().items]
    for export in (export_qti21, export_qti3):
        with zipfile.ZipFile(io.BytesIO(export(traps()).files[0].data)) as archive:
            items = [name for name in archive.namelist() if name.startswith("items/")]
            assert items == [f"items/{each}.xml" for each in ids]
            assert [ET.fromstring(archive.read(name)).get("identifier") for name in items] == ids
    assert QTI3.namespace != QTI21.namespace
