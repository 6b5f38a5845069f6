"""Rules measured on labelled relations, and what they must not take for one."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refdesk.knowledge.graph.extraction.facts import Passage
from refdesk.knowledge.graph.extraction.names import is_value, name_of
from refdesk.knowledge.graph.extraction.rules import read_by_rules
from refdesk.knowledge.graph.keys import entity_key
from refdesk.knowledge.graph.kinds import KINDS

LABELLED = json.loads(Path(__file__).with_name("labelled_relations.json").read_text("utf-8"))
LEAST_F1 = 0.7


def passage(text: str, *titles: str) -> Passage:
    return Passage(uuid4(), uuid4(), "a.md", titles, text, 1)


@dataclass
class Score:
    """Relations found and labelled, found only, labelled only."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    @property
    def f1(self) -> float:
        return 2 * self.right / (2 * self.right + self.wrong + self.missed)


def score_of(cases: list[Any]) -> Score:
    score = Score()
    for case in cases:
        found = {
            (
                entity_key(f.source),
                entity_key(f.label) if f.kind == "attribute" else f.kind,
                entity_key(f.target),
            )
            for f in read_by_rules(passage(case["text"], *case["titles"]))
        }
        labelled = {
            (entity_key(source), kind if kind in KINDS else entity_key(kind), entity_key(target))
            for source, kind, target in case["relations"]
        }
        score.right += len(found & labelled)
        score.wrong += len(found - labelled)
        score.missed += len(labelled - found)
    return score


def test_rules_find_the_labelled_relations_in_both_languages() -> None:
    chinese = [case for case in LABELLED if any("\u4e00" <= c <= "\u9fff" for c in case["text"])]
    english = [case for case in LABELLED if case not in chinese]
    assert sum(len(case["relations"]) for case in LABELLED) >= 30
    for cases in (chinese, english):
        score = score_of(cases)
        assert score.right >= 10
        assert score.f1 >= LEAST_F1, score


@pytest.mark.parametrize(
    "text",
    [
        "我们非常支持大家在群里提问。",
        "这属于正常现象，它依赖于具体情况。",
        "该版本不支持 Windows 7。",
        "It depends on what you need, and we support our customers.",
        "The agent does not support Windows 7.",
        "Note: unplug the device.\n注意：断电前请先保存配置",
        "| | |\n|---|---|\n| 1 | 2 |",
        "",
    ],
)
def test_what_states_no_relation_gives_none(text: str) -> None:
    assert read_by_rules(passage(text, "概述")) == []


def test_a_fact_stands_where_the_text_says_it() -> None:
    text = (
        "先核对清单。\n\n| 型号 | 内存 |\n|---|---|\n| EdgeBox 10 | 2 GB |\n\n报表模块依赖数据仓库，请留意。"
    )
    facts = read_by_rules(passage(text))
    assert len(facts) == 2
    for fact in facts:
        told = text[fact.start : fact.end]
        assert fact.source in told
        assert fact.target in told


@pytest.mark.parametrize(
    "spellings",
    [
        ("ERR-1042", "ERR_1042", "err1042", "ＥＲＲ－１０４２"),
        ("數據倉庫", "数据仓库", "「数据仓库」"),
        ("Data-Gateway", "data gateway", "DATA_GATEWAY"),
        ("K8S 集群", "K8S集群", "k8s集群"),
    ],
)
def test_spellings_of_one_name_have_one_key(spellings: tuple[str, ...]) -> None:
    assert len({entity_key(spelling) for spelling in spellings}) == 1


@given(st.text(max_size=60))
def test_a_key_is_the_key_of_itself_and_extraction_never_fails(text: str) -> None:
    key = entity_key(text)
    assert entity_key(key) == key
    read_by_rules(passage(text, text))
    name_of(text)
    is_value(text)
