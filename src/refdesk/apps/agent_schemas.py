"""Settings of an application that answers with an agent."""

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from refdesk.chat import AgentChoices
from refdesk.kit.border_types import clean_input

CodeName = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100), BeforeValidator(clean_input)
]
SkillName = Annotated[str, StringConstraints(min_length=1, max_length=64)]
DirectoryTool = Literal["list_files", "read_file", "write_file", "edit_file", "run_command"]


class AgentSettings(BaseModel):
    """How an agent works, where the application answers with one."""

    model_config = ConfigDict(extra="forbid")

    rounds: int = Field(
        default=3, ge=1, le=20, description="Most rounds of retrieval; then the answer is written."
    )
    tool_rounds: int = Field(default=10, ge=0, le=50, description="Most rounds of other tools.")
    max_tokens: int | None = Field(
        default=None, ge=1_000, le=10_000_000, description="Ceiling of tokens (in and out) of one answer."
    )
    max_cost: float | None = Field(
        default=None,
        gt=0,
        le=1_000,
        description="Ceiling of cost of one answer, in the currency of the price.",
    )
    code_names: list[CodeName] = Field(
        default=[], max_length=200, description="Internal names that are left out of searches."
    )
    skills: list[SkillName] = Field(default=[], max_length=50, description="Skills by name.")
    working_directory: bool = Field(
        default=False, description="Give each conversation files and a shell in a sandbox."
    )
    ask_before: list[DirectoryTool] = Field(
        default=["run_command"], description="Tools of the working directory that ask the person first."
    )

    def to_choices(self) -> AgentChoices:
        return AgentChoices(
            rounds=self.rounds,
            tool_rounds=self.tool_rounds,
            max_tokens=self.max_tokens,
            max_cost=self.max_cost,
            code_names=tuple(self.code_names),
            skills=tuple(dict.fromkeys(self.skills)),
            working_directory=self.working_directory,
            ask_before=tuple(dict.fromkeys(self.ask_before)),
        )
