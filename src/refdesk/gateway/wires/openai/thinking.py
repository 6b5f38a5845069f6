"""Telling thinking from answer where a model writes both into one text, between `<think>` tags."""

from refdesk.gateway.calls import ReasoningDelta, TextDelta

OPEN, CLOSE = "<think>", "</think>"


class ThinkingSplitter:
    """Fed with text in any cuts; gives reasoning and text deltas, tags removed.

    Only a tag at the very start of the answer opens thinking: later ones are the model's words.
    """

    def __init__(self) -> None:
        self._buffer = ""
        self._state = "start"

    def feed(self, text: str) -> list[TextDelta | ReasoningDelta]:
        if self._state == "answer":
            return [TextDelta(text)] if text else []
        self._buffer += text
        out: list[TextDelta | ReasoningDelta] = []
        if self._state == "start":
            stripped = self._buffer.lstrip()
            if stripped.startswith(OPEN):
                self._buffer = stripped[len(OPEN) :]
                self._state = "thinking"
            elif OPEN.startswith(stripped):
                return out  # not enough to tell
            else:
                return self._answer(self._buffer)
        end = self._buffer.find(CLOSE)
        if end >= 0:
            if end:
                out.append(ReasoningDelta(self._buffer[:end]))
            rest = self._buffer[end + len(CLOSE) :].lstrip("\n")
            return out + self._answer(rest)
        keep = next((n for n in range(len(CLOSE) - 1, 0, -1) if self._buffer.endswith(CLOSE[:n])), 0)
        ready = self._buffer[: len(self._buffer) - keep]
        self._buffer = self._buffer[len(ready) :]
        if ready:
            out.append(ReasoningDelta(ready))
        return out

    def close(self) -> list[TextDelta | ReasoningDelta]:
        """What is still held back when the stream ends."""
        held, self._buffer = self._buffer, ""
        if not held:
            return []
        return [ReasoningDelta(held)] if self._state == "thinking" else [TextDelta(held)]

    def _answer(self, text: str) -> list[TextDelta | ReasoningDelta]:
        self._state = "answer"
        self._buffer = ""
        return [TextDelta(text)] if text else []
