"""What a run is asked to do: the frozen configuration, the submission, and where profiles come from.

`RunProfile` is everything that shapes an answer; it is stored with the run, so a record explains itself even
after its application has been changed. Applications live in a higher room and reach this one through the
`ApplicationProfiles` port.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Protocol, cast
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.retrieval import RerankChoice

Mode = Literal["embedding", "keywords", "blend"]


@dataclass(frozen=True, slots=True)
class RunProfile:
    """How to answer. Lengths are characters; `similarity` is calibrated (0–1); `language` is `zh` or `en`.

    An empty `answer_prompt` or `system_prompt` means the built-in one of the question's language.
    """

    application_id: UUID | None = None
    knowledge_base_ids: tuple[UUID, ...] = ()
    model_id: UUID | None = None
    system_prompt: str = ""
    answer_prompt: str = ""
    mode: Mode = "blend"
    top_n: int = 5
    similarity: float = 0.45
    context: Literal["paragraph", "window"] = "paragraph"
    window_chars: int = 1200
    rerank: RerankChoice | None = None
    route_bases: bool = False
    strategy: str = "hybrid-search"
    drop: float | None = None
    diversity: float = 0.0
    recency: float = 0.0
    max_context_chars: int = 8_000
    empty_reply: str | None = None
    complete_question: bool = True
    history_turns: int = 4
    language: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    # Bases that were chosen and are gone, and bases beyond the most that are asked: told as warnings.
    missing_bases: int = 0
    unasked_bases: int = 0

    def to_json(self) -> dict[str, Any]:
        """The stored form: ids as strings, no secrets."""
        return {
            "application_id": str(self.application_id) if self.application_id else None,
            "knowledge_base_ids": [str(id_) for id_ in self.knowledge_base_ids],
            "model_id": str(self.model_id) if self.model_id else None,
            "system_prompt": self.system_prompt,
            "answer_prompt": self.answer_prompt,
            "mode": self.mode,
            "top_n": self.top_n,
            "similarity": self.similarity,
            "context": self.context,
            "window_chars": self.window_chars,
            "rerank": self.rerank and asdict(self.rerank) | {"model_id": str(self.rerank.model_id)},
            "route_bases": self.route_bases,
            "strategy": self.strategy,
            "drop": self.drop,
            "diversity": self.diversity,
            "recency": self.recency,
            "max_context_chars": self.max_context_chars,
            "empty_reply": self.empty_reply,
            "complete_question": self.complete_question,
            "history_turns": self.history_turns,
            "language": self.language,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
        }


@dataclass(frozen=True, slots=True)
class Turn:
    """One earlier question and its answer, without citation marks; `run_id` where it was a run."""

    question: str
    answer: str
    run_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class RunSubmission:
    """A question and where to ask it.

    `history` replaces the stored conversation, `overrides` replaces fields of the profile (both for
    OpenAI-compatible calls, which bring their own). `may_restart`: whoever reads takes text back at a
    `snapshot`, so an answer that breaks off may begin anew.
    """

    question: str | None
    conversation_id: UUID | None = None
    application_id: UUID | None = None
    knowledge_base_ids: tuple[UUID, ...] | None = None
    mode: Mode | None = None
    retry_of: UUID | None = None
    picture_ids: tuple[UUID, ...] = ()
    history: tuple[Turn, ...] | None = None
    system_prompt: str | None = None
    may_restart: bool = True
    overrides: Mapping[str, Any] = field(default_factory=lambda: cast("dict[str, Any]", {}))


class ApplicationProfiles(Protocol):
    """Port to the room of applications."""

    async def profile(self, session: AsyncSession, scope: Scope, application_id: UUID) -> RunProfile:
        """The profile of an application of the caller's workspace; `NotFound` otherwise."""
        ...
