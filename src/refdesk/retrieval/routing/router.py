"""The choice of bases for one question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.kit.database import Database
from refdesk.knowledge import KnowledgeBase, visible_lists
from refdesk.retrieval.repository import SearchedIndex, SearchRepository
from refdesk.retrieval.routing.asking import Completers, Described, with_model
from refdesk.retrieval.routing.choice import (
    BaseScore,
    Nearness,
    Route,
    RouteSettings,
    choose,
    relative_nearness,
)
from refdesk.retrieval.routing.repository import Profiled, RouteRepository
from refdesk.retrieval.wording import Wording


@dataclass(frozen=True, slots=True)
class RouteQuery:
    """A question. `vectors`: by embedding model; empty where meaning is not asked. Words always are."""

    text: str
    vectors: Mapping[UUID, NDArray[np.float32]]


async def choose_bases(
    session: AsyncSession,
    scope: Scope,
    query: RouteQuery,
    knowledge_base_ids: Sequence[UUID],
    settings: RouteSettings,
    *,
    lists: frozenset[int] | None,
) -> Route:
    """Which of these bases to search, and why.

    `lists` are the access lists the caller is on, None for all there are: nothing that lies under another
    one changes the choice or any of its numbers. Raises `KnowledgeBaseNotFound` for a base that is not the
    caller's to search.
    """
    search = SearchRepository(session, scope)
    indexes = await search.active_indexes(knowledge_base_ids)
    with_index = {index.knowledge_base_id for index in indexes}
    # A base without an index has nothing to search; it costs nothing either.
    empty = [base for base in dict.fromkeys(knowledge_base_ids) if base not in with_index]
    if len(indexes) <= settings.few:
        bases = [index.knowledge_base_id for index in indexes]
        return Route(tuple(BaseScore(base, True, "few-bases") for base in (*bases, *empty)))
    routes = RouteRepository(session, scope, lists)
    profiled = await routes.profiled([index.target.index_id for index in indexes])
    known = [index for index in indexes if index.target.index_id in profiled.ids]
    unknown = [index.knowledge_base_id for index in indexes if index.target.index_id not in profiled.ids]
    nearness = await _nearness(routes, query, known) if query.vectors else None
    words = await _words(search, routes, query, known, profiled)
    return choose([index.knowledge_base_id for index in known], [*unknown, *empty], nearness, words, settings)


async def _nearness(
    routes: RouteRepository, query: RouteQuery, indexes: Sequence[SearchedIndex]
) -> dict[UUID, float]:
    """By base; of each embedding model on its own scale, since cosines of two models are not comparable."""
    near: dict[UUID, float] = {}
    for model_id, vector in query.vectors.items():
        bases = {
            index.target.index_id: index.knowledge_base_id
            for index in indexes
            if index.model_id == model_id and index.target.dimensions == vector.size
        }
        found: dict[UUID, Nearness] = await routes.nearness(list(bases), vector) if bases else {}
        near |= relative_nearness({bases[index_id]: value for index_id, value in found.items()})
    return near


async def _words(
    search: SearchRepository,
    routes: RouteRepository,
    query: RouteQuery,
    indexes: Sequence[SearchedIndex],
    profiled: Profiled,
) -> dict[UUID, float]:
    """By base, the share of the question's rarity whose terms the base holds at all."""
    terms = [(index.target.index_id, await search.term_base(index)) for index in indexes]
    wording = Wording.read(query.text, terms)
    statistics = await routes.statistics(profiled, wording.terms)
    weighed = wording.weigh(statistics)
    held: dict[UUID, float] = {}
    for index in indexes:
        frequencies = statistics.frequencies.get(index.target.index_id, {})
        present = {term for term, frequency in frequencies.items() if frequency > 0}
        held[index.knowledge_base_id] = weighed[index.target.index_id].share(present)
    return held


async def choose_route(
    database: Database,
    models: object,
    scope: Scope,
    query: RouteQuery,
    knowledge_base_ids: Sequence[UUID],
    settings: RouteSettings,
) -> Route:
    """The choice for a caller, who may see what `scope` may; asks the settings' model too, if there is one.

    `models` is asked only if it has language models (`Completers`).
    """
    async with database.transaction() as session:
        await SearchRepository(session, scope).apply({"jit": "off"})
        lists = await visible_lists(session, scope, knowledge_base_ids)
        route = await choose_bases(session, scope, query, knowledge_base_ids, settings, lists=lists)
        if settings.model_id is None or not isinstance(models, Completers):
            return route
        described = await described_bases(session, scope, knowledge_base_ids)
    return await with_model(route, models, scope, query.text, described, settings)


async def described_bases(
    session: AsyncSession, scope: Scope, knowledge_base_ids: Sequence[UUID]
) -> list[Described]:
    """Names and descriptions, for a model to choose by."""
    query = select(KnowledgeBase.id, KnowledgeBase.name, KnowledgeBase.description).where(
        KnowledgeBase.id.in_(knowledge_base_ids), KnowledgeBase.workspace_id == scope.workspace_id
    )
    return [Described(*row) for row in await session.execute(query)]
