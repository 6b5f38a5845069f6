"""The search: embed, ask the legs, fuse, look at the best, judge.

Reads in one short transaction of its own with one snapshot, so that a home switched meanwhile is seen wholly
before or wholly after, and never holds a connection while a model is called.
"""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol
from uuid import UUID

from psycopg.errors import UndefinedTable
from sqlalchemy.exc import ProgrammingError

from refdesk.accounts import Scope
from refdesk.gateway import Embedder, ModelError, Purpose, UnknownModel
from refdesk.kit.database import Database
from refdesk.kit.settings import Settings
from refdesk.knowledge import unready
from refdesk.knowledge.indexing import StatisticsRepository
from refdesk.retrieval.candidates import Row
from refdesk.retrieval.errors import QueryEmpty, QueryTooLong
from refdesk.retrieval.hits import hits_of
from refdesk.retrieval.inside import Inside, Probe
from refdesk.retrieval.modes import Mode, get_mode
from refdesk.retrieval.proposals import (
    DROPPED_SHOWN,
    EmbeddedQuery,
    by_model,
    candidates_of,
    fitting_vector,
    scales_of,
    worth_looking_at,
)
from refdesk.retrieval.query import WeightedQuery
from refdesk.retrieval.remembered_models import RememberedModels
from refdesk.retrieval.repository import SearchedIndex, SearchRepository, Standing
from refdesk.retrieval.reranking import Rerankers, rerank
from refdesk.retrieval.routing import Route, RouteQuery, RouteSettings, choose_route
from refdesk.retrieval.search import Ranking, SearchRequest, SearchResult, advice_to, still_indexing
from refdesk.retrieval.selection import choose, newer_first
from refdesk.retrieval.statements import Filters, Target, candidates_statement, scan_settings
from refdesk.retrieval.strategies import Settles, Strategy, get_strategy
from refdesk.retrieval.windows import with_windows
from refdesk.retrieval.wording import Wording, alike

MAX_CANDIDATES = 500
CANDIDATES_PER_HIT = 10
_REPEATS = 3
"""Searches that are begun anew because a base took another index meanwhile."""


class Embedders(Rerankers, Protocol):
    """Where models come from: the gateway, or a test's stand-in."""

    async def embedder(self, scope: Scope, model_id: UUID, purpose: Purpose = ...) -> Embedder: ...


@dataclass(slots=True)
class _Clock:
    timings_ms: dict[str, float] = field(default_factory=dict[str, float])
    _since: float = field(default_factory=time.perf_counter)

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.timings_ms[name] = round((now - self._since) * 1000, 3)
        self._since = now


@dataclass(slots=True)
class _Search:
    """The plain search as a strategy sees it: for one caller, embedding each text once."""

    retriever: "Retriever"
    scope: Scope
    vectors: dict[str, dict[UUID, EmbeddedQuery]] = field(
        default_factory=dict[str, dict[UUID, "EmbeddedQuery"]]
    )
    unready: int = 0

    async def __call__(self, request: SearchRequest, *, depth: int) -> Ranking:
        vectors = self.vectors.setdefault(request.query, {})
        ranking = await self.retriever.rank(self.scope, request, depth=depth, vectors=vectors)
        self.unready = max(self.unready, ranking.unready)
        return ranking


class _ModelSwitched(Exception):
    """A base took another embedding model since the query was embedded."""

    def __init__(self, indexes: Sequence[SearchedIndex]) -> None:
        super().__init__()
        self.indexes = indexes


class Retriever:
    """Searches knowledge bases. One a process; safe to use from many requests at once."""

    def __init__(self, database: Database, gateway: Embedders, settings: Settings) -> None:
        self._database = database
        self._gateway = gateway
        self._settings = settings
        self._models = RememberedModels()

    async def search(self, scope: Scope, request: SearchRequest) -> SearchResult:
        """The nearest paragraphs and the numbers that decided.

        Raises `QueryEmpty`, `QueryTooLong`, `UnknownMode`, `UnknownStrategy`, `KnowledgeBaseNotFound`,
        `EmbeddingChanged`, and the gateway's errors. A base without entries gives `found=False`, and so does
        a query of punctuation.
        """
        query = request.query.replace("\x00", " ").strip()
        if not query:
            raise QueryEmpty
        if len(query) > self._settings.max_question_chars:
            raise QueryTooLong(characters=len(query), limit=self._settings.max_question_chars)
        request = replace(request, query=query)
        get_mode(request.mode)
        return await self._search(scope, request, get_strategy(request.strategy, query))

    async def _search(self, scope: Scope, request: SearchRequest, strategy: Strategy) -> SearchResult:
        query = request.query
        wanted = request.top_n
        if request.rerank is not None:
            wanted = max(wanted, request.rerank.candidates)
        search = _Search(self, scope)
        route = None
        if request.route is not None:
            async with self._database.transaction() as session:
                search.unready = await unready(session, scope, request.knowledge_base_ids)
            route = await self.route(scope, request, vectors=search.vectors.setdefault(query, {}))
            request = replace(request, knowledge_base_ids=route.searched)
        ranking = await strategy.rank(replace(request, top_n=wanted), search)
        hits, reranked, warning = ranking.hits, False, None
        if request.rerank is not None:
            clock = _Clock(ranking.timings_ms)
            done = await rerank(self._gateway, scope, query, hits, request.rerank)
            hits, reranked, warning = done.hits, done.done, done.warning
            if request.rerank.min_score is None:
                request = replace(request, rerank=replace(request.rerank, min_score=done.least_score))
            if reranked and isinstance(strategy, Settles):
                hits = strategy.settle(hits)
            clock.lap("rerank")
        chosen = choose(hits, request, candidates=ranking.candidates)
        returned = chosen.hits
        if request.context == "window":
            returned = with_windows(returned, request.window_chars)
        return SearchResult(
            hits=returned,
            found=chosen.found,
            decision=chosen.decision,
            advice=None if chosen.found else advice_to(query),
            best=max((hit.similarity for hit in ranking.hits), default=0.0),
            threshold=request.similarity,
            candidates=ranking.candidates,
            mode=request.mode,
            strategy=strategy.name,
            dropped=chosen.dropped[:DROPPED_SHOWN],
            timings_ms=ranking.timings_ms,
            reranked=reranked,
            warnings=tuple(one for one in (warning, still_indexing(search.unready)) if one is not None),
            route=route,
            unready=search.unready,
        )

    async def route(
        self, scope: Scope, request: SearchRequest, *, vectors: dict[UUID, EmbeddedQuery] | None = None
    ) -> Route:
        """Which of the request's bases are worth searching, with the numbers that decided; searches none.

        `vectors` keeps the query's vectors for the search. Raises as `search` does.
        """
        mode = get_mode(request.mode)
        settings = request.route or RouteSettings()
        async with self._database.transaction() as session:
            indexes = await SearchRepository(session, scope).active_indexes(request.knowledge_base_ids)
        embedded = vectors if vectors is not None else {}
        if mode.uses_dense and len(indexes) > settings.few:
            await self._embed(scope, request.query, _models_of(indexes), embedded)
        # Words tell where to look also for a search by meaning alone, and cost next to nothing.
        query = RouteQuery(request.query, {model: found.vector for model, found in embedded.items()})
        return await choose_route(
            self._database, self._gateway, scope, query, request.knowledge_base_ids, settings
        )

    async def _embed_for(
        self, scope: Scope, request: SearchRequest, embedded: dict[UUID, EmbeddedQuery]
    ) -> None:
        """Add the query's vector of each model of the bases asked."""
        remembered = self._models.known(scope, request)
        models = remembered if remembered is not None else await self._models_now(scope, request)
        try:
            await self._embed(scope, request.query, models, embedded)
        except (ModelError, UnknownModel):
            if remembered is None:
                raise
            models = await self._models_now(scope, request)
            if set(models) <= set(remembered):
                raise
            await self._embed(scope, request.query, models, embedded)  # it was the model of yesterday

    async def _models_now(self, scope: Scope, request: SearchRequest) -> list[UUID]:
        async with self._database.transaction() as session:
            return _models_of((await _standing(SearchRepository(session, scope), request)).indexes)

    async def _embed(
        self,
        scope: Scope,
        query: str,
        model_ids: Iterable[UUID],
        embedded: dict[UUID, EmbeddedQuery],
    ) -> None:
        """Add the query's vector of each of these models that is not there yet."""
        for model_id in model_ids:
            if model_id not in embedded:
                embedder = await self._gateway.embedder(scope, model_id, Purpose("search"))
                embedded[model_id] = EmbeddedQuery(embedder, (await embedder.embed_queries([query]))[0])

    async def rank(
        self,
        scope: Scope,
        request: SearchRequest,
        *,
        depth: int,
        vectors: dict[UUID, EmbeddedQuery] | None = None,
        probe: Probe | None = None,
    ) -> Ranking:
        """The plain search behind every strategy: at least `depth` hits where there are so many, by the mode
        and the weight of newness, before any gate. `vectors` keeps the query's vectors between searches.
        `probe` looks into the search, within its transaction.
        """
        mode = get_mode(request.mode)
        clock = _Clock()
        embedded = vectors if vectors is not None else {}
        if mode.uses_dense:
            await self._embed_for(scope, request, embedded)
            clock.lap("embed")
        for _ in range(_REPEATS):
            try:
                return await self._read(scope, request, mode, embedded, clock, depth, probe)
            except _ModelSwitched as switched:
                await self._embed(scope, request.query, _models_of(switched.indexes), embedded)
            except ProgrammingError as error:
                # Only when an index was dropped this very moment and its home with it, under the search.
                if not isinstance(error.orig, UndefinedTable):
                    raise
        return await self._read(scope, request, mode, embedded, clock, depth, probe)

    async def _read(
        self,
        scope: Scope,
        request: SearchRequest,
        mode: Mode,
        embedded: dict[UUID, EmbeddedQuery],
        clock: _Clock,
        depth: int,
        probe: Probe | None,
    ) -> Ranking:
        limit = min(max(depth, 1) * CANDIDATES_PER_HIT, MAX_CANDIDATES)
        async with self._database.transaction() as session:
            await session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
            repository = SearchRepository(session, scope)
            standing = await _standing(repository, request)
            indexes = standing.indexes
            self._models.remember(scope, request, indexes)
            if mode.uses_dense and any(index.model_id not in embedded for index in indexes):
                raise _ModelSwitched(indexes)
            clock.lap("indexes")
            bases = [(index.target.index_id, await repository.term_base(index)) for index in indexes]
            wording = Wording.read(request.query, bases)
            targets = [index.target for index in indexes]
            lists = await repository.visible_lists([index.knowledge_base_id for index in indexes])
            filters = await self._filters(
                repository, request, targets if mode.uses_dense else (), indexes, lists
            )
            words: dict[UUID, WeightedQuery] = {}
            if mode.uses_lexical:
                statistics = await StatisticsRepository(session, scope).read(
                    [index.target.index_id for index in indexes],
                    wording.terms,
                    lists=lists,
                    share=filters.share,
                )
                words = wording.weigh(statistics)
                clock.lap("statistics")
            await repository.apply(scan_settings(targets, filters, limit))
            found: list[tuple[Row, UUID]] = []
            for model_id, of_model in by_model(indexes, together=not mode.uses_dense).items():
                vector = fitting_vector(embedded.get(model_id), of_model)
                for reading, indexes_alike in alike(of_model, words):
                    targets_alike = [index.target for index in indexes_alike]
                    statement = candidates_statement(
                        targets_alike, filters, limit, vector=vector, words=reading
                    )
                    if statement is not None:
                        rows = await repository.candidates(*statement)
                        if lists is not None:
                            rows = await repository.visible(rows, lists)
                        found += [(row, model_id) for row in rows]
            clock.lap("legs")
            candidates = candidates_of(found, embedded, wording.plain, mode)
            scales = scales_of(indexes, embedded, mode)
            order = mode.order(candidates)
            ranked = candidates.best_of_paragraphs(order)
            shown = worth_looking_at(candidates, ranked, depth)
            paragraphs = await repository.paragraphs([candidates.rows[i] for i in shown])
            clock.lap("paragraphs")
            if probe is not None:
                seen = {key: (one.embedder, one.vector) for key, one in embedded.items()}
                await probe(
                    Inside(session, indexes, seen, words, scales, filters, limit, candidates, order, ranked)
                )
        hits = newer_first(hits_of(candidates, order, shown, paragraphs, words, scales), request.recency)
        clock.lap("judge")
        return Ranking(hits, len(ranked), clock.timings_ms, standing.unready)

    async def _filters(
        self,
        repository: SearchRepository,
        request: SearchRequest,
        dense: Sequence[Target],
        indexes: Sequence[SearchedIndex],
        lists: frozenset[int] | None,
    ) -> Filters:
        acl_ids, few, share = None, False, 1.0
        if lists is not None:
            acl_ids = sorted(lists)
            seen, every = await repository.visible_paragraphs(
                [index.knowledge_base_id for index in indexes], lists
            )
            few, share = seen <= self._settings.exact_scan_limit, seen / max(every, 1)
        if request.document_ids is not None:
            few = few or (
                await repository.paragraphs_in(request.document_ids) <= self._settings.exact_scan_limit
            )
            return Filters(
                acl_ids=acl_ids,
                document_ids=request.document_ids,
                ignore_questions=request.ignore_questions,
                scan_exactly=few,
                share=share,
            )
        return Filters(
            acl_ids=acl_ids,
            ignore_questions=request.ignore_questions,
            scan_exactly=few,
            share=share,
            shared_graphs=await repository.graphs_for(dense),
        )


def _models_of(indexes: Sequence[SearchedIndex]) -> list[UUID]:
    return list(dict.fromkeys(index.model_id for index in indexes))


async def _standing(repository: SearchRepository, request: SearchRequest) -> Standing:
    return await repository.standing(request.knowledge_base_ids, instead=request.index_id)
