"""What is to be searched and called for each question, before any of it is done. JSON both ways, so that a
plan can wait for a person's reply in the database."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self
from uuid import UUID

# `ready` may be made; `missing` lacks arguments; `unapproved` waits for a yes, `approved` has it, `declined`
# got a no; `impossible` cannot be made, and `reason` says why. `wanted` names the arguments to ask for.
CallState = Literal["ready", "missing", "unapproved", "approved", "declined", "impossible"]


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """One call of a tool, by the tool's id."""

    tool_id: str
    name: str
    title: str
    arguments: Mapping[str, Any] = field(default_factory=lambda: dict[str, Any]())
    state: CallState = "ready"
    reason: str = ""
    wanted: tuple[str, ...] = ()
    prompt: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "tool_id": self.tool_id,
            "name": self.name,
            "title": self.title,
            "arguments": dict(self.arguments),
            "state": self.state,
            "reason": self.reason,
            "wanted": list(self.wanted),
            "prompt": self.prompt,
        }

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Self:
        return cls(
            stored["tool_id"],
            stored["name"],
            stored["title"],
            stored["arguments"],
            stored["state"],
            stored["reason"],
            tuple(stored["wanted"]),
            stored["prompt"],
        )


@dataclass(frozen=True, slots=True)
class PlannedPart:
    """One question: whether it is searched, the bases and documents to look in first and how many paragraphs
    of them, its calls, and the rules its intents set for the answer."""

    question: str
    search: str
    searches: bool = True
    base_ids: tuple[UUID, ...] = ()
    documents: tuple[UUID, ...] = ()
    top_k: int | None = None
    calls: tuple[PlannedCall, ...] = ()
    rules: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "question": self.question,
            "search": self.search,
            "searches": self.searches,
            "base_ids": [str(base) for base in self.base_ids],
            "documents": [str(document) for document in self.documents],
            "top_k": self.top_k,
            "calls": [call.to_json() for call in self.calls],
            "rules": list(self.rules),
        }

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Self:
        return cls(
            stored["question"],
            stored["search"],
            stored["searches"],
            tuple(UUID(base) for base in stored["base_ids"]),
            tuple(UUID(document) for document in stored["documents"]),
            stored["top_k"],
            tuple(PlannedCall.of(call) for call in stored["calls"]),
            tuple(stored["rules"]),
        )


@dataclass(frozen=True, slots=True)
class Plan:
    """The whole question and what is to be fetched for each of its parts."""

    question: str
    parts: tuple[PlannedPart, ...]

    @property
    def calls(self) -> list[PlannedCall]:
        return [call for part in self.parts for call in part.calls]

    def waiting(self) -> PlannedCall | None:
        """The first call that cannot go on without the person."""
        return next((call for call in self.calls if call.state in ("missing", "unapproved")), None)

    def with_call(self, old: PlannedCall, new: PlannedCall) -> "Plan":
        """The plan with one call in another's place."""
        parts = [
            replace(part, calls=tuple(new if call is old else call for call in part.calls))
            for part in self.parts
        ]
        return replace(self, parts=tuple(parts))

    def to_json(self) -> dict[str, Any]:
        return {"question": self.question, "parts": [part.to_json() for part in self.parts]}

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Self:
        return cls(stored["question"], tuple(PlannedPart.of(part) for part in stored["parts"]))
