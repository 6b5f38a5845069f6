"""What an application sets of the stages of its answers, at the border: checked here, frozen in `chat`."""

from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from refdesk.apps.agent_schemas import AgentSettings
from refdesk.chat import StageChoice, StageChoices, TermMapping
from refdesk.kit.border_types import CleanText, clean_input

Words = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200), BeforeValidator(clean_input)
]
ToolName = Annotated[str, StringConstraints(pattern=r"^\S{1,250}$")]


class StageSettings(BaseModel):
    """One stage of the answer."""

    model_config = ConfigDict(extra="forbid")

    on: bool = True
    model_id: UUID | None = Field(default=None, description="Null: the application's model.")
    deadline_s: float = Field(
        default=20.0, gt=0, le=600, description="After this the answer goes on without the stage."
    )

    @classmethod
    def of(cls, choice: StageChoice) -> Self:
        return cls(on=choice.on, model_id=choice.model_id, deadline_s=choice.deadline_s)

    def to_choice(self) -> StageChoice:
        return StageChoice(self.on, self.model_id, self.deadline_s)


_DEFAULTS = StageChoices()


def _stage(choice: StageChoice) -> Any:
    return Field(default_factory=lambda: StageSettings.of(choice))


class StagesSettings(BaseModel):
    """The stages that can be left out, or given a model or a deadline of their own."""

    model_config = ConfigDict(extra="forbid")

    memory: StageSettings = _stage(_DEFAULTS.memory)
    rewrite: StageSettings = _stage(_DEFAULTS.rewrite)
    intents: StageSettings = _stage(_DEFAULTS.intents)
    guidance: StageSettings = _stage(_DEFAULTS.guidance)
    system: StageSettings = _stage(_DEFAULTS.system)
    retrieve: StageSettings = _stage(_DEFAULTS.retrieve)
    tools: StageSettings = _stage(_DEFAULTS.tools)
    empty: StageSettings = _stage(_DEFAULTS.empty)
    answer: StageSettings = _stage(_DEFAULTS.answer)

    def to_choices(self) -> StageChoices:
        return StageChoices(
            memory=self.memory.to_choice(),
            rewrite=self.rewrite.to_choice(),
            intents=self.intents.to_choice(),
            guidance=self.guidance.to_choice(),
            system=self.system.to_choice(),
            retrieve=self.retrieve.to_choice(),
            tools=self.tools.to_choice(),
            empty=self.empty.to_choice(),
            answer=self.answer.to_choice(),
        )


class TermMap(BaseModel):
    """A word of the people who ask, and the documents' word for it."""

    model_config = ConfigDict(extra="forbid")

    said: Words
    written: Words

    def to_mapping(self) -> TermMapping:
        return TermMapping(self.said, self.written)


class PipelineSettings(BaseModel):
    """The part of an application's settings that chooses its way of answering."""

    answering: Literal["quoting", "pipeline", "agent"] = Field(
        default="pipeline",
        description="`quoting` never lets a model write; `pipeline` quotes where no model is connected;"
        " `agent` lets a model choose each step.",
    )
    stages: StagesSettings = Field(default_factory=StagesSettings)
    term_mapping: list[TermMap] = Field(
        default=[], max_length=500, description="Applied to a question before it is searched."
    )
    tools: list[ToolName] = Field(
        default=[], max_length=100, description="Ids of tools, or `mcp:<server id>` for all of a server."
    )
    summary_chars: int = Field(
        default=400,
        ge=0,
        le=4_000,
        description="Length of the summary of turns older than `history_turns` (needs a model); 0: none.",
    )
    notes: bool = Field(
        default=False, description="Keep notes of what people tell about themselves, of those who agreed."
    )
    when_model_fails: Literal["error", "quote"] = Field(
        default="error",
        description="Where the model cannot begin: `error` says so, `quote` quotes what was found.",
    )
    restart_answers: bool = Field(
        default=True,
        description="An answer that breaks off begins anew where the model's fallback policy has another"
        " attempt or model; false: what was written stays, with the error. API clients that read a stream"
        " always get the error.",
    )
    agent: AgentSettings = Field(default_factory=AgentSettings)


class ApplicationPrompts(BaseModel):
    """Templates; an empty one means the built-in one of the question's language."""

    model_config = ConfigDict(extra="forbid")

    system: CleanText = Field(default="", max_length=20_000)
    answer: CleanText = Field(
        default="",
        max_length=20_000,
        description="Where only documents were found. Must contain {data} and {question}.",
    )
    tools: CleanText = Field(
        default="",
        max_length=20_000,
        description="Where only tools answered. Must contain {data} and {question}.",
    )
    both: CleanText = Field(
        default="",
        max_length=20_000,
        description="Where documents were found and tools answered. Must contain {data} and {question}.",
    )
    empty: CleanText = Field(
        default="",
        max_length=20_000,
        description="Where nothing was found; empty: a reply without a model. Must contain {question}.",
    )
