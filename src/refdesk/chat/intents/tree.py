"""An application's intents as a question meets them: values, without the database.

Owns what is inherited (the bases bound to a domain are those of its topics) and which nodes a question can
mean: the enabled ones without children, below nothing that is switched off.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from uuid import UUID

from refdesk.chat.intents.tables import IntentNode

MOST_DEPTH = 3
MOST_INTENTS_A_QUESTION = 3


class IntentKind(IntEnum):
    """What answers: the bases, the desk itself, a tool."""

    KB = 0
    SYSTEM = 1
    MCP = 2


@dataclass(frozen=True, slots=True)
class Intent:
    """A topic a question may mean. `path` are the names from the domain down to it, `knowledge_base_ids` its
    own or those of the nearest node above that has any; an MCP intent has a `tool_id`. `reply` is what a
    SYSTEM intent answers as it stands, `system_prompt` what a model answers by."""

    id: UUID
    code: str
    name: str
    kind: IntentKind
    path: tuple[str, ...] = ()
    description: str = ""
    examples: tuple[str, ...] = ()
    knowledge_base_ids: tuple[UUID, ...] = ()
    tool_id: str | None = None
    parameter_prompt: str = ""
    answer_rule: str = ""
    system_prompt: str = ""
    reply: str = ""
    top_k: int | None = None

    @property
    def texts(self) -> tuple[str, ...]:
        """What a question is compared with: the examples, else name and description."""
        told = f"{self.name}: {self.description}" if self.description else self.name
        return (*self.examples, told)


@dataclass(frozen=True, slots=True)
class IntentTree:
    """The leaves of one version of an application's tree, in the tree's order."""

    application_id: UUID
    version: int
    leaves: tuple[Intent, ...]

    def find(self, intent_id: UUID) -> Intent | None:
        return next((leaf for leaf in self.leaves if leaf.id == intent_id), None)


@dataclass(frozen=True, slots=True)
class AskedIntents:
    """What one sub-question may mean: accepted intents with scores 0–1, best first; none: out of scope.
    `near` are the others that come close. `settled`: the person chose, so nobody asks again."""

    question: str
    intents: tuple[tuple[Intent, float], ...] = ()
    near: tuple[tuple[Intent, float], ...] = ()
    settled: bool = False
    # Documents the person chose where several bear one name; none: all.
    document_ids: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True)
class IntentOutcome:
    """The intents of all sub-questions. `method`: who chose (`model`, `examples`, `person`), or `none`."""

    asked: tuple[AskedIntents, ...]
    method: str = "none"

    @property
    def questions(self) -> tuple[str, ...]:
        return tuple(one.question for one in self.asked)


def leaves_of(nodes: Sequence[IntentNode]) -> tuple[Intent, ...]:
    """The topics a question may mean. An MCP intent without a tool is left out."""
    children: dict[UUID | None, list[IntentNode]] = {}
    for node in sorted(nodes, key=lambda node: (node.position, node.created_at, node.id)):
        children.setdefault(node.parent_id, []).append(node)
    found: list[Intent] = []

    def walk(node: IntentNode, path: tuple[str, ...], bases: tuple[UUID, ...]) -> None:
        if not node.enabled:
            return
        path, bases = (*path, node.name), tuple(node.knowledge_base_ids) or bases
        if below := children.get(node.id):
            for child in below:
                walk(child, path, bases)
        elif node.kind != IntentKind.MCP or node.tool_id:
            found.append(_leaf(node, path, bases))

    for root in children.get(None, ()):
        walk(root, (), ())
    return tuple(found)


def _leaf(node: IntentNode, path: tuple[str, ...], bases: tuple[UUID, ...]) -> Intent:
    return Intent(
        id=node.id,
        code=node.code,
        name=node.name,
        kind=IntentKind(node.kind),
        path=path,
        description=node.description,
        examples=tuple(node.examples),
        knowledge_base_ids=bases,
        tool_id=node.tool_id,
        parameter_prompt=node.parameter_prompt,
        answer_rule=node.answer_rule,
        system_prompt=node.system_prompt,
        reply=node.reply,
        top_k=node.top_k,
    )
