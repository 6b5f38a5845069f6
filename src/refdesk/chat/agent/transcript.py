"""What an agent said, called and was told: the values its messages are made of, and their stored form.

Pure. `compaction` makes messages of them; `memory` keeps them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

from refdesk.gateway import ToolCall


@dataclass(frozen=True, slots=True)
class Called:
    """One call and its result. `arguments` and `result` are what the model wrote and read; `subject` and
    `digest` are what remains of the two in one line once the round is old."""

    id: str
    name: str
    arguments: str
    result: str
    subject: str = ""
    digest: str = ""
    state: str = ""
    ok: bool = True

    def as_call(self) -> ToolCall:
        return ToolCall(self.id, self.name, self.arguments, self.state)


@dataclass(frozen=True, slots=True)
class Round:
    """The calls of one of the model's messages, with what it said beside them."""

    calls: tuple[Called, ...]
    text: str = ""

    def to_json(self) -> dict[str, Any]:
        return {"text": self.text, "calls": [asdict(call) for call in self.calls]}

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Self:
        return cls(tuple(Called(**call) for call in stored["calls"]), stored["text"])


@dataclass(frozen=True, slots=True)
class PastTurn:
    """An earlier question with the rounds and the answer to it, as the model wrote that."""

    question: str
    answer: str
    rounds: tuple[Round, ...] = ()


def rounds_of(stored: Sequence[Mapping[str, Any]]) -> tuple[Round, ...]:
    return tuple(Round.of(one) for one in stored)
