"""What of stored runs their owner may still see: access can be taken away after an answer was written.

Of a citation of a document that the caller may not see any more the number stays, text and names go; so do
the figures of a search that found it. The
answer is withheld as a whole where it may hold words of such a document: one that quotes if it cites one, one
that a model wrote if one was among its sources, or an answer withheld now among the turns it was told of.
Nothing is cut out of an answer: no one can say which of a model's words came from where.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.chat.language import language_of
from refdesk.chat.schemas import RetrievalOut, RunOut
from refdesk.chat.tables import Run
from refdesk.chat.views import run_view
from refdesk.knowledge import DocumentRepository, ParagraphRepository, sees_all

MEMORY_STAGE, READ_RUNS = "memory", "read_runs"
"""The stage whose detail names the earlier runs that a model was told of."""

_WITHHELD = {
    "zh": "此回答依据的文档中，有您现在无权查看的，因此内容已隐藏。",
    "en": "This answer rests on documents that you may no longer see, so it is hidden.",
}


@dataclass(frozen=True, slots=True)
class Sight:
    """`existing`: cited paragraphs that can be opened. `hidden`: documents that are hidden from the caller.
    `withheld`: the runs whose answers are."""

    existing: frozenset[UUID]
    hidden: frozenset[UUID] = frozenset()
    withheld: frozenset[UUID] = field(default_factory=frozenset[UUID])

    @classmethod
    async def of(cls, session: AsyncSession, scope: Scope, runs: Sequence[Run]) -> "Sight":
        """Of runs of one conversation, oldest first."""
        cited = {
            UUID(one["paragraph_id"]) for run in runs for one in run.citations if one.get("paragraph_id")
        }
        existing: set[UUID] = set()
        if cited:
            existing |= set(await ParagraphRepository(session, scope).revisions(list(cited)))
        if sees_all(scope):
            return cls(frozenset(existing))
        documents = {document for run in runs for document in (*_cited(run), *_found(run))}
        hidden = await DocumentRepository(session, scope).hidden(documents)
        withheld: set[UUID] = set()
        for run in runs if hidden else ():
            written = run.profile.get("model_id") is not None
            rests_on = _cited(run) | _found(run) if written else _cited(run)
            if rests_on & hidden or (written and _read(run) & withheld):
                withheld.add(run.id)
        return cls(frozenset(existing), frozenset(hidden), frozenset(withheld))

    def is_touched(self, run: Run) -> bool:
        """Whether anything of the run is hidden."""
        return run.id in self.withheld or bool((_cited(run) | _found(run)) & self.hidden)

    def _search_without(self, search: RetrievalOut) -> RetrievalOut:
        """The search as if it had found what the caller may see and nothing else: no figure tells of more."""
        hits = [hit for hit in search.hits if hit.document_id not in self.hidden]
        if not hits:
            return RetrievalOut(mode=search.mode)
        return RetrievalOut(
            found=search.found,
            best=max(hit.similarity for hit in hits),
            threshold=search.threshold,
            mode=search.mode,
            candidates=len(hits),
            hits=hits,
        )

    def view(self, run: Run) -> RunOut:
        """The run as its owner may see it."""
        shown = run_view(run, self.existing)
        if not self.is_touched(run):
            return shown
        for citation in shown.citations:
            if citation.document_id in self.hidden:
                citation.hidden, citation.available = True, False
                citation.paragraph_id = citation.document_id = citation.knowledge_base_id = None
                citation.document = citation.section = citation.text = ""
                citation.offset, citation.page, citation.similarity = 0, None, None
        shown.retrieval = self._search_without(shown.retrieval)
        for stage in shown.stages:
            stage.detail = {}
        shown.standalone_question = None
        if run.id in self.withheld:
            marks = "".join(f" [{citation.n}]" for citation in shown.citations)
            shown.answer = _WITHHELD[language_of(run.question)] + marks
            shown.sentences = []
        return shown


def _cited(run: Run) -> set[UUID]:
    return {UUID(one["document_id"]) for one in run.citations if one.get("document_id")}


def _found(run: Run) -> set[UUID]:
    return {UUID(one["document_id"]) for one in run.retrieval.get("hits", ())}


def _read(run: Run) -> set[UUID]:
    """The earlier runs of which a model was told."""
    details = (stage["detail"] for stage in run.stages if stage["name"] == MEMORY_STAGE)
    return {UUID(key) for detail in details for key in detail.get(READ_RUNS, ())}
