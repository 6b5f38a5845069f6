"""What every `KnowledgeSource` must do, as one suite that each adapter's tests inherit.

A subclass gives the fixture `source`: the source opened through `open_source`, already holding `CORPUS`
(ingested, or, where a source is only read, put into its table by the test), with a deadline of a few seconds.
The metadata keys are `department` and `year`.
"""

import asyncio
from collections.abc import Sequence

import pytest

from refdesk.kit.errors import AppError
from refdesk.retrieval.external import (
    GuardedSource,
    SourceDocument,
    SourceDocumentNotFound,
    SourceFilterInvalid,
    SourceHit,
    SourceReadOnly,
)

CORPUS = (
    SourceDocument(
        "d1",
        "Travel policy",
        "Flights above six hours may be booked in premium economy.",
        {"department": "finance", "year": 2024},
        "https://example.org/travel",
    ),
    SourceDocument(
        "d2",
        "Error catalogue",
        "ERR-1042 means that the valve controller lost its pressure signal.",
        {"department": "engineering", "year": 2023},
    ),
    SourceDocument(
        "d3",
        "年假规定",
        "员工每年享有十五天年假，未用完的年假可以结转。",
        {"department": "人事", "year": 2024},
    ),
    SourceDocument(
        "d4",
        "Crème brûlée",
        "The naïve café's menu: crème brûlée — 7 €, “smørrebrød” 🍰.",
        {"department": "kitchen", "year": 2022},
    ),
    SourceDocument(
        "d5",
        "Robert'); DROP TABLE documents;--",
        "A title with quotes, 100%_wild \\ signs and a `backtick`.",
        {"department": 'O\'Brien "x" \\ %', "year": 2021},
    ),
)

LONG = ("en", "zh")
_FILLER = {
    "en": "The ledger lists barrels, ropes and lanterns of the harbour office. ",
    "zh": "这卷账册登记了港务处的木桶、缆绳与灯笼，并注明入库的时间。",
}
_FACTS = {
    "en": (
        "Quinces ripen on the terrace.",
        "Violins hang above the fireplace.",
        "Glaciers retreat from Zermatt.",
    ),
    "zh": ("天台上的榅桲已经成熟。", "小提琴挂在壁炉上方。", "冰川正从采尔马特后退。"),
}


def long_document(script: str) -> tuple[SourceDocument, tuple[str, ...]]:
    """A document of more than 66,000 bytes, and three facts: its first words, in its middle, its last words.

    Each is said often enough that an embedder that only counts words finds its piece.
    """
    first, middle, last = (f"{fact} " * 20 for fact in _FACTS[script])
    half = _FILLER[script] * 500
    text = f"{first}{half}{middle}{half}{last}"
    return SourceDocument("long", "Ledger", text, {"department": "archive", "year": 2039}), _FACTS[script]


HOSTILE = (
    "'; DROP TABLE documents; --",
    '" OR "1"="1',
    "{query} {top_k} {{}} %s %(query)s :name $1",
    '") or department == "finance',
    "+travel -policy *(<>~@",
    "\\",
    "%",
    "' & | ! ( ) :*",
    "\x00nul",
    "🍰" * 50,
    "\ud800",
    "----------------",
)


async def fill(source: GuardedSource) -> None:
    """Hand `CORPUS` to a source that takes documents."""
    for document in CORPUS:
        assert await source.ingest(document) == document.id


def ids(hits: Sequence[SourceHit]) -> list[str]:
    return [hit.doc_id for hit in hits]


class SourceConformance:
    """The suite. Nothing here knows which source it is."""

    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ("premium economy flights", "d1"),
            ("ERR-1042", "d2"),
            ("年假可以结转吗", "d3"),
            ("crème brûlée", "d4"),
        ],
    )
    async def test_what_is_asked_for_comes_first(
        self, source: GuardedSource, query: str, expected: str
    ) -> None:
        hits = await source.search(query)
        assert hits[0].doc_id == expected
        (document,) = [each for each in CORPUS if each.id == expected]
        assert (hits[0].title, hits[0].url) == (document.title, document.url)
        assert document.text in hits[0].text

    async def test_three_hits_are_given_unless_another_number_is_asked_for(
        self, source: GuardedSource
    ) -> None:
        query = "travel policy error valve 年假 crème title quotes"
        assert len(await source.search(query)) == 3
        assert len(await source.search(query, 1)) == 1
        assert len(await source.search(query, 5)) == 5
        assert len(await source.search(query, 10_000)) == len(CORPUS)

    @pytest.mark.parametrize(
        ("query", "top_k"), [("", 3), ("  \n", 3), ("\x00", 3), ("travel", 0), ("travel", -1)]
    )
    async def test_nothing_is_found_for_nothing(self, source: GuardedSource, query: str, top_k: int) -> None:
        assert await source.search(query, top_k) == []

    async def test_scores_are_between_0_and_1_and_fall(self, source: GuardedSource) -> None:
        hits = await source.search("travel policy flights error 年假", 5)
        scores = [hit.score for hit in hits]
        assert all(0.0 <= score <= 1.0 for score in scores)
        assert scores == sorted(scores, reverse=True)
        assert len(set(ids(hits))) == len(hits)

    @pytest.mark.parametrize("query", HOSTILE)
    async def test_a_hostile_question_is_only_a_question(self, source: GuardedSource, query: str) -> None:
        hits = await source.search(query, 5)
        assert set(ids(hits)) <= {document.id for document in CORPUS}
        assert (await source.search("premium economy flights"))[0].doc_id == "d1"

    async def test_metadata_comes_with_the_hits(self, source: GuardedSource) -> None:
        (hit,) = await source.search("ERR-1042 valve", 1)
        if hit.metadata or source.capabilities.can_filter:
            assert hit.metadata["department"] == "engineering"
            assert str(hit.metadata["year"]) == "2023"

    async def test_filters_are_equalities_that_all_hold(self, source: GuardedSource) -> None:
        query = "travel error 年假 crème title"
        if not source.capabilities.can_filter:
            with pytest.raises(SourceFilterInvalid):
                await source.search(query, filters={"department": "finance"})
            return
        assert ids(await source.search(query, 5, filters={"department": "人事"})) == ["d3"]
        assert set(ids(await source.search(query, 5, filters={"year": 2024}))) == {"d1", "d3"}
        both = {"year": 2024, "department": "finance"}
        assert ids(await source.search(query, 5, filters=both)) == ["d1"]
        odd = {"department": CORPUS[4].metadata["department"]}
        assert ids(await source.search("title quotes", 5, filters=odd)) == ["d5"]

    @pytest.mark.parametrize("value", ['" or 1 == 1 or "', "' OR '1'='1", "{v0}", "%", "a\\"])
    async def test_a_hostile_filter_matches_nothing(self, source: GuardedSource, value: str) -> None:
        if source.capabilities.can_filter:
            assert await source.search("travel policy", 5, filters={"department": value}) == []

    @pytest.mark.parametrize(
        "key", ['department" == "x" or metadata["year', "a b", "x;--", "", "$or", "a.b", "é"]
    )
    async def test_a_hostile_key_is_refused(self, source: GuardedSource, key: str) -> None:
        with pytest.raises(SourceFilterInvalid):
            await source.search("travel", filters={key: "x"})

    async def test_questions_at_once_get_their_own_answers(self, source: GuardedSource) -> None:
        asked = [("premium economy flights", "d1"), ("ERR-1042 valve", "d2"), ("年假结转", "d3")] * 6
        found = await asyncio.gather(*(source.search(query) for query, _ in asked))
        assert [hits[0].doc_id for hits in found] == [expected for _, expected in asked]

    async def test_what_cannot_be_changed_says_so(self, source: GuardedSource) -> None:
        if not source.capabilities.can_ingest:
            with pytest.raises(SourceReadOnly):
                await source.ingest(CORPUS[0])
        if not source.capabilities.can_update_metadata:
            with pytest.raises(SourceReadOnly):
                await source.update_metadata("d1", {"year": 1})

    async def test_metadata_is_set_key_by_key(self, source: GuardedSource) -> None:
        if not source.capabilities.can_update_metadata:
            pytest.skip("the source is only read")
        await source.update_metadata("d1", {"year": 2030, "checked": True})
        (hit,) = await source.search("premium economy flights", 1)
        assert hit.metadata == {"department": "finance", "year": 2030, "checked": True}
        with pytest.raises(SourceDocumentNotFound):
            await source.update_metadata("nobody' OR '1'='1", {"year": 1})
        with pytest.raises(SourceFilterInvalid):
            await source.update_metadata("d1", {'year"': 1})

    async def test_the_same_id_replaces(self, source: GuardedSource) -> None:
        if not source.capabilities.can_ingest:
            pytest.skip("the source is only read")
        newer = SourceDocument("d1", "Travel policy", "Trains only from now on.", {"year": 2031})
        await source.ingest(newer)
        hits = await source.search("travel policy trains", 10)
        (hit,) = [each for each in hits if each.doc_id == "d1"]
        assert (hit.text, hit.metadata, hit.url) == (newer.text, {"year": 2031}, None)
        assert len(hits) == len(CORPUS)

    @pytest.mark.parametrize("script", LONG)
    async def test_all_of_a_long_document_is_found(self, source: GuardedSource, script: str) -> None:
        if not source.capabilities.can_ingest:
            pytest.skip("the source is only read")
        document, facts = long_document(script)
        assert len(document.text.encode()) > 66_000
        await source.ingest(document)
        for fact in facts:
            hits = await source.search(fact, len(CORPUS) + 1)
            assert hits[0].doc_id == document.id
            assert fact in hits[0].text
            # Its many pieces neither come more than once nor leave no room for others.
            assert sorted(ids(hits)) == sorted([document.id, *(each.id for each in CORPUS)])

    async def test_metadata_is_set_on_all_of_a_long_document(self, source: GuardedSource) -> None:
        if not (source.capabilities.can_ingest and source.capabilities.can_update_metadata):
            pytest.skip("the source is only read")
        document, facts = long_document("en")
        await source.ingest(document)
        await source.update_metadata(document.id, {"year": 2040})
        for fact in facts:
            (hit,) = await source.search(fact, 1)
            assert hit.metadata == {"department": "archive", "year": 2040}
            if source.capabilities.can_filter:
                (hit,) = await source.search(fact, 5, filters={"year": 2040})
                assert fact in hit.text
                assert await source.search(fact, 5, filters={"year": document.metadata["year"]}) == []

    async def test_nothing_is_left_of_a_long_document_that_was_replaced(self, source: GuardedSource) -> None:
        if not source.capabilities.can_ingest:
            pytest.skip("the source is only read")
        document, facts = long_document("en")
        await source.ingest(document)
        await source.ingest(
            SourceDocument(document.id, document.title, "The lamp is broken.", {"year": 2041})
        )
        for fact in facts:
            hits = await source.search(fact, 10)
            assert len(hits) == len(CORPUS) + 1
            (hit,) = [each for each in hits if each.doc_id == document.id]
            assert (hit.text, hit.metadata) == ("The lamp is broken.", {"year": 2041})

    async def test_an_error_has_a_stable_code(self, source: GuardedSource) -> None:
        with pytest.raises(AppError) as caught:
            await source.search("travel", filters={"a b": "x"})
        assert caught.value.code == "source-filter-invalid"
