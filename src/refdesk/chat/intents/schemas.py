"""Shapes of intents at the border."""

from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from refdesk.chat.intents.tables import IntentNode
from refdesk.kit.border_types import CleanText, Name, PlainLine, clean_input

Code = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$", max_length=64)]
Example = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500), BeforeValidator(clean_input)
]
Kind = Literal[0, 1, 2]
Level = Literal["domain", "category", "topic"]

LEVELS: tuple[Level, ...] = ("domain", "category", "topic")
MOST_EXAMPLES_AN_INTENT = 500


class IntentFields(BaseModel):
    """What an intent is, but its place."""

    model_config = ConfigDict(extra="forbid")

    code: Code = Field(description="Unique in the application; letters, digits, `_`, `.` and `-`.")
    name: Name
    description: CleanText = Field(default="", max_length=2_000)
    kind: Kind = Field(
        default=0, description="0 knowledge bases, 1 the desk itself (SYSTEM), 2 a tool (MCP)."
    )
    examples: list[Example] = Field(default=[], max_length=MOST_EXAMPLES_AN_INTENT)
    knowledge_base_ids: list[UUID] = Field(
        default=[], max_length=100, description="Where to search first; none: those of the node above."
    )
    tool_id: PlainLine | None = Field(default=None, max_length=200, description="The tool of an MCP intent.")
    parameter_prompt: CleanText = Field(
        default="", max_length=4_000, description="How to find the tool's parameters in a question."
    )
    answer_rule: CleanText = Field(default="", max_length=4_000, description="A rule the answer follows.")
    system_prompt: CleanText = Field(
        default="", max_length=4_000, description="What a model answers a SYSTEM intent by."
    )
    reply: CleanText = Field(
        default="", max_length=4_000, description="What a SYSTEM intent answers as it stands."
    )
    top_k: int | None = Field(default=None, ge=1, le=50, description="Paragraphs; null: the application's.")
    enabled: bool = True


class IntentCreate(IntentFields):
    """A new intent, the last below its parent."""

    parent_id: UUID | None = None


class IntentPatch(BaseModel):
    """Only what is sent is changed."""

    model_config = ConfigDict(extra="forbid")

    code: Code | None = None
    name: Name | None = None
    description: CleanText | None = Field(default=None, max_length=2_000)
    kind: Kind | None = None
    examples: list[Example] | None = Field(default=None, max_length=MOST_EXAMPLES_AN_INTENT)
    knowledge_base_ids: list[UUID] | None = Field(default=None, max_length=100)
    tool_id: PlainLine | None = Field(default=None, max_length=200)
    parameter_prompt: CleanText | None = Field(default=None, max_length=4_000)
    answer_rule: CleanText | None = Field(default=None, max_length=4_000)
    system_prompt: CleanText | None = Field(default=None, max_length=4_000)
    reply: CleanText | None = Field(default=None, max_length=4_000)
    top_k: int | None = Field(default=None, ge=1, le=50)
    enabled: bool | None = None


class IntentMove(BaseModel):
    """A new place in the tree."""

    model_config = ConfigDict(extra="forbid")

    parent_id: UUID | None = Field(default=None, description="Null: a domain, at the top.")
    before_id: UUID | None = Field(default=None, description="The sibling it is to precede; null: the last.")


class IntentOut(IntentFields):
    """An intent in its place."""

    id: UUID
    parent_id: UUID | None
    level: Level
    is_leaf: bool = Field(description="Questions are compared with leaves only.")

    @classmethod
    def of(cls, node: IntentNode, depth: int, *, is_leaf: bool) -> Self:
        return cls(
            id=node.id,
            parent_id=node.parent_id,
            level=LEVELS[min(depth, len(LEVELS) - 1)],
            is_leaf=is_leaf,
            code=node.code,
            name=node.name,
            description=node.description,
            kind=node.kind,  # pyright: ignore[reportArgumentType] — only these are ever stored
            examples=list(node.examples),
            knowledge_base_ids=list(node.knowledge_base_ids),
            tool_id=node.tool_id,
            parameter_prompt=node.parameter_prompt,
            answer_rule=node.answer_rule,
            system_prompt=node.system_prompt,
            reply=node.reply,
            top_k=node.top_k,
            enabled=node.enabled,
        )


class IntentTreeOut(BaseModel):
    """A whole tree, each node before those below it."""

    items: list[IntentOut]
    version: int = Field(description="Counts the tree's changes.")


FileFormat = Literal["json", "yaml", "csv"]


class IntentImport(BaseModel):
    """A file of intents (JSON or YAML as exported), or of examples (CSV with `code` and `example`)."""

    model_config = ConfigDict(extra="forbid")

    content: CleanText = Field(max_length=3_000_000)
    format: FileFormat = "json"
    replace: bool = Field(
        default=False, description="Delete the intents that the file does not name (not with CSV)."
    )
    tools: dict[str, str] = Field(
        default={}, max_length=200, description="Ids of tools by the names they have in the file."
    )


class IntentImported(BaseModel):
    """What came of an import."""

    created: int
    updated: int
    deleted: int
    examples: int = Field(description="Examples that were not there before.")
    warnings: list[str] = Field(description="What could not be bound, such as a knowledge base by name.")


class IntentTry(BaseModel):
    """A question to try."""

    model_config = ConfigDict(extra="forbid")

    question: Annotated[CleanText, Field(min_length=1, max_length=2_000)]
    by: Literal["examples", "model"] = Field(
        default="examples", description="`model` uses what the application would; it may cost tokens."
    )


class IntentScore(BaseModel):
    """How well an intent fits."""

    id: UUID
    code: str
    name: str
    path: list[str]
    kind: Kind
    score: float = Field(description="0–1.")
    accepted: bool


class IntentTried(BaseModel):
    """What a question would be taken for, best first."""

    scores: list[IntentScore]
    threshold: float
    method: str = Field(description="`examples`, `model`, or `none` where neither could tell.")
    elapsed_ms: float
