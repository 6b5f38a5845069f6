"""Rows → what is sent: one function a kind of answer."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, cast
from uuid import UUID

from refdesk.kit.settings import Settings
from refdesk.knowledge.metadata import effective_metadata
from refdesk.knowledge.passage_metadata import passage_metadata, said_of
from refdesk.knowledge.repository import LEAST_COVERAGE, Counts
from refdesk.knowledge.schemas import (
    Access,
    DocumentError,
    DocumentProgress,
    DocumentView,
    DocumentWarning,
    HitHandling,
    ImportState,
    KnowledgeBaseCounts,
    KnowledgeBaseView,
    ParagraphSource,
    ParagraphView,
    QuestionRef,
    SplitOptions,
    State,
    Tally,
    VersionReason,
    VersionView,
)
from refdesk.knowledge.splitting import SplitSettings
from refdesk.knowledge.tables import Document, DocumentVersion, KnowledgeBase, Paragraph, Question
from refdesk.knowledge.versions.records import ParagraphRecord

SUGGESTED = "suggested_questions"
# Where a base that is being imported, or was, keeps how that stands.
IMPORT = "import"


def upload_limit(base: KnowledgeBase, settings: Settings) -> int:
    """Bytes of the largest file the base accepts."""
    own = base.max_file_bytes
    return settings.max_upload_bytes if own is None else min(own, settings.max_upload_bytes)


def counts_view(counts: Counts) -> KnowledgeBaseCounts:
    return KnowledgeBaseCounts(
        documents=counts.documents,
        paragraphs=counts.paragraphs,
        characters=counts.characters,
        attention=counts.attention,
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
        import_state=_unfinished(base),
        created_at=base.created_at,
        updated_at=base.updated_at,
    )


def _unfinished(base: KnowledgeBase) -> ImportState | None:
    state = base.settings.get(IMPORT, {}).get("state")
    return None if state in (None, "finished") else cast(ImportState, state)


def _error(stored: dict[str, Any] | None) -> DocumentError | None:
    return None if stored is None else DocumentError.model_validate(stored)


def _warnings(stored: list[Any]) -> list[DocumentWarning]:
    return [DocumentWarning.model_validate(warning) for warning in stored]


def needs_attention(document: Document) -> bool:
    """The same as the filter `attention` of the list says in SQL."""
    lossy = document.coverage is not None and document.coverage < LEAST_COVERAGE
    return document.state == "failed" or bool(document.warnings) or lossy


def access_of(document: Document) -> Access:
    """Whether the document has a list of its own, counts under a folder's, or under none."""
    if document.access_list_id is not None:
        return "restricted"
    return "inherited" if document.acl_id else "everyone"


def document_view(
    document: Document, file_sizes: Mapping[UUID, int], hidden_folders: Collection[UUID]
) -> DocumentView:
    """`hidden_folders` are those that the caller may not see: a document in one of them names none."""
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
        meta=effective_metadata(document.found_meta, document.meta),
        found_meta=document.found_meta,
        split_settings=SplitOptions.model_validate(document.split_settings),
        character_count=document.character_count,
        paragraph_count=document.paragraph_count,
        coverage=document.coverage,
        extracted_chars=document.report.get("extracted_chars"),
        kept_chars=document.report.get("kept_chars"),
        removed_chars=document.report.get("removed_chars"),
        ocr_pages=document.report.get("ocr_pages"),
        files_read=document.report.get("files_read"),
        files_left_out=document.report.get("files_left_out"),
        needs_attention=needs_attention(document),
        has_password=document.password_sealed is not None,
        version=document.version,
        is_active=document.is_active,
        hit_handling=cast(HitHandling, document.hit_handling),
        direct_return_similarity=document.direct_return_similarity,
        source_id=document.source_id,
        folder_id=None if document.folder_id in hidden_folders else document.folder_id,
        access=access_of(document),
        is_draft=document.is_draft,
        expires_at=document.expires_at,
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


def paragraph_view(
    document: Document,
    paragraph: Paragraph,
    position: int,
    questions: Sequence[Question],
    *,
    is_indexed: bool,
) -> ParagraphView:
    """`position` is its number in the document; the column of that name only says the order."""
    return ParagraphView(
        id=paragraph.id,
        document_id=paragraph.document_id,
        knowledge_base_id=paragraph.knowledge_base_id,
        position=position,
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
        hit_count=paragraph.hit_count,
        questions=[QuestionRef(id=question.id, content=question.content) for question in questions],
        source=_source(paragraph.source_title, paragraph.source_content),
        meta=passage_metadata(document, paragraph.meta),
        own_meta=said_of(paragraph.meta),
        is_current=True,
        version=document.version,
        revision=paragraph.revision,
        updated_at=paragraph.updated_at,
    )


def past_paragraph_view(
    document: Document, record: ParagraphRecord, position: int, *, version: int, is_current: bool
) -> ParagraphView:
    """A paragraph as a version has it."""
    return ParagraphView(
        id=record.id,
        document_id=document.id,
        knowledge_base_id=document.knowledge_base_id,
        position=position,
        title=record.title,
        title_chain=record.title_chain,
        content=record.content,
        page=record.page,
        boxes=record.boxes,
        start=record.start,
        end=record.end,
        is_active=record.is_active,
        is_edited=record.is_edited,
        is_indexed=False,
        hit_count=record.hit_count,
        questions=[QuestionRef(id=None, content=content) for content in record.questions],
        source=_source(record.source_title, record.source_content),
        meta=passage_metadata(document, record.meta),
        own_meta=said_of(record.meta),
        is_current=is_current,
        version=version,
        revision=record.revision,
        updated_at=document.updated_at,
    )


def page_count(found_meta: Mapping[str, Any]) -> int | None:
    """Pages of a file, as its parser told."""
    found = found_meta.get("page_count")
    return found if isinstance(found, int) and found > 0 else None


def _source(title: str | None, content: str | None) -> ParagraphSource | None:
    return None if content is None else ParagraphSource(title=title or "", content=content)


def version_view(
    version: DocumentVersion, source: Document | DocumentVersion, size: int | None, *, is_current: bool
) -> VersionView:
    """`source` says what the version holds: the document itself for the current one."""
    return VersionView(
        number=version.number,
        reason=cast(VersionReason, version.reason),
        is_current=is_current,
        name=source.name,
        kind=source.kind,
        page_count=page_count(source.found_meta),
        has_file=source.blob_id is not None,
        file_bytes=size,
        split_settings=SplitOptions.model_validate(source.split_settings),
        character_count=source.character_count,
        paragraph_count=source.paragraph_count,
        coverage=source.coverage,
        warnings=_warnings(source.warnings),
        created_at=version.created_at,
        replaced_at=version.replaced_at,
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
        overlap=options.overlap,
    )
