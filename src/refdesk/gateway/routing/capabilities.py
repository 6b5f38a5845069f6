"""What a model can do, and what a call demands of it (X15).

Owns the flags of a model's row, their defaults, and the comparison. A flag that nobody set is what most
models of the kind can do; only a length that was set by hand refuses a call, since lengths are estimated.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from refdesk.gateway.calls import CompletionRequest
from refdesk.gateway.content import ImagePart
from refdesk.gateway.tables import Model
from refdesk.gateway.tokens import least_tokens

DEFAULT_CONTEXT_TOKENS = 8_192
_IMAGE_NAMES = (
    *("gpt-4o", "gpt-4.1", "gpt-5", "o3", "o4", "vision", "-vl", "_vl", "vl-", "claude", "gemini", "llava"),
    *("pixtral", "glm-4v", "glm-4.5v", "internvl", "minicpm-v", "qvq", "gemma3", "gemma-3", "llama4"),
)


class Capabilities(BaseModel):
    """What a model can do. Members that are left out (null) are what is usual for its kind and name.

    The first three are those of a model descriptor. A model that cannot stream answers in one part.
    """

    model_config = ConfigDict(extra="forbid")

    supports_streaming: bool | None = None
    tool_calling_supported: bool | None = None
    max_context_length: int | None = Field(default=None, ge=1, le=100_000_000, description="In tokens.")
    supports_images: bool | None = None
    structured_output: bool | None = Field(default=None, description="Answers by a JSON schema.")
    max_output_tokens: int | None = Field(default=None, ge=1, le=100_000_000)


@dataclass(frozen=True, slots=True)
class Abilities:
    """The same without gaps. `is_length_known`: the context's length was set by hand."""

    streaming: bool
    tools: bool
    images: bool
    structured: bool
    context_tokens: int
    is_length_known: bool
    max_output_tokens: int | None

    @classmethod
    def of(cls, model: Model) -> "Abilities":
        stored = Capabilities.model_validate(model.capabilities or {})
        return cls.usual(model.kind, model.model_name, stored, model.parameters or {})

    @classmethod
    def usual(
        cls, kind: str, model_name: str, stored: Capabilities, parameters: Mapping[str, Any]
    ) -> "Abilities":
        """What was set by hand, and what is usual for the rest."""
        is_chat = kind in ("LLM", "IMAGE")
        name = model_name.lower()
        sees = kind == "IMAGE" or any(part in name for part in _IMAGE_NAMES)

        def flag(value: bool | None, usual: bool) -> bool:
            return usual if value is None else value

        return cls(
            streaming=flag(stored.supports_streaming, is_chat),
            tools=flag(stored.tool_calling_supported, is_chat),
            images=flag(stored.supports_images, sees),
            structured=flag(stored.structured_output, is_chat),
            context_tokens=stored.max_context_length
            or int(parameters.get("context_tokens") or DEFAULT_CONTEXT_TOKENS),
            is_length_known=stored.max_context_length is not None,
            max_output_tokens=stored.max_output_tokens,
        )

    def shown(self) -> Capabilities:
        return Capabilities(
            supports_streaming=self.streaming,
            tool_calling_supported=self.tools,
            max_context_length=self.context_tokens,
            supports_images=self.images,
            structured_output=self.structured,
            max_output_tokens=self.max_output_tokens,
        )


@dataclass(frozen=True, slots=True)
class Demand:
    """What a call needs. `least_tokens` is the input's length, surely no less."""

    tools: bool = False
    images: bool = False
    structured: bool = False
    least_tokens: int = 0
    output_tokens: int | None = None

    @classmethod
    def of(cls, request: CompletionRequest) -> "Demand":
        return cls(
            tools=bool(request.tools),
            images=any(
                isinstance(part, ImagePart)
                for message in request.messages
                if not isinstance(message.content, str)
                for part in message.content
            ),
            structured=request.json_schema is not None,
            least_tokens=sum(least_tokens(message.text) for message in request.messages),
            output_tokens=request.max_tokens,
        )


NO_DEMAND = Demand()


@dataclass(frozen=True, slots=True)
class Lack:
    """What a model cannot do: the capability's name in descriptors, and why, in words."""

    capability: str
    reason: str


def lack_of(abilities: Abilities, demand: Demand) -> Lack | None:
    """The first thing demanded that the model cannot do; None where it can do all."""
    if demand.tools and not abilities.tools:
        return Lack("tool_calling_supported", "it calls no tools")
    if demand.images and not abilities.images:
        return Lack("supports_images", "it reads no images")
    if demand.structured and not abilities.structured:
        return Lack("structured_output", "it does not answer by a JSON schema")
    most = abilities.max_output_tokens
    if most is not None and (demand.output_tokens or 0) > most:
        return Lack(
            "max_output_tokens", f"it writes at most {most} tokens and {demand.output_tokens} were asked for"
        )
    if abilities.is_length_known and demand.least_tokens > abilities.context_tokens:
        return Lack(
            "max_context_length",
            f"it takes {abilities.context_tokens} tokens and the input has at least {demand.least_tokens}",
        )
    return None
