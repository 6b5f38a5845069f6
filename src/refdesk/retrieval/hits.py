"""From candidates to hits: each paragraph's best entry with its scores, on the scale that people see."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from refdesk.gateway import Scale
from refdesk.knowledge.indexing import EntryKind
from refdesk.retrieval.candidates import Candidates, Row
from refdesk.retrieval.gate import calibrate_words, combine
from refdesk.retrieval.query import WeightedQuery, unsalted
from refdesk.retrieval.repository import FoundParagraph
from refdesk.retrieval.search import Hit, LegScore
from refdesk.retrieval.selection import date_of

_UNFITTED = Scale()


def _ranks(candidates: Candidates, scores: NDArray[np.float64]) -> dict[int, int]:
    return {i: rank for rank, i in enumerate(candidates.best_of_paragraphs(scores), start=1)}


def hits_of(
    candidates: Candidates,
    order: NDArray[np.float64],
    shown: Sequence[int],
    paragraphs: dict[UUID, FoundParagraph],
    words: Mapping[UUID, WeightedQuery],
    scales: Mapping[UUID, Scale],
) -> list[Hit]:
    """The hits at the positions `shown`, each judged on the scale of its index's embedder.

    `words` and `scales` are by index; an index without a scale is searched by words alone.
    """
    dense_ranks = _ranks(candidates, candidates.dense)
    lexical_ranks = _ranks(candidates, candidates.lexical)
    pieces = _best_pieces(candidates, order)
    hits: list[Hit] = []
    for i in shown:
        row = candidates.rows[i]
        paragraph = paragraphs.get(row.entry_id)
        if paragraph is None:
            continue
        held = unsalted(row.index_id, paragraph.terms)
        dense = lexical = None
        if row.cosine is not None:
            dense = LegScore(row.cosine, float(candidates.similarity[i]), dense_ranks.get(i, 0))
        asked = words.get(row.index_id)
        if asked is not None and candidates.lexical[i] > 0:
            calibrated = calibrate_words(asked.share(held), holds_identifier=asked.holds_identifier(held))
            lexical = LegScore(float(candidates.lexical[i]), calibrated, lexical_ranks.get(i, 0))
        scale = scales.get(row.index_id, _UNFITTED)
        hit = _hit(row, paragraph, float(order[i]), dense, lexical, held, scale)
        # A question says nothing of where in the paragraph its answer stands: its nearest piece may.
        hits.append(replace(hit, piece=pieces.get(row.paragraph_id, hit.piece)) if hit.by_question else hit)
    return hits


def _best_pieces(candidates: Candidates, order: NDArray[np.float64]) -> dict[UUID, tuple[int, int]]:
    """The best span of each paragraph of which a piece is among the candidates."""
    best: dict[UUID, tuple[int, int]] = {}
    for i in np.argsort(-order, kind="stable"):
        row = candidates.rows[int(i)]
        if row.kind == EntryKind.PIECE:
            best.setdefault(row.paragraph_id, (row.start, row.end))
    return best


def _hit(
    row: Row,
    paragraph: FoundParagraph,
    score: float,
    dense: LegScore | None,
    lexical: LegScore | None,
    held: frozenset[int],
    scale: Scale,
) -> Hit:
    combined = combine(*(leg.calibrated if leg is not None else 0.0 for leg in (dense, lexical)))
    similarity = scale.show(combined)
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
        combined=combined,
        step=scale.drop,
        dense=dense,
        lexical=lexical,
        piece=(row.start, row.end),
        by_question=row.kind == EntryKind.QUESTION,
        returns_directly=paragraph.direct_from is not None and similarity >= paragraph.direct_from,
        dated=date_of(paragraph.said_date) or paragraph.added_at.date(),
        terms=held,
        position=paragraph.position,
    )
