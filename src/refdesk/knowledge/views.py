"""Rows → what is sent: one function a kind of answer."""

from collections.abc import Mapping
from typing import Any, cast
from uuid import UUID

from refdesk.kit.settings import Settings
from refdesk.knowledge.repository import Counts
from refdesk.knowledge.schemas import (
    DocumentError,
    DocumentProgress,
    DocumentView,
    DocumentWarning,
    KnowledgeBaseCounts,
    KnowledgeBaseView,
    ParagraphView,
    SplitOptions,
    State,
    Tally,
)
from refdesk.knowledge.splitting import SplitSettings
from refdesk.knowledge.tables import Document, KnowledgeBase, Paragraph

SUGGESTED = "suggested_questions"


def upload_limit(base: KnowledgeBase, settings: Settings) -> int:
    """Bytes of the largest file the base accepts."""
    own = base.max_file_bytes
    return settings.max_upload_bytes if own is None else min(own, settings.max_upload_bytes)


def counts_view(counts: Counts) -> KnowledgeBaseCounts:
    return KnowledgeBaseCounts(
        documents=counts.documents,
        paragraphs=counts.paragraphs,
        characters=counts.characters,
        states=cast(Tally, counts.states),
    )


def base_view(base: KnowledgeBase, counts: Counts, settings: Settings) -> KnowledgeBaseView:
    return KnowledgeBaseView(
        id=base.id,
        name=base.name,
        description=base.description,
        embedding_model_id=base.embedding_model_id,
        max_file_bytes=base.max_file_bytes,
        max_documents=base.max_documents,
        upload_limit_bytes=upload_limit(base, settings),
        split_settings=SplitOptions.model_validate(base.settings.get("split", {})),
        meta={key: value for key, value in base.meta.items() if key != SUGGESTED},
        suggested_questions=list(base.meta.get(SUGGESTED, ())),
        counts=counts_view(counts),
        created_at=base.created_at,
        updated_at=base.updated_at,
    )


def _error(stored: dict[str, Any] | None) -> DocumentError | None:
    return None if stored is None else DocumentError.model_validate(stored)


def _warnings(stored: list[Any]) -> list[DocumentWarning]:
    return [DocumentWarning.model_validate(warning) for warning in stored]


def document_view(document: Document, file_sizes: Mapping[UUID, int]) -> DocumentView:
    return DocumentView(
        id=document.id,
        knowledge_base_id=document.knowledge_base_id,
        name=document.name,
        kind=document.kind,
        state=cast(State, document.state),
        progress_done=document.progress_done,
        progress_total=document.progress_total,
        error=_error(document.error),
        warnings=_warnings(document.warnings),
        meta=document.meta,
        split_settings=SplitOptions.model_validate(document.split_settings),
        character_count=document.character_count,
        paragraph_count=document.paragraph_count,
        coverage=document.coverage,
        has_file=document.blob_id is not None,
        file_bytes=None if document.blob_id is None else file_sizes.get(document.blob_id),
        created_at=document.created_at,
        updated_at=document.updated_at,
    )


def document_progress(document: Document) -> DocumentProgress:
    return DocumentProgress(
        id=document.id,
        name=document.name,
        kind=document.kind,
        state=cast(State, document.state),
        progress_done=document.progress_done,
        progress_total=document.progress_total,
        error=_error(document.error),
        warnings=_warnings(document.warnings),
        character_count=document.character_count,
        paragraph_count=document.paragraph_count,
        coverage=document.coverage,
        updated_at=document.updated_at,
    )


def paragraph_view(paragraph: Paragraph, *, is_indexed: bool) -> ParagraphView:
    return ParagraphView(
        id=paragraph.id,
        document_id=paragraph.document_id,
        knowledge_base_id=paragraph.knowledge_base_id,
        position=paragraph.position,
        title=paragraph.title,
        title_chain=paragraph.title_chain,
        content=paragraph.content,
        page=paragraph.page,
        boxes=paragraph.boxes,
        start=paragraph.start,
        end=paragraph.end,
        is_active=paragraph.is_active,
        is_edited=paragraph.is_edited,
        is_indexed=is_indexed,
        revision=paragraph.revision,
        updated_at=paragraph.updated_at,
    )


def split_settings(options: SplitOptions) -> SplitSettings:
    """The splitter's settings; raises its errors for what it refuses."""
    return SplitSettings(
        profile=options.profile,
        limit=options.limit,
        unit=options.unit,
        min_size=options.min_size,
        patterns=tuple(options.patterns),
        with_filter=options.with_filter,
    )
