"""OpenAI's requests as they are taken for models. Fields that are not known are passed over, as clients send
many; those that are have their types checked, for nothing malformed is sent on."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictFloat, StrictInt

from refdesk.kit.border_types import CleanJson, CleanText, PlainLine


class _Taken(BaseModel):
    model_config = ConfigDict(extra="ignore")


class ImageUrl(_Taken):
    url: str = Field(min_length=1)


class Part(_Taken):
    type: Literal["text", "image_url"]
    text: CleanText = ""
    image_url: ImageUrl | None = None


class CalledFunction(_Taken):
    name: str
    arguments: str


class MadeCall(_Taken):
    id: str
    function: CalledFunction


class ChatMessage(_Taken):
    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: CleanText | list[Part] | None = None
    tool_calls: list[MadeCall] | None = None
    tool_call_id: str | None = None


class Function(_Taken):
    name: str = Field(min_length=1, max_length=128)
    description: CleanText | None = None
    parameters: CleanJson | None = None


class Tool(_Taken):
    type: Literal["function"] = "function"
    function: Function


class NamedFunction(_Taken):
    name: str


class Choice(_Taken):
    function: NamedFunction


class SchemaFormat(_Taken):
    schema_: CleanJson = Field(alias="schema")


class ResponseFormat(_Taken):
    type: Literal["text", "json_object", "json_schema"]
    json_schema: SchemaFormat | None = None


class StreamOptions(_Taken):
    include_usage: bool = False


type Number = StrictFloat | StrictInt
type Count = Annotated[StrictInt, Field(ge=1, le=10_000_000)]


class ChatRequest(_Taken):
    """`model` is the name or id of a chat model of the workspace."""

    model: PlainLine = Field(min_length=1, max_length=200)
    messages: list[ChatMessage] = Field(min_length=1, max_length=2_000)
    stream: bool = False
    stream_options: StreamOptions | None = None
    temperature: Annotated[Number, Field(ge=0, le=2)] | None = None
    max_tokens: Count | None = None
    max_completion_tokens: Count | None = None
    stop: str | list[str] | None = None
    tools: list[Tool] = Field(default_factory=list[Tool], max_length=512)
    tool_choice: Literal["auto", "none", "required"] | Choice | None = None
    response_format: ResponseFormat | None = None
    n: Literal[1] | None = None


class EmbeddingsRequest(_Taken):
    """`input_type` is not OpenAI's: some models tell questions from texts."""

    model: PlainLine = Field(min_length=1, max_length=200)
    input: CleanText | Annotated[list[CleanText], Field(min_length=1, max_length=2_048)]
    encoding_format: Literal["float", "base64"] = "float"
    input_type: Literal["query", "passage"] = "passage"


class ModelCard(BaseModel):
    id: str
    object: Literal["model"] = "model"
    created: int
    owned_by: str


class ModelCards(BaseModel):
    object: Literal["list"] = "list"
    data: list[ModelCard]


class OpenAIError(BaseModel):
    """OpenAI's error body."""

    error: dict[str, Any]
