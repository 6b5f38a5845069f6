"""Why a document is not among the hits: each reason, with scores and ranks that hold by hand."""

from typing import Any
from uuid import UUID

import numpy as np
import pytest
from sqlalchemy import select, update

from refdesk.accounts import Role, Scope
from refdesk.kit.database import Database
from refdesk.kit.ids import new_id
from refdesk.knowledge.indexing import IndexWriter
from refdesk.knowledge.tables import Document, Paragraph
from refdesk.retrieval import Explainer, Explanation, NothingToExplain, SearchRequest
from refdesk.testing.library import Library, ShelvedBase, ShelvedDocument

TEXTS = [
    "报销差旅费需要在出差结束后三十天内提交发票。",
    "年假按照工龄计算，满一年不满十年的年假五天。",
    "设备启动失败时面板显示ERR-1042，请检查电源。",
]
QUESTION = "差旅费报销需要什么发票"


@pytest.fixture
async def library(database: Database) -> Library:
    return await Library(database).open()


async def explain(
    library: Library, base: ShelvedBase, query: str, document: ShelvedDocument | UUID, **options: Any
) -> Explanation:
    paragraph_id = options.pop("paragraph_id", None)
    scope = options.pop("scope", library.scope)
    request = SearchRequest(query, [base.id], **options)
    document_id = document if isinstance(document, UUID) else document.id
    return await Explainer(library.database, library.retriever).explain(
        scope,
        request,
        document_id=None if paragraph_id else document_id,
        paragraph_id=paragraph_id,
    )


async def test_what_is_found_is_said_to_be_with_its_rank(library: Library) -> None:
    base = await library.base()
    documents = [await library.add(base, [text]) for text in TEXTS]
    found = await explain(library, base, QUESTION, documents[0])
    assert (found.reason, found.rank) == ("found", 1)
    assert found.standing is not None
    assert found.standing.place == 1
    assert found.standing.dense is not None
    assert found.standing.lexical is not None
    assert (found.standing.dense.rank, found.standing.lexical.rank) == (1, 1)
    assert found.standing.similarity == pytest.approx(found.result.hits[0].similarity)
    assert found.paragraph is not None
    assert found.paragraph.content == TEXTS[0]
    held = {word.word: word.held for word in found.standing.words}
    assert held["发票"]
    assert not held["什么"]


async def test_exact_ranks_are_those_of_a_comparison_by_hand(library: Library) -> None:
    base = await library.base()
    texts = [f"第{n}条 差旅费 " + "发票 " * (n % 7) + "报销 " * (n % 3) + f"编号{n * 37}" for n in range(60)]
    documents = [await library.add(base, [text]) for text in texts]
    query = (await base.embedder.embed_queries([QUESTION]))[0].astype(np.float16).astype(np.float32)
    passages = (await base.embedder.embed_passages(texts)).astype(np.float16).astype(np.float32)
    cosines = passages @ query
    for at in (0, 13, 41, 59):
        found = await explain(library, base, QUESTION, documents[at], top_n=1, similarity=0.0)
        assert found.standing is not None
        assert found.standing.dense is not None
        assert found.standing.dense.raw == pytest.approx(float(cosines[at]), abs=1e-3)
        by_hand = 1 + int((cosines > cosines[at] + 1e-3).sum()), 1 + int((cosines > cosines[at] - 1e-3).sum())
        assert found.standing.dense.rank is not None
        assert by_hand[0] <= found.standing.dense.rank <= by_hand[1]


async def test_each_gate_is_named(library: Library) -> None:
    base = await library.base()
    documents = [await library.add(base, [text]) for text in TEXTS]
    assert (await explain(library, base, QUESTION, documents[2])).reason == "below_threshold"
    beyond = await explain(library, base, QUESTION, documents[1], top_n=1, similarity=0.0)
    assert beyond.reason == "beyond_top_n"
    far = await explain(library, base, QUESTION, documents[1], similarity=0.0, drop=0.2)
    assert far.reason == "far_below_best"
    words = await explain(library, base, QUESTION, documents[2], mode="keywords", similarity=0.0)
    assert words.reason == "not_a_candidate"
    assert words.standing is not None
    assert words.standing.dense is None
    assert words.standing.lexical is not None
    assert (words.standing.lexical.raw, words.standing.lexical.rank) == (0.0, None)
    assert not any(word.held for word in words.standing.words)


async def test_a_document_beyond_the_candidates_has_its_rank_in_each_leg(library: Library) -> None:
    base = await library.base()
    await library.add(base, [f"差旅费报销需要发票，第{n}条。" for n in range(40)])
    other = await library.add(base, ["年假按照工龄计算。"])
    found = await explain(library, base, QUESTION, other, top_n=2)
    assert found.reason == "not_a_candidate"
    assert found.standing is not None
    assert found.standing.limit == 20
    assert found.standing.place is None
    assert found.standing.dense is not None
    assert found.standing.dense.rank is not None
    assert found.standing.dense.rank > 20


async def test_what_a_search_cannot_see_is_named_before_any_score(library: Library) -> None:
    base, elsewhere = await library.base(), await library.base()
    here = await library.add(base, TEXTS)
    there = await library.add(elsewhere, TEXTS)
    assert (await explain(library, base, QUESTION, there)).reason == "other_base"
    assert (await explain(library, base, QUESTION, here, document_ids=[there.id])).reason == "filtered"
    unindexed = await library.add(base, TEXTS, is_indexed=False)
    assert (await explain(library, base, QUESTION, unindexed)).reason == "not_indexed"
    async with library.database.transaction() as session:
        await session.execute(
            update(Document).where(Document.id == unindexed.id).values(state="failed", error={})
        )
    assert (await explain(library, base, QUESTION, unindexed)).reason == "failed"
    async with library.database.transaction() as session:
        await session.execute(update(Document).where(Document.id == unindexed.id).values(is_draft=True))
    assert (await explain(library, base, QUESTION, unindexed)).reason == "draft"


async def test_an_inactive_document_and_an_inactive_paragraph_are_told_apart(library: Library) -> None:
    base = await library.base()
    document = await library.add(base, TEXTS)
    taken_out = document.paragraphs[0].id
    async with library.database.transaction() as session:
        await session.execute(update(Paragraph).where(Paragraph.id == taken_out).values(is_active=False))
        await IndexWriter(session, library.scope, base.index).set_active([taken_out], False)
    found = await explain(library, base, QUESTION, document, paragraph_id=taken_out)
    assert found.reason == "paragraph_inactive"
    assert "some_inactive" in (await explain(library, base, QUESTION, document)).notes
    async with library.database.transaction() as session:
        await session.execute(update(Document).where(Document.id == document.id).values(is_active=False))
        await IndexWriter(session, library.scope, base.index).set_document_active(document.id, False)
    assert (await explain(library, base, QUESTION, document)).reason == "document_inactive"


async def test_an_edit_that_is_not_indexed_yet_is_noted(library: Library) -> None:
    base = await library.base()
    document = await library.add(base, TEXTS)
    async with library.database.transaction() as session:
        await session.execute(
            update(Paragraph).where(Paragraph.id == document.paragraphs[0].id).values(revision=2)
        )
    assert "older_revision" in (await explain(library, base, QUESTION, document)).notes


async def test_nothing_is_said_of_what_is_not_there_or_not_the_callers(library: Library) -> None:
    base = await library.base()
    document = await library.add(base, TEXTS)
    for missing in (new_id(), document.id):
        scope = library.scope if missing != document.id else Scope.system(new_id())
        with pytest.raises(NothingToExplain):
            await explain(library, base, QUESTION, missing, scope=scope)
    async with library.database.transaction() as session:
        paragraph = await session.scalar(select(Paragraph.id).where(Paragraph.document_id == document.id))
    with pytest.raises(NothingToExplain):
        await explain(library, base, QUESTION, document, scope=Scope.system(new_id()), paragraph_id=paragraph)


async def test_a_hidden_document_gets_the_answer_of_one_that_does_not_exist(library: Library) -> None:
    base = await library.base()
    hidden = await library.add(base, TEXTS, acl_id=771)
    viewer = Scope(library.workspace_id, new_id(), Role.VIEWER, "session")
    told: list[dict[str, object]] = []
    for missing in (hidden.id, new_id()):
        with pytest.raises(NothingToExplain) as caught:
            await explain(library, base, QUESTION, missing, scope=viewer)
        told.append({"text": caught.value.text, "details": caught.value.details})
    assert told[0] == told[1]
    with pytest.raises(NothingToExplain):
        await explain(library, base, QUESTION, hidden, scope=viewer, paragraph_id=hidden.paragraphs[0].id)
    assert "restricted" in (await explain(library, base, QUESTION, hidden)).notes


async def test_ranks_count_only_what_the_caller_could_find(library: Library) -> None:
    base = await library.base()
    await library.add(base, [f"差旅费报销需要什么发票，第{n}条。" for n in range(8)], acl_id=771)
    seen = await library.add(base, ["年假按照工龄计算。"])
    viewer = Scope(library.workspace_id, new_id(), Role.VIEWER, "session")
    for scope, rank in ((viewer, 1), (library.scope, 9)):
        found = await explain(library, base, QUESTION, seen, scope=scope)
        assert found.standing is not None
        assert found.standing.dense is not None
        assert found.standing.dense.rank == rank
