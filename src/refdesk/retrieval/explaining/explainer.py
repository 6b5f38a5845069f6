"""Asks the search itself, then finds the first thing that kept the subject out."""

from dataclasses import replace
from uuid import UUID

from refdesk.accounts import Scope
from refdesk.kit.database import Database
from refdesk.retrieval.explaining.standings import StandingProbe
from refdesk.retrieval.explaining.subjects import paragraph_text, subject_of
from refdesk.retrieval.explaining.values import (
    Explanation,
    Note,
    Reason,
    Standing,
    Subject,
)
from refdesk.retrieval.search import DropReason, SearchRequest, SearchResult
from refdesk.retrieval.selection import width
from refdesk.retrieval.service import Retriever


class Explainer:
    """Explains searches of one retriever."""

    def __init__(self, database: Database, retriever: Retriever) -> None:
        self._database = database
        self._retriever = retriever

    async def explain(
        self,
        scope: Scope,
        request: SearchRequest,
        *,
        document_id: UUID | None = None,
        paragraph_id: UUID | None = None,
    ) -> Explanation:
        """Why `request` does not bring the document, or the paragraph if one is given.

        Raises what a search raises, and `NothingToExplain` for what is not there or not the caller's to see.
        """
        async with self._database.transaction() as session:
            subject = await subject_of(session, scope, document_id=document_id, paragraph_id=paragraph_id)
        result = await self._retriever.search(scope, request)
        probe = StandingProbe(
            scope, request.query, subject.knowledge_base_id, subject.document_id, subject.paragraph_id
        )
        searched = request
        if result.route is not None:
            searched = replace(request, knowledge_base_ids=result.route.searched)
        if subject.knowledge_base_id in searched.knowledge_base_ids:
            await self._retriever.rank(scope, searched, depth=_looked_at(request), probe=probe)
        rank = next(
            (
                place
                for place, hit in enumerate(result.hits, 1)
                if _is_of(subject, hit.document_id, hit.paragraph_id)
            ),
            None,
        )
        reason = "found" if rank is not None else _reason(subject, request, result, probe)
        standing = probe.standing
        paragraph = None
        shown = standing.paragraph_id if standing is not None else subject.paragraph_id
        if shown is not None:
            async with self._database.transaction() as session:
                paragraph = await paragraph_text(session, scope, shown)
        return Explanation(reason, subject, result, rank, standing, paragraph, _notes(subject, standing))


def _is_of(subject: Subject, document_id: UUID, paragraph_id: UUID) -> bool:
    if subject.paragraph_id is not None:
        return paragraph_id == subject.paragraph_id
    return document_id == subject.document_id


def _reason(subject: Subject, request: SearchRequest, result: SearchResult, probe: StandingProbe) -> Reason:
    kept_out = _before_the_search(subject, request)
    if kept_out is None and result.route is not None:
        kept_out = None if subject.knowledge_base_id in result.route.searched else "not_routed"
    kept_out = kept_out or _without_entries(subject, probe)
    if kept_out is not None:
        return kept_out
    out: list[DropReason] = [
        why for hit, why in result.dropped if _is_of(subject, hit.document_id, hit.paragraph_id)
    ]
    if out:
        return out[0]
    standing = probe.standing
    if standing is None:
        return "not_indexed"
    if standing.place is None:
        return "not_a_candidate"
    return _after_the_legs(standing, request, result)


def _before_the_search(subject: Subject, request: SearchRequest) -> Reason | None:
    """What is known without searching."""
    if subject.is_draft:
        return "draft"
    if subject.knowledge_base_id not in request.knowledge_base_ids:
        return "other_base"
    if request.document_ids is not None and subject.document_id not in request.document_ids:
        return "filtered"
    if not subject.is_active:
        return "document_inactive"
    if not subject.paragraph_active or (subject.paragraphs and not subject.active):
        return "paragraph_inactive"
    return None


def _without_entries(subject: Subject, probe: StandingProbe) -> Reason | None:
    """Why the index holds nothing of it that this search could find."""
    if probe.standing is not None:
        return None
    if probe.hidden_by_lag:
        return "access_changing"
    if subject.state == "failed":
        return "failed"
    if subject.state == "cancelled":
        return "cancelled"
    if subject.state == "ready" and subject.indexed == subject.paragraphs:
        return "empty"
    return "not_indexed"


def _after_the_legs(standing: Standing, request: SearchRequest, result: SearchResult) -> Reason:
    """A candidate beyond those that the search names its reasons for."""
    if request.apply_gate and standing.similarity < request.similarity:
        return "below_threshold"
    if request.drop is not None and standing.similarity <= result.best - width(request.drop, standing.step):
        return "far_below_best"
    return "beyond_top_n" if (standing.place or 0) > _looked_at(request) else "ranked_out"


def _looked_at(request: SearchRequest) -> int:
    """How many paragraphs the search wants at least: those to return, or those to be put in order anew."""
    return max(request.top_n, request.rerank.candidates if request.rerank is not None else 0)


def _notes(subject: Subject, standing: Standing | None) -> list[Note]:
    notes: list[Note] = []
    if subject.is_restricted:
        notes.append("restricted")
    if 0 < subject.indexed < subject.paragraphs:
        notes.append("partly_indexed")
    if subject.outdated:
        notes.append("older_revision")
    if 0 < subject.active < subject.paragraphs:
        notes.append("some_inactive")
    if standing is not None:
        notes += standing.notes
    return notes
