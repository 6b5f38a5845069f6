"""From rows to what is shown."""

from collections.abc import Collection
from typing import Any
from uuid import UUID

from refdesk.chat.recorder import shown_stage
from refdesk.chat.schemas import (
    CitationOut,
    FormOut,
    ReplyOut,
    RetrievalOut,
    RunError,
    RunOut,
    SentenceOut,
    StageOut,
    UsageOut,
    WarningOut,
)
from refdesk.chat.tables import Run

# What is left of each hit's text in a conversation; the run itself has all of it.
EXCERPT_CHARS = 200


def in_thread(shown: RunOut) -> RunOut:
    """A run as one of a conversation: stages without detail, hits as excerpts."""
    for stage in shown.stages:
        stage.detail = {}
    for hit in shown.retrieval.hits:
        if len(hit.text) > EXCERPT_CHARS:
            hit.text = hit.text[: EXCERPT_CHARS - 1] + "…"
    return shown


def run_view(run: Run, existing: Collection[UUID] | None = None) -> RunOut:
    """A run as shown. `existing`: the cited paragraphs that are still there (None: not looked up)."""
    profile: dict[str, Any] = run.profile
    citations = [CitationOut.model_validate(citation) for citation in run.citations]
    if existing is not None:
        for citation in citations:
            if citation.kind == "tool":
                continue
            citation.available = citation.paragraph_id in existing
    return RunOut(
        id=run.id,
        conversation_id=run.conversation_id,
        application_id=profile.get("application_id"),
        knowledge_base_ids=profile.get("knowledge_base_ids", []),
        model_id=profile.get("model_id"),
        question=run.question,
        picture_ids=run.picture_ids,
        standalone_question=run.standalone_question,
        answer=run.answer,
        state=run.state,  # pyright: ignore[reportArgumentType]
        citations=citations,
        sentences=[SentenceOut.model_validate(sentence) for sentence in run.sentences],
        retrieval=RetrievalOut.model_validate(run.retrieval),
        stages=[StageOut.model_validate(shown_stage(stage)) for stage in run.stages],
        warnings=[WarningOut.model_validate(warning) for warning in run.warnings],
        usage=UsageOut.model_validate(run.usage),
        error=RunError.model_validate(run.error) if run.error else None,
        form=FormOut.model_validate(run.form) if run.form else None,
        reply=ReplyOut.model_validate(run.reply) if run.reply else None,
        retry_of=run.retry_of,
        created_at=run.created_at,
        started_at=run.started_at,
        finished_at=run.finished_at,
    )
