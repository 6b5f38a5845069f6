"""What an application chooses of the stages of an answer: which are on, with which model, for how long.

Frozen data of a `RunProfile`; nothing is done here. The defaults are those of a run without an application.
"""

from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID

Answering = Literal["quoting", "pipeline", "agent"]
StageName = Literal[
    "memory", "rewrite", "intents", "guidance", "system", "retrieve", "tools", "empty", "answer"
]


@dataclass(frozen=True, slots=True)
class StageChoice:
    """One stage. Without a `model_id` it uses the application's model. A stage that takes longer than
    `deadline_s` is given up, and the answer goes on without what it would have given."""

    on: bool = True
    model_id: UUID | None = None
    deadline_s: float = 20.0


@dataclass(frozen=True, slots=True)
class StageChoices:
    """The stages. `retrieve` is the search in the bases and `tools` the calls beside it, choosing them
    included; `answer` writes without a deadline of its own."""

    memory: StageChoice = field(default_factory=lambda: StageChoice(deadline_s=5.0))
    rewrite: StageChoice = field(default_factory=StageChoice)
    intents: StageChoice = field(default_factory=StageChoice)
    guidance: StageChoice = field(default_factory=StageChoice)
    system: StageChoice = field(default_factory=lambda: StageChoice(deadline_s=60.0))
    retrieve: StageChoice = field(default_factory=lambda: StageChoice(deadline_s=30.0))
    tools: StageChoice = field(default_factory=lambda: StageChoice(deadline_s=60.0))
    empty: StageChoice = field(default_factory=lambda: StageChoice(deadline_s=60.0))
    answer: StageChoice = field(default_factory=lambda: StageChoice(deadline_s=600.0))

    def of(self, name: StageName) -> StageChoice:
        choice: StageChoice = getattr(self, name)
        return choice


@dataclass(frozen=True, slots=True)
class SituationPrompts:
    """Templates of the message that asks for the answer, by what there is to answer from. An empty one means
    the built-in one of the question's language; with an empty `empty` no model is asked."""

    knowledge: str = ""
    tools: str = ""
    both: str = ""
    empty: str = ""


@dataclass(frozen=True, slots=True)
class TermMapping:
    """What people say, and what the documents call it."""

    said: str
    written: str


@dataclass(frozen=True, slots=True)
class AgentChoices:
    """How an agent works.

    `rounds` are its most rounds of retrieval, `tool_rounds` those of other tools. `max_tokens` (in and out)
    and `max_cost` (in the currency of the model's price) are ceilings of one answer, None for none.
    `code_names` are internal names that are stripped before a search. `skills` are names of skills.
    `working_directory` gives each conversation files and a shell; `ask_before` names the tools of it that ask
    first.
    """

    rounds: int = 3
    tool_rounds: int = 10
    max_tokens: int | None = None
    max_cost: float | None = None
    code_names: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    working_directory: bool = False
    ask_before: tuple[str, ...] = ("run_command",)
