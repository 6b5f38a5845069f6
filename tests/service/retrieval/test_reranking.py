"""Searches with a reranker: its order where it answers, the fused one where it does not."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from refdesk.gateway import ModelBadResponse, ModelTimeout, ModelUnavailable
from refdesk.kit.database import Database
from refdesk.kit.ids import new_id
from refdesk.retrieval import RerankChoice, SearchResult
from refdesk.testing.library import Library, ShelvedBase
from refdesk.testing.reranker import ScriptedReranker

TEXTS = [f"The refund period of product {n} is {n} days, said the desk." for n in range(30)]


@pytest.fixture
async def library(database: Database) -> Library:
    return await Library(database).open()


def by_number(_query: str, text: str) -> float:
    return float(text.split("product ")[1].split(" ")[0])


async def setting(library: Library, score: object = by_number) -> tuple[ShelvedBase, ScriptedReranker]:
    base = await library.base()
    await library.add(base, TEXTS)
    reranker = ScriptedReranker(score)  # type: ignore[arg-type]
    library.rerankers.append(reranker)
    return base, reranker


def contents(result: SearchResult) -> list[str]:
    return [hit.content for hit in result.hits]


@pytest.mark.parametrize("mode", ["embedding", "keywords", "blend"])
async def test_the_rerankers_order_is_the_order(library: Library, mode: str) -> None:
    base, reranker = await setting(library)
    choice = RerankChoice(reranker.model_id, candidates=30)
    result = await library.search("refund period", base, mode=mode, rerank=choice, apply_gate=False)
    assert contents(result) == TEXTS[:24:-1]
    assert [hit.rerank_score for hit in result.hits] == [29.0, 28.0, 27.0, 26.0, 25.0]
    assert [hit.score for hit in result.hits] == sorted((hit.score for hit in result.hits), reverse=True)
    assert result.reranked
    assert result.warnings == ()
    assert "rerank" in result.timings_ms


async def test_only_the_candidates_are_sent_and_the_others_stay_behind(library: Library) -> None:
    base, reranker = await setting(library)
    plain = await library.search("refund period", base, top_n=20, apply_gate=False)
    choice = RerankChoice(reranker.model_id, candidates=3)
    result = await library.search("refund period", base, top_n=20, rerank=choice, apply_gate=False)
    assert len(reranker.calls) == 1
    assert len(reranker.calls[0]) == 3
    assert set(contents(result)[:3]) == set(contents(plain)[:3])
    assert contents(result)[3:] == contents(plain)[3:]
    assert all(hit.rerank_score is None for hit in result.hits[3:])


@pytest.mark.parametrize(
    "error", [ModelTimeout(timeout_s=3.0), ModelUnavailable(), ModelBadResponse("no scores")]
)
async def test_a_failure_leaves_the_order_of_the_search_and_says_why(
    library: Library, error: Exception
) -> None:
    base, reranker = await setting(library)
    reranker.fail_with = error
    plain = await library.search("refund period product 7", base)
    choice = RerankChoice(reranker.model_id, candidates=30, min_score=1000.0)
    result = await library.search("refund period product 7", base, rerank=choice)
    assert contents(result) == contents(plain)
    assert result.found == plain.found
    assert not result.reranked
    assert [warning.code for warning in result.warnings] == ["rerank-failed"]


async def test_a_reranker_that_is_gone_is_a_warning_too(library: Library) -> None:
    base, _ = await setting(library)
    result = await library.search("refund period", base, rerank=RerankChoice(new_id()))
    assert len(result.hits) == 5
    assert [warning.code for warning in result.warnings] == ["reranker-unusable"]


async def test_the_rerankers_gate_drops_and_decides_what_is_found(library: Library) -> None:
    base, reranker = await setting(library)
    choice = RerankChoice(reranker.model_id, candidates=30, min_score=28.0)
    result = await library.search("refund period", base, rerank=choice)
    assert contents(result) == [TEXTS[29], TEXTS[28]]
    assert result.found
    assert {reason for _, reason in result.dropped} >= {"below_rerank_score"}
    none = await library.search("refund period", base, rerank=replace(choice, min_score=100.0))
    assert none.hits == []
    assert not none.found
    shown = await library.search(
        "refund period", base, rerank=replace(choice, min_score=100.0), apply_gate=False
    )
    assert len(shown.hits) == 5
    assert not shown.found


async def test_equal_scores_keep_the_order_of_the_search(library: Library) -> None:
    base, reranker = await setting(library, lambda _query, _text: 0.5)
    plain = await library.search("refund period product 7", base)
    result = await library.search(
        "refund period product 7", base, rerank=RerankChoice(reranker.model_id, candidates=30)
    )
    assert contents(result) == contents(plain)


async def test_what_it_reads_is_the_piece_under_its_titles(library: Library) -> None:
    base = await library.base()
    long = "。".join(f"第{n}句讲的是仓库的温度和湿度" for n in range(200)) + "。"
    await library.add(base, [long + "退款期限是三十天。"], titles=["手册", "退款"])
    reranker = ScriptedReranker()
    library.rerankers.append(reranker)
    await library.search("退款期限是三十天", base, rerank=RerankChoice(reranker.model_id))
    (text,) = reranker.calls[0]
    assert text.startswith("手册 > 退款\n")
    assert "退款期限是三十天" in text
    assert len(text) < 1_000


async def test_searches_without_a_reranker_ask_none(library: Library) -> None:
    base, reranker = await setting(library)
    await library.search("refund period", base)
    await library.search("----", base, rerank=RerankChoice(reranker.model_id), mode="keywords")
    assert reranker.calls == []


async def test_a_hanging_reranker_holds_no_connection(library: Library) -> None:
    base, _ = await setting(library)

    class Hanging(ScriptedReranker):
        async def rerank(self, query: str, texts: Sequence[str], *, timeout_s: float) -> list[float]:
            assert library.database.engine.pool.checkedout() == 0  # type: ignore[attr-defined]
            await asyncio.sleep(0)
            raise ModelTimeout(timeout_s=timeout_s)

    reranker = Hanging()
    library.rerankers.append(reranker)
    result = await library.search("refund period", base, rerank=RerankChoice(reranker.model_id))
    assert result.warnings[0].code == "rerank-failed"
