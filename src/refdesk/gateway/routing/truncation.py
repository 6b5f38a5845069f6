"""Making a conversation fit a smaller context (X14), as a backup model may have one.

Whole messages go first, the oldest first; then whole paragraphs of the longest message that is left, from its
end. System messages and the last message stay, so that rules and question are never lost; a tool's result
goes with the call it answers. Nothing is cut within a paragraph.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from refdesk.gateway.calls import CompletionRequest, Message
from refdesk.gateway.tokens import estimated_tokens, tokens_of, tokens_of_all

ANSWER_SHARE, ANSWER_MOST = 0.25, 1_024
_PARAGRAPHS = re.compile(r"\n[ \t]*\n+")


@dataclass(frozen=True, slots=True)
class Fitted:
    """`truncated_to` is the context it was cut to, None where it fitted as it was."""

    request: CompletionRequest
    truncated_to: int | None = None


def fit(request: CompletionRequest, context_tokens: int) -> Fitted | None:
    """The request within a context, room for the answer included; None if it cannot be made to fit."""
    answer = request.max_tokens or int(min(context_tokens * ANSWER_SHARE, ANSWER_MOST))
    tools = sum(estimated_tokens(f"{tool.name}{tool.description}{tool.parameters}") for tool in request.tools)
    room = context_tokens - min(answer, context_tokens // 2) - tools
    if tokens_of_all(request.messages) <= room:
        return Fitted(request)
    kept = _without_paragraphs(_without_messages(request.messages, room), room)
    if kept is None:
        return None
    shorter = None if request.max_tokens is None else min(request.max_tokens, context_tokens // 2)
    return Fitted(replace(request, messages=kept, max_tokens=shorter), context_tokens)


def _without_messages(messages: Sequence[Message], room: int) -> list[Message]:
    """Without as many of the oldest exchanges as must go; system messages and the last one stay."""
    kept = list(messages)
    size = tokens_of_all(kept)
    while size > room:
        at = next((i for i, message in enumerate(kept[:-1]) if message.role != "system"), None)
        if at is None:
            break
        end = at + 1
        # A call and its results, and an answer to a question that goes, belong together.
        while end < len(kept) - 1 and kept[end].role == "tool":
            end += 1
        if end == len(kept) - 1 and kept[end].role == "tool":
            break
        size -= tokens_of_all(kept[at:end])
        del kept[at:end]
    return kept


def _without_paragraphs(messages: list[Message], room: int) -> list[Message] | None:
    """Without as many paragraphs as must go, each time the last but one of the longest message: its first
    paragraphs say what follows, and its last is most often the question."""
    split = [_PARAGRAPHS.split(m.content) if isinstance(m.content, str) else None for m in messages]
    sizes = [tokens_of(message) for message in messages]
    changed: set[int] = set()
    while sum(sizes) > room:
        at = max(
            (i for i, parts in enumerate(split) if parts is not None and len(parts) > 1),
            key=lambda i: sizes[i],
            default=None,
        )
        if at is None:
            return None
        parts = split[at]
        assert parts is not None
        del parts[-2]
        changed.add(at)
        sizes[at] = tokens_of(replace(messages[at], content="\n\n".join(parts)))
    return [
        replace(message, content="\n\n".join(split[i] or ())) if i in changed else message
        for i, message in enumerate(messages)
    ]
