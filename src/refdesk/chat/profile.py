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
from refdesk.chat.choices import AgentChoices, Answering, SituationPrompts, StageChoices, TermMapping
from refdesk.retrieval import RerankChoice

Mode = Literal["embedding", "keywords", "blend"]


@dataclass(frozen=True, slots=True)
class RunProfile:
    """How to answer. Lengths are characters; `similarity` is calibrated (0–1); `language` is `zh` or `en`.

    An empty `system_prompt` or template means the built-in one of the question's language. `tools` are ids of
    tools, or `mcp:<server id>` for all of a server. `has_intents` tells that the application has any, so that
    nobody has to look. `summary_chars` bounds the running summary of turns older than `history_turns`, 0 for
    none; `notes` lets the application keep long-term notes of those who agreed to it. Without a `model_id`
    the model is the one that serves `purpose`, where the workspace has routed that. `restart_answers`: an
    answer that breaks off after its first word may begin anew, where whoever reads takes text back.
    """

    application_id: UUID | None = None
    knowledge_base_ids: tuple[UUID, ...] = ()
    model_id: UUID | None = None
    purpose: str | None = None
    system_prompt: str = ""
    prompts: SituationPrompts = field(default_factory=SituationPrompts)
    answering: Answering = "pipeline"
    stages: StageChoices = field(default_factory=StageChoices)
    term_mapping: tuple[TermMapping, ...] = ()
    tools: tuple[str, ...] = ()
    has_intents: bool = False
    agent: AgentChoices = field(default_factory=AgentChoices)
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
    history_turns: int = 8
    summary_chars: int = 400
    notes: bool = False
    when_model_fails: Literal["error", "quote"] = "error"
    restart_answers: bool = True
    language: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    # Bases that were chosen and are gone, and bases beyond the most that are asked: told as warnings.
    missing_bases: int = 0
    unasked_bases: int = 0

    @property
    def asks_back(self) -> bool:
        """Whether a run may end with a question to the person, and so a conversation wait for a reply."""
        return self.has_intents or bool(self.tools) or self.answering == "agent"

    def to_json(self) -> dict[str, Any]:
        """The stored form: ids as strings, no secrets."""
        return {
            "application_id": str(self.application_id) if self.application_id else None,
            "knowledge_base_ids": [str(id_) for id_ in self.knowledge_base_ids],
            "model_id": str(self.model_id) if self.model_id else None,
            "purpose": self.purpose,
            "system_prompt": self.system_prompt,
            "prompts": asdict(self.prompts),
            "answering": self.answering,
            "stages": _plain(asdict(self.stages)),
            "term_mapping": [[one.said, one.written] for one in self.term_mapping],
            "tools": list(self.tools),
            "agent": _plain(asdict(self.agent)),
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
            "summary_chars": self.summary_chars,
            "notes": self.notes,
            "when_model_fails": self.when_model_fails,
            "restart_answers": self.restart_answers,
            "language": self.language,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
        }


def _plain(value: Any) -> Any:
    """The same as JSON: ids as strings, tuples as lists."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in cast("dict[str, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in cast("list[Any]", value)]
    return str(value) if isinstance(value, UUID) else value


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
    `snapshot`, so an answer that breaks off may begin anew. `reply` answers what the conversation waits for:
    `{"option": value}`, `{"fields": {...}}` or `{"approve": bool}`. `listed`: a new conversation is one of
    those its owner is shown.
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
    reply: Mapping[str, Any] | None = None
    overrides: Mapping[str, Any] = field(default_factory=lambda: cast("dict[str, Any]", {}))
    listed: bool = True


class ApplicationProfiles(Protocol):
    """Port to the room of applications."""

    async def profile(self, session: AsyncSession, scope: Scope, application_id: UUID) -> RunProfile:
        """The profile of an application of the caller's workspace; `NotFound` otherwise."""
        ...
