"""From the present version of a document to the next one, in the caller's one transaction.

Owns what changes with it: rows of paragraphs, what the index holds of those that go, the snapshot of the
version that is replaced. Rows that stay are not touched beyond what is different, so that they need no new
embedding. A draft has no versions: its paragraphs are replaced without a trace.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.kit.clock import now
from refdesk.knowledge.indexing import SMALLEST_PIECE, IndexWriter
from refdesk.knowledge.indexing.tables import KnowledgeIndex
from refdesk.knowledge.paragraph_repository import ParagraphRepository
from refdesk.knowledge.question_repository import QuestionRepository
from refdesk.knowledge.splitting import lead_chars, leads, overlap_of
from refdesk.knowledge.tables import Document, DocumentVersion
from refdesk.knowledge.versions import snapshot
from refdesk.knowledge.versions.matching import Match, match
from refdesk.knowledge.versions.records import ParagraphRecord
from refdesk.knowledge.versions.repository import BATCH, VersionRepository, describe

CONFLICT = "edit-conflict"
LOST = "edit-lost"
REFUSED = "split-settings-refused"
"""Told of a document before it is read the first time, so that reading it must not forget it."""


@dataclass(frozen=True, slots=True)
class NewText:
    """What parsing and splitting made of a file. `warnings` as they are kept on a document."""

    paragraphs: Sequence[ParagraphRecord]
    kind: str
    found_meta: dict[str, Any]
    coverage: float
    warnings: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    report: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class _Cut:
    """How the index cuts the paragraphs of a version: what their pieces share, and what they begin with."""

    overlap: int | None
    leads: dict[UUID, str]

    @classmethod
    def of(cls, document: Document, kind: str | None, paragraphs: Sequence[ParagraphRecord]) -> "_Cut":
        chosen = document.split_settings
        return cls(overlap_of(chosen), leads(paragraphs, lead_chars(kind, chosen)))

    def differs(self, other: "_Cut", record: ParagraphRecord) -> bool:
        has_pieces = self.overlap != other.overlap and len(record.content) > SMALLEST_PIECE
        return has_pieces or self.leads.get(record.id) != other.leads.get(record.id)


async def take_text(
    session: AsyncSession, scope: Scope, index: KnowledgeIndex | None, document: Document, text: NewText
) -> None:
    """Make the text the document's content; what people did to the present one is carried over.

    The document is locked by the caller. `index` is None for a draft, of which nothing is indexed.
    """
    versions = VersionRepository(session, scope)
    pending = await versions.pending(document)
    present = await versions.present(document.id)
    same_text = pending is None or pending.reason == "split"
    outcome = await asyncio.to_thread(
        match, present, text.paragraphs, document.removed_origins, same_text=same_text
    )
    unresolved = _unresolved(document, outcome)
    former = None
    cut = _Cut.of(document, document.kind, present)
    if pending is not None:
        former = await _leave_present(versions, document, pending, present)
    anew = _Cut.of(document, text.kind, outcome.paragraphs)
    await _replace_rows(session, scope, index, document, present, outcome.paragraphs, former, cut, anew)
    document.kind, document.found_meta, document.coverage = text.kind, text.found_meta, text.coverage
    told = [] if pending else [warning for warning in document.warnings if warning["code"] == REFUSED]
    document.warnings = [*told, *text.warnings, *_edit_warnings(outcome, unresolved)]
    document.report = text.report
    _complete(document, outcome.paragraphs)


async def bring_back(
    session: AsyncSession, scope: Scope, index: KnowledgeIndex, document: Document, pending: DocumentVersion
) -> None:
    """Make the content of an earlier version the document's again, with the ids that it had."""
    versions = VersionRepository(session, scope)
    assert pending.restores is not None
    earlier = await versions.find(document.id, pending.restores)
    data = await versions.snapshot(document.id, pending.restores)
    if earlier is None or data is None:
        raise RuntimeError("the version to bring back has no snapshot")
    held = await asyncio.to_thread(snapshot.decode, data)
    present = await versions.present(document.id)
    cut = _Cut.of(document, document.kind, present)
    former = await _leave_present(versions, document, pending, present)
    anew = _Cut.of(document, earlier.kind, held.paragraphs)
    await _replace_rows(session, scope, index, document, present, held.paragraphs, former, cut, anew)
    document.kind, document.found_meta = earlier.kind, earlier.found_meta
    document.coverage, document.warnings = earlier.coverage, earlier.warnings
    document.removed_origins, document.report = held.removed_origins, held.report
    _complete(document, held.paragraphs)


async def _leave_present(
    versions: VersionRepository,
    document: Document,
    pending: DocumentVersion,
    present: Sequence[ParagraphRecord],
) -> DocumentVersion:
    """Keep the present version as a snapshot, and let the document be what the pending one says."""
    current = await versions.current(document)
    describe(current, document)
    current.snapshot = await asyncio.to_thread(
        snapshot.encode, present, document.removed_origins, document.report
    )
    current.replaced_at = now()
    document.version = pending.number
    document.name, document.blob_id = pending.name, pending.blob_id
    document.split_settings = pending.split_settings
    await versions.session.flush()
    return current


async def _replace_rows(
    session: AsyncSession,
    scope: Scope,
    index: KnowledgeIndex | None,
    document: Document,
    present: Sequence[ParagraphRecord],
    wanted: Sequence[ParagraphRecord],
    former: DocumentVersion | None,
    cut: _Cut,
    anew: _Cut,
) -> None:
    """`cut` and `anew` are how the index cuts the present and the wanted version."""
    versions = VersionRepository(session, scope)
    standing = {record.id: record for record in present}
    positions = await versions.positions(document.id)
    staying = {record.id for record in wanted if record.id in standing}
    await _remove(session, scope, index, former, [key for key in standing if key not in staying])
    added: list[tuple[int, ParagraphRecord]] = []
    changed: list[tuple[int, ParagraphRecord]] = []
    moved: list[tuple[int, UUID]] = []
    asked: list[ParagraphRecord] = []
    for position, record in enumerate(wanted):
        if record.id not in standing:
            added.append((position, record))
            asked.append(record)
            continue
        before = standing[record.id]
        if cut.differs(anew, record) or not record.says_the_same_as(before):
            record.revision = max(record.revision, before.revision) + 1
        else:
            record.revision = before.revision
        record.hit_count = before.hit_count
        if set(record.questions) != set(before.questions):
            asked.append(record)
        if replace(record, questions=before.questions) != before:
            changed.append((position, record))
        elif position != positions[record.id]:
            moved.append((position, record.id))
    await versions.insert(document, added)
    await versions.update(changed)
    await versions.move(moved)
    await _ask(session, scope, document, asked, {record.id for _, record in added})


async def _remove(
    session: AsyncSession,
    scope: Scope,
    index: KnowledgeIndex | None,
    former: DocumentVersion | None,
    gone: Sequence[UUID],
) -> None:
    writer = None if index is None else IndexWriter(session, scope, index)
    versions, paragraphs = VersionRepository(session, scope), ParagraphRepository(session, scope)
    for i in range(0, len(gone), BATCH):
        some = gone[i : i + BATCH]
        if writer is not None:
            await writer.remove_paragraphs(some)
        if former is not None:
            await versions.note_past(former.id, some)
        await paragraphs.remove(some)


async def _ask(
    session: AsyncSession,
    scope: Scope,
    document: Document,
    records: Sequence[ParagraphRecord],
    added: set[UUID],
) -> None:
    """Attach to each paragraph the questions its record has, and no others."""
    questions = QuestionRepository(session, scope)
    await questions.detach_all([record.id for record in records if record.id not in added])
    contents = {content for record in records for content in record.questions}
    if contents:
        ids = await questions.ensure(document.knowledge_base_id, contents)
        await questions.attach(
            (record.id, ids[content]) for record in records for content in record.questions
        )


def _complete(document: Document, paragraphs: Sequence[ParagraphRecord]) -> None:
    document.character_count = sum(len(record.content) for record in paragraphs)
    document.paragraph_count = document.progress_total = len(paragraphs)
    document.progress_done = 0
    document.split_at = now()


def _unresolved(document: Document, outcome: Match) -> list[UUID]:
    """Paragraphs that an earlier version already reported and nobody has looked at since."""
    reported = {
        paragraph_id
        for warning in document.warnings
        if warning["code"] == CONFLICT
        for paragraph_id in warning.get("paragraph_ids", ())
    }
    return [record.id for record in outcome.paragraphs if record.is_edited and str(record.id) in reported]


def _edit_warnings(outcome: Match, unresolved: Sequence[UUID]) -> list[dict[str, Any]]:
    warnings: list[dict[str, Any]] = []
    conflicts = list(dict.fromkeys((*unresolved, *outcome.conflicts)))
    if conflicts:
        warnings.append(_warning(CONFLICT, conflict_message(len(conflicts)), conflicts))
    if outcome.lost_edits:
        lost = len(outcome.lost_edits)
        what = "One edited paragraph is" if lost == 1 else f"{lost} edited paragraphs are"
        message = f"{what} gone from the file and no longer here; the earlier version has what was written."
        warnings.append(_warning(LOST, message, outcome.lost_edits))
    return warnings


def conflict_message(count: int) -> str:
    """What the warning says of so many edits."""
    what = "One edited paragraph was" if count == 1 else f"{count} edited paragraphs were"
    return f"{what} kept although the file says something else now."


def _warning(code: str, message: str, paragraph_ids: Sequence[UUID]) -> dict[str, Any]:
    ids = [str(paragraph_id) for paragraph_id in paragraph_ids]
    return {"code": code, "message": message, "page": None, "paragraph_ids": ids}
