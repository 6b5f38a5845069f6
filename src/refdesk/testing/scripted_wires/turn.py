"""What a scripted model says, in no format yet."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool; `arguments` is written as it stands, valid or not."""

    name: str
    arguments: str
    id: str = "call_a"


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer. `cut` is how many characters a streamed part holds; usage None is left out.

    `finish` is `stop`, `length`, `tool_calls` or `content_filter`; anything else is written as it is, None
    leaves the end out.
    """

    text: str = ""
    reasoning: str = ""
    calls: tuple[Call, ...] = ()
    finish: str | None = "stop"
    input_tokens: int | None = 10
    output_tokens: int = 5
    cached_tokens: int = 0
    cut: int = 8

    def cuts(self, text: str) -> list[str]:
        """A text in the parts in which it is streamed."""
        return [text[start : start + self.cut] for start in range(0, len(text), self.cut)]
