"""The exact scores and ranks of one document's entries, read where the search reads its candidates."""

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from psycopg.errors import QueryCanceled
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from refdesk.accounts import Scope
from refdesk.gateway import Embedder, Scale
from refdesk.knowledge.indexing import halfvec_text, table_of
from refdesk.retrieval.explaining.values import AskedWord, LegStanding, Note, Standing
from refdesk.retrieval.gate import calibrate_words, combine
from refdesk.retrieval.inside import Inside
from refdesk.retrieval.query import TermedQuery, WeightedQuery, unsalted
from refdesk.retrieval.repository import SearchedIndex

_LOOKED_AT = 20
"""Entries of a document that are looked at for its best: the nearest by each leg."""

_COUNT_TIMEOUT_MS = 15_000
"""Comparing a million entries takes about two seconds; nobody waits longer than this for a rank."""


@dataclass(frozen=True, slots=True)
class _Entry:
    id: UUID
    paragraph_id: UUID
    kind: int
    start: int
    end: int
    acl_id: int
    cosine: float | None
    words: float
    terms: frozenset[int]


@dataclass(frozen=True, slots=True)
class _Scored:
    """An entry on the scale of its embedder's gates."""

    entry: _Entry
    dense: float
    lexical: float
    scale: Scale

    @property
    def similarity(self) -> float:
        return self.scale.show(combine(self.dense, self.lexical))


@dataclass(slots=True)
class StandingProbe:
    """Looks up how a document (or one paragraph of it) stands; `standing` is None if it has no active
    entries.

    `hidden_by_lag`: it has active entries, but under another access list than the document's by now.
    """

    scope: Scope
    query: str
    knowledge_base_id: UUID
    document_id: UUID
    paragraph_id: UUID | None
    standing: Standing | None = None
    hidden_by_lag: bool = False
    _notes: list[Note] = field(default_factory=list[Note])

    async def __call__(self, inside: Inside) -> None:
        index = next((one for one in inside.indexes if one.knowledge_base_id == self.knowledge_base_id), None)
        if index is None:
            return
        model = inside.vectors.get(index.model_id)
        asked = inside.words.get(index.target.index_id)
        entries = await self._entries(inside, index, model[1] if model is not None else None, asked)
        seen = [entry for entry in entries if _may_see(inside, entry.acl_id)]
        self.hidden_by_lag = bool(entries) and not seen
        if not seen:
            return
        embedder = model[0] if model is not None else None
        order = {
            row.entry_id: float(score)
            for row, score in zip(inside.candidates.rows, inside.order, strict=True)
        }
        scale = inside.scales.get(index.target.index_id, Scale())
        scored = [_score(entry, embedder, asked, scale) for entry in seen]
        # A candidate's best entry is the one the search ranks it by; of others, the most similar.
        best = max(scored, key=lambda one: (order.get(one.entry.id, -1.0), one.similarity))
        places = {
            inside.candidates.rows[i].paragraph_id: place for place, i in enumerate(inside.ranked, start=1)
        }
        entry = best.entry
        dense = lexical = None
        if entry.cosine is not None:
            rank = await self._dense_rank(inside, index, entry.cosine)
            dense = LegStanding(entry.cosine, best.dense, rank)
        if asked is not None:
            rank = await self._lexical_rank(inside, entry.words) if entry.words > 0 else None
            lexical = LegStanding(entry.words, best.lexical, rank)
        place = places.get(entry.paragraph_id)
        if place is None:
            self._note_misses(inside, asked, entry, dense, lexical)
        self.standing = Standing(
            paragraph_id=entry.paragraph_id,
            kind=entry.kind,
            piece=(entry.start, entry.end),
            similarity=best.similarity,
            step=scale.drop,
            dense=dense,
            lexical=lexical,
            words=_words(self.query, asked, entry.terms) if asked is not None else (),
            score=order.get(entry.id),
            place=place,
            candidates=len(inside.ranked),
            limit=inside.limit,
            notes=tuple(dict.fromkeys(self._notes)),
        )

    def _note_misses(
        self,
        inside: Inside,
        asked: WeightedQuery | None,
        entry: _Entry,
        dense: LegStanding | None,
        lexical: LegStanding | None,
    ) -> None:
        if dense is not None and dense.rank is not None and dense.rank <= inside.limit:
            self._notes.append("missed_by_graph")
        if (
            asked is not None
            and lexical is not None
            and lexical.rank is not None
            and lexical.rank <= inside.limit
            and entry.terms.isdisjoint(asked.rare_terms)
        ):
            self._notes.append("only_frequent_words")

    async def _entries(
        self,
        inside: Inside,
        index: SearchedIndex,
        vector: NDArray[np.float32] | None,
        asked: WeightedQuery | None,
    ) -> list[_Entry]:
        """The document's nearest active entries by each leg, whatever their access list."""
        table = table_of(index.target.home)
        parameters: dict[str, Any] = {
            "index_id": index.target.index_id,
            "workspace_id": self.scope.workspace_id,
            "document_id": self.document_id,
            "most": _LOOKED_AT,
        }
        cosine, words = "NULL::float8", "0::float8"
        if vector is not None:
            cosine = _cosine("embedding")
            parameters["vector"] = halfvec_text(vector)
        if asked is not None:
            words, more = asked.score("bm25")
            parameters |= more
        paragraph = ""
        if self.paragraph_id is not None:
            paragraph = " AND paragraph_id = :paragraph_id"
            parameters["paragraph_id"] = self.paragraph_id
        rows = await inside.session.execute(
            text(
                f"WITH e AS MATERIALIZED (SELECT id, paragraph_id, kind, start_, end_, acl_id,"
                f" {cosine} AS cosine, {words} AS words FROM {table}"
                " WHERE index_id = :index_id AND workspace_id = :workspace_id AND document_id = :document_id"
                f" AND is_active{paragraph}),"
                " n AS (SELECT id FROM (SELECT id FROM e ORDER BY cosine DESC NULLS LAST, id LIMIT :most) c"
                " UNION SELECT id FROM (SELECT id FROM e ORDER BY words DESC, id LIMIT :most) w)"
                f" SELECT e.*, t.terms FROM n JOIN e ON e.id = n.id JOIN {table} t ON t.id = n.id"
            ),
            parameters,
        )
        return [
            _Entry(
                row.id,
                row.paragraph_id,
                row.kind,
                row.start_,
                row.end_,
                row.acl_id,
                row.cosine,
                max(row.words, 0.0),
                unsalted(index.target.index_id, row.terms),
            )
            for row in rows
        ]

    async def _dense_rank(self, inside: Inside, mine: SearchedIndex, cosine: float) -> int | None:
        """1 + the paragraphs that are nearer, over all indexes searched.

        Where several embedders meet, their cosines are compared by what they are calibrated to.
        """
        similarity = inside.vectors[mine.model_id][0].calibration.calibrate(cosine)
        nearer = 0
        for index in inside.indexes:
            embedder, vector = inside.vectors[index.model_id]
            least = (
                cosine if index.model_id == mine.model_id else float(embedder.calibration.invert(similarity))
            )
            parameters = {"vector": halfvec_text(vector), "least": least}
            found = await self._count(inside, index, f"{_cosine('embedding')} > :least", parameters)
            if found is None:
                return None
            nearer += found
        return nearer + 1

    async def _lexical_rank(self, inside: Inside, score: float) -> int | None:
        better = 0
        for index in inside.indexes:
            expression, parameters = inside.words[index.target.index_id].score("bm25")
            found = await self._count(inside, index, f"{expression} > :least", parameters | {"least": score})
            if found is None:
                return None
            better += found
        return better + 1

    async def _count(
        self, inside: Inside, index: SearchedIndex, condition: str, parameters: dict[str, Any]
    ) -> int | None:
        """How many paragraphs of an index that this search could find fulfil the condition."""
        given = parameters | {"index_id": index.target.index_id, "workspace_id": self.scope.workspace_id}
        conditions = ["index_id = :index_id", "workspace_id = :workspace_id", "is_active", condition]
        if (lists := inside.filters.acl_ids) is not None:
            conditions.append("acl_id = ANY(CAST(:acl_ids AS bigint[]))")
            given["acl_ids"] = list(lists)
        if inside.filters.document_ids is not None:
            conditions.append("document_id = ANY(CAST(:document_ids AS uuid[]))")
            given["document_ids"] = list(inside.filters.document_ids)
        statement = (
            f"SELECT count(DISTINCT paragraph_id) FROM {table_of(index.target.home)}"
            f" WHERE {' AND '.join(conditions)}"
        )
        try:
            async with inside.session.begin_nested():
                await inside.session.execute(text("SELECT set_config('enable_seqscan', 'on', true)"))
                await inside.session.execute(
                    text(f"SELECT set_config('statement_timeout', '{_COUNT_TIMEOUT_MS}', true)")
                )
                return int((await inside.session.execute(text(statement), given)).scalar_one())
        except DBAPIError as error:
            if not isinstance(error.orig, QueryCanceled):
                raise
            self._notes.append("ranks_not_counted")
            return None


def _may_see(inside: Inside, acl_id: int) -> bool:
    lists = inside.filters.acl_ids
    return lists is None or acl_id in lists


def _cosine(column: str) -> str:
    return f"-({column} <#> CAST(:vector AS halfvec))"


def _score(entry: _Entry, embedder: Embedder | None, asked: WeightedQuery | None, scale: Scale) -> _Scored:
    dense = lexical = 0.0
    if embedder is not None and entry.cosine is not None:
        dense = float(embedder.calibration.calibrate(entry.cosine))
    if asked is not None and entry.words > 0:
        held = entry.terms
        lexical = calibrate_words(asked.share(held), holds_identifier=asked.holds_identifier(held))
    return _Scored(entry, dense, lexical, scale)


def _words(query: str, asked: WeightedQuery, held: frozenset[int]) -> list[AskedWord]:
    """The question's words, the rarest first, and which of them the entry holds, itself or by a synonym."""
    mass = sum(asked.rarity.values()) + sum(group.mass for group in asked.groups)
    found: list[AskedWord] = []
    for term, word in TermedQuery.read(query).tokens.items():
        weight = asked.rarity.get(term, 0.0)
        is_held, known = term in held, asked.statistics.frequency(term) > 0
        for group in asked.groups:
            side = next((one for one in group.sides if term in one), None)
            if side is not None:
                weight = max(weight, side[term])
                is_held = is_held or not held.isdisjoint(group.others)
                known = known or any(asked.statistics.frequency(other) > 0 for other in group.others)
        share = weight / mass if mass else 0.0
        found.append(AskedWord(word, round(share, 4), known, term in asked.rare_terms, is_held))
    return sorted(found, key=lambda word: -word.weight)
