"""The typed calls: what is asked of a model and what comes back, whatever the vendor."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from refdesk.gateway.calibration import Calibration
from refdesk.gateway.content import Content, text_of
from refdesk.gateway.gates import Gates

type Vectors = NDArray[np.float32]
type FinishReason = Literal["stop", "length", "tool_calls", "content_filter", "other"]
type ToolChoice = Literal["auto", "none", "required"] | NamedTool


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool offered to the model; `parameters` is a JSON Schema."""

    name: str
    description: str
    parameters: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call the model wants made; `arguments` is the raw JSON text as the model wrote it.

    `state` is what the vendor wants back with the call when its result is sent (a signature, the thinking
    before it); it begins with the wire's name, so that no other wire sends it.
    """

    id: str
    name: str
    arguments: str
    state: str = ""


@dataclass(frozen=True, slots=True)
class NamedTool:
    """The one tool that the model has to call."""

    name: str


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation. Images belong to role `user`, `tool_call_id` to role `tool` only."""

    role: Literal["system", "user", "assistant", "tool"]
    content: Content
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None

    @property
    def text(self) -> str:
        """The words alone."""
        return text_of(self.content)


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """One request. None leaves a parameter to the model's own default.

    `json_schema` asks for an answer that is JSON of that form. `request_id` goes out as `X-Request-ID`.
    """

    messages: Sequence[Message]
    temperature: float | None = None
    max_tokens: int | None = None
    stop: Sequence[str] = ()
    tools: Sequence[ToolSpec] = ()
    tool_choice: ToolChoice | None = None
    json_schema: dict[str, Any] | None = None
    timeout_s: float | None = None
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class TextDelta:
    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """A part of the model's thinking, sent apart or between `<think>` tags."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCallReady:
    """A whole call, sent after its last fragment."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class UsageReport:
    """Tokens of the whole request; sent once, at the end, when the vendor tells them.

    `cached_tokens` are those of the input that the vendor had read before, a part of `input_tokens`.
    `is_estimated`: the vendor told nothing, and these are counted by the length of the texts.
    """

    input_tokens: int
    output_tokens: int
    cached_tokens: int = 0
    is_estimated: bool = False

    @classmethod
    def told(cls, sent: Sequence[Any], written: Sequence[Any], cached: Any = None) -> "UsageReport | None":
        """The report of a vendor's numbers, those of each side added up; what is left out is none.

        None where one is no number of tokens that a call can have: what a server makes up must neither give
        back what a limit has counted nor use it up, and an answer is not wrong for it.
        """
        read, wrote, known = _count(sent), _count(written), _count([cached])
        if read is None or wrote is None or known is None:
            return None
        return cls(read, wrote, known)


type OnEmbedded = Callable[[UsageReport, int], None]
"""Hears of the tokens of one call for vectors, and of how many texts it was."""

MOST_TOKENS = 100_000_000


def _count(values: Sequence[Any]) -> int | None:
    total = 0
    for value in values:
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST_TOKENS:
            return None
        total += int(value)
    return total


@dataclass(frozen=True, slots=True)
class Finished:
    reason: FinishReason


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the gateway did that whoever asked may want to know, before or between parts of an answer.

    `code` is `queued` (detail `place`, from 1), `retried`, `model-switched` (detail `from`, `to`, `reason`),
    `context-truncated` (detail `tokens`) or `restarted` (what was written so far counts no more).
    """

    code: str
    detail: dict[str, Any]


type CompletionEvent = TextDelta | ReasoningDelta | ToolCallReady | UsageReport | Finished | Notice


@dataclass(frozen=True, slots=True)
class Completion:
    """A whole answer. `notices` tell what the gateway did to get it."""

    text: str
    finish_reason: FinishReason
    reasoning: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    usage: UsageReport | None = None
    notices: tuple[Notice, ...] = ()


@dataclass(slots=True)
class CompletionBuilder:
    """Gathers the events of a stream into a `Completion`."""

    text: list[str] = field(default_factory=list[str])
    reasoning: list[str] = field(default_factory=list[str])
    tool_calls: list[ToolCall] = field(default_factory=list[ToolCall])
    usage: UsageReport | None = None
    finish_reason: FinishReason = "other"

    def add(self, event: CompletionEvent) -> None:
        match event:
            case TextDelta(text):
                self.text.append(text)
            case ReasoningDelta(text):
                self.reasoning.append(text)
            case ToolCallReady(call):
                self.tool_calls.append(call)
            case UsageReport():
                self.usage = event
            case Finished(reason):
                self.finish_reason = reason
            case Notice(code):
                if code == "restarted":
                    self.text.clear()
                    self.reasoning.clear()
                    self.tool_calls.clear()

    def build(self) -> Completion:
        return Completion(
            "".join(self.text),
            self.finish_reason,
            "".join(self.reasoning),
            tuple(self.tool_calls),
            self.usage,
        )


class Completer(Protocol):
    """A chat model. Errors are `ModelError`s; closing the iterator closes the model's socket."""

    @property
    def model_id(self) -> UUID: ...

    @property
    def model_name(self) -> str: ...

    @property
    def context_tokens(self) -> int: ...

    def stream(self, request: CompletionRequest) -> AsyncIterator[CompletionEvent]: ...

    async def complete(self, request: CompletionRequest) -> Completion: ...


class Reranker(Protocol):
    """A model that tells how well texts answer a question."""

    @property
    def model_id(self) -> UUID: ...

    @property
    def model_name(self) -> str: ...

    @property
    def least_score(self) -> float | None:
        """The gate that was fitted for it, on its own scale."""
        ...

    async def rerank(self, query: str, texts: Sequence[str], *, timeout_s: float) -> list[float]:
        """One score a text, in the order given; greater is nearer. Errors are `ModelError`s."""
        ...


class Embedder(Protocol):
    """An embedding model. Vectors are float32 of shape `[len(texts), dimensions]`, L2-normalised."""

    @property
    def model_id(self) -> UUID: ...

    @property
    def dimensions(self) -> int: ...

    @property
    def calibration(self) -> Calibration: ...

    @property
    def gates(self) -> Gates: ...

    @property
    def max_batch(self) -> int: ...

    async def embed_queries(self, texts: Sequence[str]) -> Vectors: ...

    async def embed_passages(self, texts: Sequence[str]) -> Vectors: ...
