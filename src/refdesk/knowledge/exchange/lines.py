"""Rows of the database as lines of an export: a function a kind of record (see `records`)."""

from dataclasses import asdict
from typing import Any

from refdesk.knowledge.sources.contents import SPLIT
from refdesk.knowledge.tables import Document, DocumentVersion, Paragraph, Source, SourceItem
from refdesk.knowledge.versions import ParagraphRecord
from refdesk.knowledge.versions.snapshot import Snapshot


def document_line(
    document: Document, digest: bytes | None, source: int | None, *, is_made_anew: bool
) -> dict[str, Any]:
    """A document; `is_made_anew`: another version of it is on its way, or failed."""
    return {
        "name": document.name,
        "kind": document.kind,
        # Where a newer version is being made, or could not be, the present one is what is there.
        "state": "ready" if is_made_anew else document.state,
        "error": None if is_made_anew else document.error,
        "is_split": is_made_anew or document.split_at is not None,
        "warnings": document.warnings,
        "meta": document.meta,
        "found_meta": document.found_meta,
        "report": document.report,
        "split_settings": document.split_settings,
        "character_count": document.character_count,
        "coverage": document.coverage,
        "hit_handling": document.hit_handling,
        "direct_return_similarity": document.direct_return_similarity,
        "is_active": document.is_active,
        "version": document.version,
        "removed_origins": document.removed_origins,
        "file": None if digest is None else digest.hex(),
        "source": source,
        "created_at": document.created_at,
    }


def paragraph_line(number: int, paragraph: Paragraph, questions: list[int]) -> dict[str, Any]:
    """A paragraph of document `number` with the numbers of its questions."""
    return {
        "d": number,
        "key": paragraph.id,
        "title": paragraph.title,
        "title_chain": paragraph.title_chain,
        "content": paragraph.content,
        "page": paragraph.page,
        "boxes": paragraph.boxes,
        "start": paragraph.start,
        "end": paragraph.end,
        "is_active": paragraph.is_active,
        "is_edited": paragraph.is_edited,
        "hit_count": paragraph.hit_count,
        "revision": paragraph.revision,
        "origins": paragraph.origins,
        "source_title": paragraph.source_title,
        "source_content": paragraph.source_content,
        "meta": paragraph.meta,
        "questions": questions,
        "created_at": paragraph.created_at,
    }


def snapshot_line(number: int, version: int, record: ParagraphRecord, *, is_past: bool) -> dict[str, Any]:
    """A paragraph of a replaced version."""
    line = asdict(record)
    return {"d": number, "number": version, "key": line.pop("id"), **line, "is_past": is_past}


def version_line(
    number: int, version: DocumentVersion, digest: bytes | None, held: Snapshot | None, document: Document
) -> dict[str, Any]:
    """A version; `held` is its snapshot. One that is being made says how the document stands."""
    is_later = version.number > document.version
    return {
        "d": number,
        "number": version.number,
        "reason": version.reason,
        "name": version.name,
        "kind": version.kind,
        "found_meta": version.found_meta,
        "warnings": version.warnings,
        "split_settings": version.split_settings,
        "character_count": version.character_count,
        "paragraph_count": version.paragraph_count,
        "coverage": version.coverage,
        "file": None if digest is None else digest.hex(),
        "has_snapshot": held is not None,
        "report": {} if held is None else held.report,
        "removed_origins": [] if held is None else held.removed_origins,
        "restores": version.restores if is_later else None,
        "state": _state(document) if is_later else None,
        "error": document.error if is_later else None,
        "created_at": version.created_at,
        "replaced_at": version.replaced_at,
    }


def _state(document: Document) -> str:
    return document.state if document.state in ("failed", "cancelled") else "queued"


def source_line(source: Source) -> dict[str, Any]:
    """A source; one that is being read is exported as one that rests."""
    config = dict(source.config)
    split = config.pop(SPLIT, None)
    config.pop("keep_documents", None)
    return {
        "kind": source.kind,
        "name": source.name,
        "config": config,
        "split_settings": split,
        "interval_hours": source.interval_hours,
        "state": source.state if source.state in ("failed", "cancelled") else "idle",
        "counts": source.counts,
        "error": source.error,
        "last_run_at": source.last_run_at,
        "created_at": source.created_at,
    }


def source_item_line(number: int, item: SourceItem, document: int | None) -> dict[str, Any]:
    """What is remembered of a page or file of a source."""
    return {
        "s": number,
        "key": item.key,
        "d": document,
        "state": item.state,
        "http_status": item.http_status,
        "etag": item.etag,
        "last_modified": item.last_modified,
        "content_hash": None if item.content_hash is None else item.content_hash.hex(),
        "links": item.links,
        "error": item.error,
        "seen_at": item.seen_at,
    }
