"""The part of OpenAI's interface that Refdesk speaks (chat completions, models, embeddings).

Unknown request fields are ignored, as clients send many; the answer has two extra fields, `sources` and
`nothing_found` (the gate that decided, where nothing was found).
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from refdesk.kit.border_types import MAX_INT, CleanText, PlainLine


class TextPart(BaseModel):
    type: str
    text: CleanText = ""


class ChatMessage(BaseModel):
    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: CleanText | list[TextPart] | None = None

    def plain(self) -> str:
        """The text of the message; parts that are not text are left out."""
        if isinstance(self.content, str):
            return self.content
        return "\n".join(part.text for part in self.content or [] if part.type == "text")


class StreamOptions(BaseModel):
    include_usage: bool = False


class ChatCompletionRequest(BaseModel):
    model: PlainLine = Field(
        max_length=300, description="Name or id of an application, a knowledge base or a chat model."
    )
    messages: list[ChatMessage] = Field(min_length=1, max_length=1_000)
    stream: bool = False
    stream_options: StreamOptions | None = None
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int | None = Field(default=None, ge=1, le=MAX_INT)
    max_completion_tokens: int | None = Field(default=None, ge=1, le=MAX_INT)


class Source(BaseModel):
    """What `[n]` in the answer stands for."""

    n: int
    kind: str = "paragraph"
    tool: str | None = None
    document: str
    document_id: str | None = None
    paragraph_id: str | None = None
    page: int | None = None
    section: str = ""
    text: str


class CompletionUsage(BaseModel):
    prompt_tokens: int = 0
    completion_tokens: int = 0
    total_tokens: int = 0


class AssistantMessage(BaseModel):
    role: Literal["assistant"] = "assistant"
    content: str


class ChatChoice(BaseModel):
    index: int = 0
    message: AssistantMessage
    finish_reason: Literal["stop", "length"] = "stop"
    logprobs: None = None


class NothingFound(BaseModel):
    """Why nothing counted as found: the gate that decided and its numbers."""

    gate: Literal["absolute", "rerank", "relative"]
    score: float
    threshold: float
    below: int = Field(description="Paragraphs that the gate turned down.")
    best: float = Field(description="Greatest similarity of all candidates.")
    candidates: int


class ChatCompletion(BaseModel):
    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[ChatChoice]
    usage: CompletionUsage
    sources: list[Source] = []
    nothing_found: NothingFound | None = None


class ModelCard(BaseModel):
    id: str
    object: Literal["model"] = "model"
    created: int
    owned_by: Literal["application", "knowledge_base", "model"]


class ModelList(BaseModel):
    object: Literal["list"] = "list"
    data: list[ModelCard]


InputText = Annotated[CleanText, Field(min_length=1, max_length=200_000)]


class EmbeddingRequest(BaseModel):
    model: PlainLine = Field(max_length=300, description="Name or id of an embedding model of the workspace.")
    input: InputText | Annotated[list[InputText], Field(min_length=1, max_length=2_048)]
    encoding_format: Literal["float", "base64"] = "float"
    input_type: Literal["query", "passage"] = Field(
        default="passage", description="Not OpenAI's: models that tell questions from texts need it."
    )

    def texts(self) -> list[str]:
        return [self.input] if isinstance(self.input, str) else self.input


class EmbeddingItem(BaseModel):
    object: Literal["embedding"] = "embedding"
    index: int
    embedding: list[float] | str


class EmbeddingUsage(BaseModel):
    prompt_tokens: int
    total_tokens: int
    estimated: bool = Field(
        default=False, description="Not OpenAI's: nobody counted, these are by the length of the texts."
    )


class EmbeddingList(BaseModel):
    object: Literal["list"] = "list"
    data: list[EmbeddingItem]
    model: str
    usage: EmbeddingUsage


class OpenAIError(BaseModel):
    """OpenAI's error body."""

    error: dict[str, Any]
