"""Routing over real indexes: what it finds, when it must not judge, and what it must not give away."""

from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text, update

from refdesk.accounts import Scope
from refdesk.gateway import Completion, CompletionRequest, ModelTimeout
from refdesk.kit.clock import now
from refdesk.kit.database import Database
from refdesk.knowledge.tables import Document
from refdesk.retrieval.routing import Route, RouteQuery, RouteSettings, choose_bases, refresh_profile
from refdesk.retrieval.routing.asking import Described, with_model
from refdesk.retrieval.routing.profiles import STALE
from refdesk.testing.library import Library, ShelvedBase

SUBJECTS = ("apple", "bridge", "candle", "desert", "engine", "falcon", "garden", "harbour")


@pytest.fixture
async def library(database: Database) -> Library:
    return await Library(database).open()


async def shelves(library: Library) -> list[ShelvedBase]:
    """A base a subject, each with its profile."""
    bases = [await library.base() for _ in SUBJECTS]
    for base, subject in zip(bases, SUBJECTS, strict=True):
        await library.add(base, [f"the {subject} of chapter {n} and {subject}-{n}" for n in range(12)])
        await refresh_profile(library.database, library.scope, base.index.id)
    return bases


async def route(
    library: Library,
    bases: list[ShelvedBase],
    question: str,
    *,
    lists: frozenset[int] | None = None,
    **settings: Any,
) -> Route:
    vectors = await bases[0].embedder.embed_queries([question])
    async with library.database.transaction() as session:
        return await choose_bases(
            session,
            library.scope,
            RouteQuery(question, {bases[0].embedder.model_id: vectors[0]}),
            [base.id for base in bases],
            RouteSettings(**(dict[str, Any](few=2, at_least=1) | settings)),
            lists=lists,
        )


async def test_the_base_of_the_subject_comes_first_and_far_ones_are_left_out(library: Library) -> None:
    bases = await shelves(library)
    for base, subject in zip(bases, SUBJECTS, strict=True):
        found = await route(library, bases, f"what about the {subject}-3")
        assert base.id in found.searched
        assert len(found.searched) <= len(bases) // 2
        assert found.bases[0].words is not None
        assert found.bases[0].nearness is not None


async def test_a_routed_search_tells_what_it_searched_and_finds_the_same(library: Library) -> None:
    bases = await shelves(library)
    every = await library.search("falcon-7", *bases)
    routed = await library.search("falcon-7", *bases, route=RouteSettings(few=2, at_least=1))
    assert every.route is None
    assert routed.route is not None
    assert 0 < len(routed.route.searched) < len(bases)
    assert routed.hits[0].paragraph_id == every.hits[0].paragraph_id


async def test_a_base_without_a_profile_or_an_index_is_searched(library: Library) -> None:
    bases = await shelves(library)
    fresh = await library.base()
    await library.add(fresh, ["nothing in common"])
    found = await route(library, [*bases, fresh], "the apple-1")
    (score,) = [base for base in found.bases if base.knowledge_base_id == fresh.id]
    assert score.is_searched
    assert score.reason == "no-statistics"
    assert score.score is None


async def test_words_that_came_since_the_profile_count_at_once(library: Library) -> None:
    bases = await shelves(library)
    await library.add(bases[5], ["the zeppelin-99 has landed"])
    found = await route(library, bases, "zeppelin-99")
    assert bases[5].id in found.searched


async def test_few_bases_need_no_statistics(library: Library) -> None:
    bases = await shelves(library)
    found = await route(library, bases[:2], "the apple-1")
    assert {base.reason for base in found.bases} == {"few-bases"}


async def test_a_restricted_document_changes_nothing_for_who_may_not_see_it(library: Library) -> None:
    bases = await shelves(library)
    before = await route(library, bases, "the secret merger-7", lists=frozenset({0}))
    await library.add(bases[2], [f"the secret merger-7 part {n}" for n in range(8)], acl_id=41)
    await refresh_profile(library.database, library.scope, bases[2].index.id)
    hidden = await route(library, bases, "the secret merger-7", lists=frozenset({0, 12}))
    assert hidden == before
    for lists in (None, frozenset({41})):
        seen = await route(library, bases, "the secret merger-7", lists=lists)
        assert seen.searched[0] == bases[2].id
        assert seen.bases[0].words == pytest.approx(1.0)


async def test_a_change_of_access_makes_the_profile_useless_until_it_is_made_anew(library: Library) -> None:
    bases = await shelves(library)
    document = await library.add(bases[2], [f"the secret merger-7 part {n}" for n in range(8)])
    await refresh_profile(library.database, library.scope, bases[2].index.id)
    async with library.database.transaction() as session:
        await session.execute(update(Document).where(Document.id == document.id).values(acl_id=41))
    found = await route(library, bases, "the secret merger-7", lists=frozenset({0}))
    (score,) = [base for base in found.bases if base.knowledge_base_id == bases[2].id]
    assert (score.is_searched, score.reason, score.score) == (True, "no-statistics", None)
    assert bases[2].index.id in await stale(library)
    await refresh_profile(library.database, library.scope, bases[2].index.id)
    again = await route(library, bases, "the secret merger-7", lists=frozenset({0}))
    (score,) = [base for base in again.bases if base.knowledge_base_id == bases[2].id]
    assert score.words is not None
    assert score.words < 0.05


async def stale(library: Library) -> set[UUID]:
    parameters = {"few": 5, "share": 0.02, "before": now(), "most": 1000}
    async with library.database.transaction() as session:
        rows = (await session.execute(STALE, parameters)).all()
    return {index_id for workspace_id, index_id in rows if workspace_id == library.workspace_id}


async def test_profiles_are_asked_for_where_they_are_missing_or_no_longer_true(library: Library) -> None:
    bases = await shelves(library)
    assert await stale(library) == set()
    await library.add(bases[3], ["another paragraph"])
    fresh = await library.base()
    await library.add(fresh, ["a new base"])
    assert await stale(library) == {bases[3].index.id, fresh.index.id}


async def test_no_profiles_are_made_where_there_is_nothing_to_choose(library: Library) -> None:
    base = await library.base()
    await library.add(base, ["one base alone"])
    assert await stale(library) == set()


async def test_a_profile_goes_with_its_index(library: Library) -> None:
    bases = await shelves(library)
    async with library.database.transaction() as session:
        await session.execute(text("DELETE FROM indexes WHERE id = :id"), {"id": bases[0].index.id})
    await refresh_profile(library.database, library.scope, bases[0].index.id)
    async with library.database.transaction() as session:
        for table in ("route_profiles", "route_centroids", "route_terms"):
            query = text(f"SELECT count(*) FROM {table} WHERE index_id = :id")
            assert (await session.execute(query, {"id": bases[0].index.id})).scalar_one() == 0


class Answering:
    """A language model with one answer."""

    def __init__(self, answer: str | Exception) -> None:
        self.answer = answer
        self.asked: list[CompletionRequest] = []
        self.model_id = UUID(int=1)
        self.context_tokens = 8_000

    async def completer(self, scope: Scope, model_id: UUID, purpose: object = None) -> Any:
        return self

    async def complete(self, request: CompletionRequest) -> Completion:
        self.asked.append(request)
        if isinstance(self.answer, Exception):
            raise self.answer
        return Completion(text=self.answer, usage=None, finish_reason="stop")


@pytest.mark.parametrize(
    ("answer", "warning"),
    [
        (ModelTimeout(), "model-timeout"),
        ("I cannot say", "model-bad-response"),
        ('{"numbers": "all"}', "model-bad-response"),
        ('{"numbers": [99, -1]}', None),
    ],
)
async def test_a_model_that_fails_leaves_the_choice_as_it_was(
    library: Library, answer: str | Exception, warning: str | None
) -> None:
    bases = await shelves(library)
    before = await route(library, bases, "the apple-1")
    described = [Described(base.id, "name", "text") for base in bases]
    settings = RouteSettings(few=2, at_least=1, model_id=UUID(int=1))
    after = await with_model(before, Answering(answer), library.scope, "q", described, settings)
    assert after.bases == before.bases
    assert after.warning == warning


async def test_what_a_model_names_is_searched_besides_the_best_by_statistics(library: Library) -> None:
    bases = await shelves(library)
    before = await route(library, bases, "the apple-1")
    described = [Described(base.id, f"name {n}", "") for n, base in enumerate(bases)]
    model = Answering('Sure: {"numbers": [8]}')
    settings = RouteSettings(few=2, at_least=1, model_id=UUID(int=1))
    after = await with_model(before, model, library.scope, "the apple-1", described, settings)
    named = before.bases[7].knowledge_base_id
    assert set(after.searched) == {before.searched[0], named}
    assert after.bases[7].reason == "asked-model"
    assert "the apple-1" in str(model.asked[0].messages[-1].content)
