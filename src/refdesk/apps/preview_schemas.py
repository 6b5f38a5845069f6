"""A preview of an application's prompts at the border."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from refdesk.apps.schemas import ApplicationSettings
from refdesk.apps.stage_schemas import ApplicationPrompts
from refdesk.kit.border_types import CleanText

Template = Literal["answer", "tools", "both", "empty"]


class PreviewRequest(BaseModel):
    """An application as it stands in the editor, saved or not, and a question to try it with."""

    model_config = ConfigDict(extra="forbid")

    application_id: UUID | None = Field(default=None, description="For its intents, once it is saved.")
    knowledge_base_ids: list[UUID] = Field(default=[], max_length=100)
    model_id: UUID | None = None
    prompts: ApplicationPrompts = ApplicationPrompts()
    settings: ApplicationSettings = ApplicationSettings()
    question: Annotated[CleanText, Field(min_length=1, max_length=4_000)]
    situation: Literal["knowledge", "tools", "both", "empty"] | None = Field(
        default=None, description="Show the prompt of this situation; null: of the one the question comes to."
    )
    tool_result: CleanText = Field(
        default="", max_length=20_000, description="What a tool is taken to answer; empty: a sample."
    )


class PreviewMessage(BaseModel):
    """A message as the model would get it."""

    role: str
    content: str
    tokens: int = Field(description="Estimated: vendors' tokenizers differ.")


class PromptFaultView(BaseModel):
    """What is wrong with a template. It cannot be saved so."""

    template: Template
    code: Literal["missing", "unknown"]
    variables: list[str]


class PromptPreview(BaseModel):
    """The exact final messages. None: in this situation no model is asked."""

    situation: Literal["knowledge", "tools", "both", "empty"]
    actual: Literal["knowledge", "tools", "both", "empty"] = Field(
        description="The situation this question comes to without tools."
    )
    language: Literal["zh", "en"]
    messages: list[PreviewMessage]
    tokens: int
    context_tokens: int = Field(description="What the model takes at most; assumed where none is connected.")
    has_model: bool
    sources: int = Field(description="Passages and results in the prompt.")
    left_out: int = Field(description="Of those that were found, how many had no room.")
    faults: list[PromptFaultView]
