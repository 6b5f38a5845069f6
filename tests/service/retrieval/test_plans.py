"""The plans of searches: the right index of the right home, few locks, one statement an embedder."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event, text
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Role, Scope
from refdesk.accounts.tables import User
from refdesk.kit.database import Database
from refdesk.kit.ids import new_id
from refdesk.kit.settings import Settings
from refdesk.knowledge.access.tables import AccessList, AccessListMember
from refdesk.knowledge.indexing import StatisticsRepository
from refdesk.knowledge.indexing.homes import move_to_own_home
from refdesk.retrieval import Retriever, SearchRequest
from refdesk.retrieval.query import TermedQuery, WeightedQuery
from refdesk.retrieval.repository import SearchRepository
from refdesk.retrieval.statements import Filters, Target, candidates_statement, scan_settings
from refdesk.testing.embedder import FixedEmbedders
from refdesk.testing.library import Library, ShelvedBase


@pytest.fixture
async def library(database: Database) -> Library:
    return await Library(database).open()


def texts(n: int) -> list[str]:
    return [f"paragraph {i} on topic {i % 17} with code-{i}" for i in range(n)]


async def plan(session: AsyncSession, library: Library, bases: list[ShelvedBase], **legs: bool) -> str:
    indexes = await SearchRepository(session, library.scope).active_indexes([base.id for base in bases])
    targets = [index.target for index in indexes]
    query = TermedQuery.read("code-7 topic")
    statistics = await StatisticsRepository(session, library.scope).read(
        [target.index_id for target in targets], list(query.tokens)
    )
    await SearchRepository(session, library.scope).apply(scan_settings(targets, Filters(), 50))
    made = candidates_statement(
        targets,
        Filters(),
        50,
        vector=(await bases[0].embedder.embed_queries(["code-7 topic"]))[0],
        words=WeightedQuery.weigh(query, statistics),
        **legs,
    )
    assert made is not None
    return "\n".join((await session.execute(text("EXPLAIN " + made[0]), made[1])).scalars())


async def test_a_large_base_is_searched_by_its_own_hnsw_and_gin(library: Library) -> None:
    base, small = await library.base(), await library.base()
    await library.add(base, texts(600))
    await library.add(small, texts(5))
    home = await move_to_own_home(library.database, library.scope, base.index.id)
    async with library.database.transaction() as session:
        # Of some hundred rows the planner rather compares all, rightly; of a large home it never does.
        await session.execute(text("SET LOCAL enable_sort = off"))
        dense = await plan(session, library, [base], propose_lexical=False)
        assert f"Index Scan using index_entries_{home}_" in dense
        assert "halfvec(64)" in dense
        lexical = await plan(session, library, [base], propose_dense=False)
        assert f"Bitmap Index Scan on index_entries_{home}_terms_idx" in lexical
        assert "index_entries_0" not in dense + lexical


async def test_small_bases_are_scanned_by_their_index_id_and_their_own_terms(library: Library) -> None:
    bases = [await library.base() for _ in range(3)]
    for base in bases:
        await library.add(base, texts(100))
    async with library.database.transaction() as session:
        dense = await plan(session, library, bases[:2], propose_lexical=False)
        assert "ix_index_entries_0_index_id" in dense
        assert "Seq Scan" not in dense
        lexical = await plan(session, library, bases[:2], propose_dense=False)
        assert "ix_index_entries_0_terms" in lexical


async def test_locks_and_statements_do_not_grow_with_the_bases_that_exist(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = [await library.base() for _ in range(6)]
    for base in large:
        await library.add(base, texts(20))
        await move_to_own_home(library.database, library.scope, base.index.id)
    small = [await library.base() for _ in range(8)]
    for base in small:
        await library.add(base, texts(5))
    held: list[int] = []
    original = SearchRepository.paragraphs

    async def counted(self: SearchRepository, rows: Any) -> Any:
        found = await original(self, rows)
        query = text("SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'relation'")
        held.append((await self._session.execute(query)).scalar_one())  # pyright: ignore
        return found

    monkeypatch.setattr(SearchRepository, "paragraphs", counted)
    statements: list[str] = []

    def seen(_c: Any, _u: Any, statement: str, *_: Any) -> None:
        statements.append(statement)

    event.listen(library.database.engine.sync_engine, "before_cursor_execute", seen)
    try:
        await library.search("code-3 topic", large[0])
        await library.search("code-3 topic", *small)
        await library.search("code-3 topic", large[0], large[1], *small)
    finally:
        event.remove(library.database.engine.sync_engine, "before_cursor_execute", seen)
    one_large, many_small, two_large_and_small = held
    # A home is its table and six indexes; the rest are the tables of documents, paragraphs, bases and counted
    # words with all their indexes, each of which is locked whether it is used or not.
    assert one_large == 47
    assert many_small == 46
    assert two_large_and_small <= one_large + 2 * 8
    assert sum("AS cosine" in statement for statement in statements) == 3  # one a search


async def restricted(library: Library, base: ShelvedBase) -> Scope:
    """Somebody on one list of the base, with 600 paragraphs that all may see, 60 for that list and 60 for
    another."""
    person = new_id()
    async with library.database.transaction() as session:
        session.add(User(id=person, email=f"{person}@example.org", name="Reader"))
        lists = [AccessList(workspace_id=library.workspace_id, knowledge_base_id=base.id) for _ in range(2)]
        session.add_all(lists)
        await session.flush()
        member = AccessListMember(
            workspace_id=library.workspace_id, access_list_id=lists[0].id, user_id=person
        )
        session.add(member)
        ids = [one.id for one in lists]
    await library.add(base, texts(600))
    for list_id in ids:
        await library.add(base, texts(60), acl_id=list_id)
    return Scope(library.workspace_id, user_id=person, role=Role.VIEWER, via="session")


@contextmanager
def recorded(library: Library) -> Iterator[list[tuple[str, Any]]]:
    """The statements that are executed meanwhile, as the server gets them, with their parameters."""
    statements: list[tuple[str, Any]] = []

    def seen(_c: Any, _u: Any, statement: str, parameters: Any, *_: Any) -> None:
        statements.append((statement, parameters))

    event.listen(library.database.engine.sync_engine, "before_cursor_execute", seen)
    try:
        yield statements
    finally:
        event.remove(library.database.engine.sync_engine, "before_cursor_execute", seen)


async def test_an_access_filter_keeps_the_plan_of_a_large_base(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    base, other = await library.base(), await library.base()
    scope = await restricted(library, base)
    await library.add(other, texts(20))
    homes = [await move_to_own_home(library.database, library.scope, one.index.id) for one in (base, other)]
    plans: list[str] = []
    held: list[str] = []
    candidates, paragraphs = SearchRepository.candidates, SearchRepository.paragraphs

    async def planned(self: SearchRepository, statement: str, parameters: dict[str, Any]) -> Any:
        session = self._session  # pyright: ignore[reportPrivateUsage]
        # Of some hundred rows the planner rather compares all, rightly; of a large home it never does.
        await session.execute(text("SET LOCAL enable_sort = off"))
        plans.append("\n".join((await session.execute(text("EXPLAIN " + statement), parameters)).scalars()))
        return await candidates(self, statement, parameters)

    async def counted(self: SearchRepository, rows: Any) -> Any:
        found = await paragraphs(self, rows)
        query = text(
            "SELECT relation::regclass::text FROM pg_locks WHERE pid = pg_backend_pid() AND"
            " locktype = 'relation' AND mode = 'AccessShareLock'"
        )
        session = self._session  # pyright: ignore[reportPrivateUsage]
        held.extend((await session.execute(query)).scalars())
        return found

    monkeypatch.setattr(SearchRepository, "candidates", planned)
    monkeypatch.setattr(SearchRepository, "paragraphs", counted)
    # With so few rows all are compared otherwise, whatever lists are asked for.
    retriever = Retriever(library.database, FixedEmbedders(base.embedder), Settings(exact_scan_limit=1))
    with recorded(library) as statements:
        found = await retriever.search(scope, SearchRequest("code-7 topic", [base.id], similarity=0.0))
    assert found.hits
    (plan_of_search,) = plans
    home, foreign = homes
    assert f"Index Scan using index_entries_{home}_" in plan_of_search
    assert f"Bitmap Index Scan on index_entries_{home}_terms_idx" in plan_of_search
    assert plan_of_search.count("acl_id = ANY") >= 2, "both legs ask for the caller's lists"
    searching = [one for one, _ in statements if "AS cosine" in one and not one.startswith("EXPLAIN")]
    assert len(searching) == 1, "one statement an embedder"
    asked = [parameters for one, parameters in statements if one == searching[0]]
    assert len(asked) == 1
    assert len(asked[0]["acl_ids"]) == 2, "everyone's list and the one the caller is on"
    assert not any(f"index_entries_{foreign}" in name for name in held), "the other home is not locked"
    # The 47 without a filter, and the tables of lists, their members and groups with their indexes.
    assert len(held) <= 61


async def test_unknown_homes_are_never_opened(library: Library) -> None:
    base = await library.base()
    await library.add(base, texts(5))
    made = candidates_statement(
        [Target(base.index.id, 0, 64)],
        Filters(),
        10,
        vector=(await base.embedder.embed_queries(["x"]))[0],
        words=None,
    )
    assert made is not None
    assert "FROM index_entries_0 WHERE" in made[0]
    assert "UNION" not in made[0]
