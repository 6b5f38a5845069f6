"""Strategies: the rules of all, what each is for, and which kind of question gets which."""

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import ClassVar
from uuid import uuid4

import pytest

from refdesk.retrieval import LegScore, SearchRequest, UnknownStrategy
from refdesk.retrieval.strategies import (
    EntityFocused,
    HybridSearch,
    Strategy,
    TimeAware,
    entities_in,
    get_strategy,
    register,
    strategy_choices,
    strategy_names,
)
from refdesk.retrieval.strategies.registry import (
    _load_installed,  # pyright: ignore[reportPrivateUsage]
    _strategies,  # pyright: ignore[reportPrivateUsage]
)
from refdesk.retrieval.strategies.time_aware import newest_first, subject_of
from refdesk.testing.strategies import QUESTIONS, FixedSearch, check_strategy, shelved_hits

LEAVE = subject_of("目前年假有几天")


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("strategy", [HybridSearch(), EntityFocused(), TimeAware()], ids=lambda s: s.name)
async def test_every_strategy_keeps_the_rules(strategy: Strategy, question: str) -> None:
    await check_strategy(strategy, question)


class Doubled(HybridSearch):
    """Breaks a rule."""

    async def rank(self, request: SearchRequest, search: object):
        found = await super().rank(request, search)  # type: ignore[arg-type]
        return replace(found, hits=[*found.hits, *found.hits])


async def test_the_rules_can_be_broken() -> None:
    with pytest.raises(AssertionError, match="once"):
        await check_strategy(Doubled(), QUESTIONS[0])


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("目前的年假规定是什么", "time-aware"),
        ("腾讯最新股价和涨跌幅", "time-aware"),
        ("What is the current refund policy?", "time-aware"),
        ("最近一次体检是什么时候", "time-aware"),
        ("中国人民大学信息学院的院长是谁", "entity-focused"),
        ("北京的办事处在哪里", "entity-focused"),
        ("Who founded Acme Robotics?", "entity-focused"),
        ("ERR-1042 怎么办", "entity-focused"),
        ("《劳动合同法》如何规定试用期", "entity-focused"),
        ("怎么退货", "hybrid-search"),
        ("how do i return an item", "hybrid-search"),
        ("Which form do I need?", "hybrid-search"),
    ],
)
def test_a_question_gets_the_strategy_of_its_kind(question: str, name: str) -> None:
    assert get_strategy("auto", question).name == name


def test_a_strategy_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(UnknownStrategy) as raised:
        get_strategy("guessing", "q")
    assert "time-aware" in raised.value.details["strategies"]


def test_another_strategy_is_found_by_name_and_asked_first() -> None:
    class Contracts(HybridSearch):
        name: ClassVar[str] = "contracts"

        def fits(self, question: str) -> bool:
            return "合同" in question

    before = dict(_strategies)
    try:
        register(Contracts())
        assert strategy_names()[0] == "contracts"
        assert get_strategy("auto", "目前的合同").name == "contracts"
        with pytest.raises(ValueError, match="contracts"):
            register(Contracts())
    finally:
        _strategies.clear()
        _strategies.update(before)


ACME = """
from refdesk.retrieval.strategies import HybridSearch


class Acme(HybridSearch):
    name = "acme-search"
    descriptions = {"en": "Searches as Acme does."}

    def fits(self, question):
        return False
"""


def test_a_strategy_of_a_package_is_a_choice_beside_ours_and_a_broken_one_costs_no_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path / "acme-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (installed / "entry_points.txt").write_text(
        "[refdesk.strategies]\ngone = no_such_module:Gone\nacme = acme_strategies:Acme\n"
    )
    (tmp_path / "acme_strategies.py").write_text(ACME)
    monkeypatch.syspath_prepend(str(tmp_path))
    before = dict(_strategies)
    _load_installed.cache_clear()
    try:
        choices = {choice.name: choice for choice in strategy_choices()}
        assert list(choices)[-1] == "acme-search"
        assert not choices["acme-search"].is_built_in
        assert choices["acme-search"].descriptions == {"en": "Searches as Acme does."}
        assert get_strategy("acme-search", "q").name == "acme-search"
        ours = [choice for choice in choices.values() if choice.is_built_in]
        assert {choice.name for choice in ours} == {"hybrid-search", "auto", "entity-focused", "time-aware"}
        assert all(choice.descriptions.keys() == {"en", "zh"} for choice in ours)
    finally:
        _strategies.clear()
        _strategies.update(before)
        monkeypatch.undo()  # before the packages are looked for again, or this one is found once more
        _load_installed.cache_clear()
        _load_installed()


def test_entities_are_names_codes_and_what_is_quoted() -> None:
    assert entities_in("中国人民大学在北京的地址") == ["中国人民大学", "北京"]
    assert entities_in("What did Best Buy report for FY2018?") == ["Best Buy", "FY2018"]
    assert entities_in("What was the change in Capital redemption reserve in 2019?") == [
        "Capital redemption reserve"
    ]
    assert entities_in("In which years were Deferred charges and other assets sold?") == ["Deferred charges"]
    assert entities_in("“返修单”和ERR-1042有什么关系") == ["返修单", "ERR-1042"]
    assert entities_in("怎么退货") == []


async def test_what_names_the_entity_moves_up() -> None:
    hits = shelved_hits()
    ranking = await EntityFocused().rank(SearchRequest("张三的电话", [uuid4()]), FixedSearch(hits))
    places = [hit.paragraph_id for hit in ranking.hits]
    assert places.index(hits[3].paragraph_id) < 3


def test_an_old_text_that_calls_itself_current_is_no_nearer_for_that() -> None:
    old, new = shelved_hits()[1:3]
    subject = LEAVE
    # Both mean the same; the old one holds the word that asks for the newest too.
    old = replace(old, similarity=0.9, dense=LegScore(0.91, 0.71, 1), lexical=LegScore(9.0, 0.9, 1))
    new = replace(new, similarity=0.58, dense=LegScore(0.90, 0.58, 2), lexical=LegScore(5.0, 0.3, 2))
    assert [hit.content for hit in newest_first([old, new], subject)] == [new.content, old.content]
    far = replace(new, dense=LegScore(0.80, 0.30, 2))
    assert newest_first([old, far], subject)[0] == old


async def test_documents_that_name_the_entity_are_searched_for_the_question() -> None:
    search = FixedSearch(shelved_hits())
    await EntityFocused().rank(SearchRequest("AirPods Pro 怎么退货，张三", [uuid4()]), search)
    plain, naming, inside = search.asked
    assert naming.mode == "keywords"
    assert "AirPods" in naming.query
    assert inside.query == plain.query
    assert inside.document_ids


def test_of_equally_relevant_hits_the_newest_takes_the_place_of_the_best() -> None:
    hits = shelved_hits()
    ordered = newest_first(hits, LEAVE)
    assert [hit.content for hit in ordered[1:3]] == [hits[2].content, hits[1].content]
    assert [hit.score for hit in ordered] == [hit.score for hit in hits]


def test_what_is_newer_and_about_something_else_stays_where_it_is() -> None:
    hits = shelved_hits()
    about_leave = subject_of("目前发票的规定")
    assert newest_first(hits[:3], about_leave)[0] == hits[0]


def test_a_far_less_similar_hit_is_not_equally_relevant() -> None:
    hits = shelved_hits()
    hits[2] = replace(hits[2], similarity=hits[1].similarity - 0.4)
    assert newest_first(hits, LEAVE)[1] == hits[1]


def test_a_hit_without_a_date_comes_after_its_equals() -> None:
    hits = shelved_hits()
    hits[2] = replace(hits[2], dated=None)
    hits[1] = replace(hits[1], dated=date(2001, 1, 1))
    assert newest_first(hits, LEAVE)[1].content == hits[1].content


def test_the_subject_leaves_out_words_of_time_and_asking() -> None:
    assert subject_of("What is the latest refund policy?") == subject_of("refund policy")
