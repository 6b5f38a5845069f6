"""The search: embed, ask the legs, fuse, look at the best, judge.

Reads in one short transaction of its own with one snapshot, so that a home switched meanwhile is seen wholly
before or wholly after, and never holds a connection while a model is called.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from psycopg.errors import UndefinedTable
from sqlalchemy.exc import ProgrammingError

from refdesk.accounts import Scope
from refdesk.gateway import Embedder
from refdesk.kit.database import Database
from refdesk.kit.settings import Settings
from refdesk.knowledge.indexing import EntryKind, StatisticsRepository
from refdesk.retrieval.candidates import Candidates, Row
from refdesk.retrieval.errors import EmbeddingChanged, QueryEmpty, QueryTooLong
from refdesk.retrieval.gate import calibrate_words, combine
from refdesk.retrieval.modes import Mode, get_mode
from refdesk.retrieval.query import TermedQuery, WeightedQuery, unsalted
from refdesk.retrieval.repository import FoundParagraph, SearchedIndex, SearchRepository
from refdesk.retrieval.search import DropReason, Hit, LegScore, SearchRequest, SearchResult
from refdesk.retrieval.statements import Filters, Target, candidates_statement, scan_settings

MAX_CANDIDATES = 500
CANDIDATES_PER_HIT = 10
_DROPPED_SHOWN = 20
_LEADERS = 5


class Embedders(Protocol):
    """Where embedding models come from: the gateway, or a test's stand-in."""

    async def embedder(self, scope: Scope, model_id: UUID) -> Embedder: ...


@dataclass(slots=True)
class _Clock:
    timings_ms: dict[str, float] = field(default_factory=dict[str, float])
    _since: float = field(default_factory=time.perf_counter)

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.timings_ms[name] = round((now - self._since) * 1000, 3)
        self._since = now


@dataclass(frozen=True, slots=True)
class _Embedded:
    """The query as one embedder sees it."""

    embedder: Embedder
    vector: NDArray[np.float32]


class Retriever:
    """Searches knowledge bases. One a process; safe to use from many requests at once."""

    def __init__(self, database: Database, gateway: Embedders, settings: Settings) -> None:
        self._database = database
        self._gateway = gateway
        self._settings = settings

    async def search(self, scope: Scope, request: SearchRequest) -> SearchResult:
        """The nearest paragraphs and the numbers that decided.

        Raises `QueryEmpty`, `QueryTooLong`, `UnknownMode`, `KnowledgeBaseNotFound`, `EmbeddingChanged`, and
        the gateway's errors. A base without entries gives `found=False`, and so does a query of punctuation.
        """
        mode = get_mode(request.mode)
        query = request.query.replace("\x00", " ").strip()
        if not query:
            raise QueryEmpty
        if len(query) > self._settings.max_question_chars:
            raise QueryTooLong(characters=len(query), limit=self._settings.max_question_chars)
        clock = _Clock()
        async with self._database.transaction() as session:
            indexes = await SearchRepository(session, scope).active_indexes(request.knowledge_base_ids)
        clock.lap("indexes")
        embedded: dict[UUID, _Embedded] = {}
        if mode.uses_dense:
            for model_id in dict.fromkeys(index.model_id for index in indexes):
                embedder = await self._gateway.embedder(scope, model_id)
                embedded[model_id] = _Embedded(embedder, (await embedder.embed_queries([query]))[0])
            clock.lap("embed")
        termed = TermedQuery.read(query)
        try:
            return await self._read(scope, request, mode, termed, embedded, clock)
        except ProgrammingError as error:
            # Only when the base was deleted this very moment and its home dropped under the search.
            if not isinstance(error.orig, UndefinedTable):
                raise
            return await self._read(scope, request, mode, termed, embedded, clock)

    async def _read(
        self,
        scope: Scope,
        request: SearchRequest,
        mode: Mode,
        query: TermedQuery,
        embedded: dict[UUID, _Embedded],
        clock: _Clock,
    ) -> SearchResult:
        limit = min(max(request.top_n, 1) * CANDIDATES_PER_HIT, MAX_CANDIDATES)
        async with self._database.transaction() as session:
            await session.connection(execution_options={"isolation_level": "REPEATABLE READ"})
            repository = SearchRepository(session, scope)
            indexes = await repository.active_indexes(request.knowledge_base_ids)
            if mode.uses_dense:  # a base that switched its model since the query was embedded
                indexes = [index for index in indexes if index.model_id in embedded]
            words = None
            if mode.uses_lexical:
                statistics = await StatisticsRepository(session, scope).read(
                    [index.target.index_id for index in indexes], list(query.tokens)
                )
                words = WeightedQuery.weigh(query, statistics)
                clock.lap("statistics")
            targets = [index.target for index in indexes]
            filters = await self._filters(repository, request, targets if mode.uses_dense else ())
            await repository.apply(scan_settings(targets, filters, limit))
            found: list[tuple[Row, UUID]] = []
            for model_id, of_model in _by_model(indexes, together=not mode.uses_dense).items():
                vector = _fitting_vector(embedded.get(model_id), of_model)
                statement = candidates_statement(
                    [index.target for index in of_model], filters, limit, vector=vector, words=words
                )
                if statement is not None:
                    found += [(row, model_id) for row in await repository.candidates(*statement)]
            clock.lap("legs")
            candidates = _candidates(found, embedded, query, mode)
            order = mode.order(candidates)
            ranked = candidates.best_of_paragraphs(order)
            shown = _worth_looking_at(candidates, ranked, request.top_n)
            paragraphs = await repository.paragraphs([candidates.rows[i] for i in shown])
            clock.lap("paragraphs")
        return _result(request, candidates, order, ranked, shown, paragraphs, words, clock)

    async def _filters(
        self, repository: SearchRepository, request: SearchRequest, dense: Sequence[Target]
    ) -> Filters:
        if request.document_ids is not None:
            few = await repository.paragraphs_in(request.document_ids) <= self._settings.exact_scan_limit
            return Filters(document_ids=request.document_ids, scan_exactly=few)
        return Filters(shared_graphs=await repository.graphs_for(dense))


def _by_model(indexes: Sequence[SearchedIndex], *, together: bool) -> dict[UUID, list[SearchedIndex]]:
    """Indexes by embedding model; all as one group where no vectors are compared."""
    groups: dict[UUID, list[SearchedIndex]] = {}
    for index in indexes:
        key = indexes[0].model_id if together else index.model_id
        groups.setdefault(key, []).append(index)
    return groups


def _fitting_vector(
    embedded: _Embedded | None, indexes: Sequence[SearchedIndex]
) -> NDArray[np.float32] | None:
    if embedded is None:
        return None
    wrong = [index for index in indexes if index.target.dimensions != embedded.vector.size]
    if wrong:
        raise EmbeddingChanged(
            knowledge_base_id=str(wrong[0].knowledge_base_id),
            expected=wrong[0].target.dimensions,
            received=int(embedded.vector.size),
        )
    return embedded.vector


def _candidates(
    found: Sequence[tuple[Row, UUID]], embedded: dict[UUID, _Embedded], query: TermedQuery, mode: Mode
) -> Candidates:
    rows = [row for row, _ in found]
    cosine = np.array([row.cosine if row.cosine is not None else 0.0 for row in rows], dtype=np.float64)
    similarity = np.zeros(len(rows))
    if mode.uses_dense:
        models = np.array([model_id.int for _, model_id in found], dtype=object)
        for model_id, model in embedded.items():
            mine = models == model_id.int
            similarity[mine] = model.embedder.calibration.calibrate(cosine[mine])
    several = len({model_id for _, model_id in found}) > 1
    comparable = [not query.scripts or row.script in query.scripts or row.script == 0 for row in rows]
    return Candidates(
        rows=rows,
        dense=similarity if several else cosine,
        similarity=similarity,
        lexical=np.array([max(row.bm25, 0.0) for row in rows], dtype=np.float64),
        comparable=np.array(comparable, dtype=np.bool_),
    )


def _worth_looking_at(candidates: Candidates, ranked: Sequence[int], top_n: int) -> list[int]:
    """The first of the fused order, and each leg's own leaders: one of them has the best similarity."""
    leaders = [
        *sorted(ranked, key=lambda i: -candidates.similarity[i])[:_LEADERS],
        *sorted(ranked, key=lambda i: -candidates.lexical[i])[:_LEADERS],
    ]
    return list(dict.fromkeys([*ranked[: top_n + _DROPPED_SHOWN], *leaders]))


def _ranks(candidates: Candidates, scores: NDArray[np.float64]) -> dict[int, int]:
    return {i: rank for rank, i in enumerate(candidates.best_of_paragraphs(scores), start=1)}


def _result(
    request: SearchRequest,
    candidates: Candidates,
    order: NDArray[np.float64],
    ranked: Sequence[int],
    shown: Sequence[int],
    paragraphs: dict[UUID, FoundParagraph],
    words: WeightedQuery | None,
    clock: _Clock,
) -> SearchResult:
    dense_ranks = _ranks(candidates, candidates.dense)
    lexical_ranks = _ranks(candidates, candidates.lexical)
    hits: list[Hit] = []
    for i in shown:
        row = candidates.rows[i]
        paragraph = paragraphs.get(row.entry_id)
        if paragraph is None:
            continue
        dense = lexical = None
        if row.cosine is not None:
            dense = LegScore(row.cosine, float(candidates.similarity[i]), dense_ranks.get(i, 0))
        if words is not None and candidates.lexical[i] > 0:
            held = unsalted(row.index_id, paragraph.terms)
            calibrated = calibrate_words(words.share(held), holds_identifier=words.holds_identifier(held))
            lexical = LegScore(float(candidates.lexical[i]), calibrated, lexical_ranks.get(i, 0))
        similarity = combine(*(leg.calibrated if leg is not None else 0.0 for leg in (dense, lexical)))
        hits.append(_hit(row, paragraph, float(order[i]), similarity, dense, lexical))
    passing = [hit for hit in hits if hit.similarity >= request.similarity]
    kept = passing if request.apply_gate else hits
    chosen = kept[: request.top_n]
    of_chosen = {hit.paragraph_id for hit in chosen}
    dropped: list[tuple[Hit, DropReason]] = [
        (hit, "beyond_top_n" if hit.similarity >= request.similarity else "below_threshold")
        for hit in hits
        if hit.paragraph_id not in of_chosen
    ]
    clock.lap("judge")
    return SearchResult(
        hits=chosen,
        found=bool(passing),
        best=max((hit.similarity for hit in hits), default=0.0),
        threshold=request.similarity,
        candidates=len(ranked),
        mode=request.mode,
        dropped=dropped[:_DROPPED_SHOWN],
        timings_ms=clock.timings_ms,
    )


def _hit(
    row: Row,
    paragraph: FoundParagraph,
    score: float,
    similarity: float,
    dense: LegScore | None,
    lexical: LegScore | None,
) -> Hit:
    return Hit(
        paragraph_id=row.paragraph_id,
        document_id=paragraph.document_id,
        knowledge_base_id=paragraph.knowledge_base_id,
        document_name=paragraph.document_name,
        title=paragraph.title,
        title_chain=paragraph.title_chain,
        content=paragraph.content,
        page=paragraph.page,
        boxes=paragraph.boxes,
        score=score,
        similarity=similarity,
        dense=dense,
        lexical=lexical,
        piece=(row.start, row.end),
        by_question=row.kind == EntryKind.QUESTION,
        returns_directly=paragraph.direct_from is not None and similarity >= paragraph.direct_from,
    )
