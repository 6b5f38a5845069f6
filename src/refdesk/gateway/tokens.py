"""How many tokens a text is, without a tokenizer: a most and a least.

Vendors' tokenizers differ; common ones make 0.6–1.0 tokens of a Han character and 0.2–0.3 of a letter. Reads
the length in UTF-8 (a Han character has three bytes), which costs 5 µs for 20,000 characters.
"""

from collections.abc import Iterable

from refdesk.gateway.calls import Message, UsageReport

FRAME_TOKENS = 4
"""What a message costs beside its text."""

IMAGE_TOKENS = 1_000
"""What an image costs, about: vendors count 85–1,600 by its size."""


def _wide(text: str) -> int:
    return 0 if text.isascii() else (len(text.encode("utf-8", "replace")) - len(text)) // 2


def estimated_tokens(text: str) -> int:
    """Rather too many than too few: a Han character counts one, others a third of one."""
    wide = _wide(text)
    return wide + max(len(text) - wide + 2, 0) // 3


def estimated_usage(texts: Iterable[str]) -> UsageReport:
    """The tokens of texts that were read, where nobody counted them."""
    return UsageReport(sum(map(estimated_tokens, texts)), 0, is_estimated=True)


def least_tokens(text: str) -> int:
    """Surely no more than the text has: a Han character counts a half, others a sixth."""
    wide = _wide(text)
    return wide // 2 + max(len(text) - wide, 0) // 6


def tokens_of(message: Message) -> int:
    """About how many tokens a message is, images and calls included."""
    images = 0 if isinstance(message.content, str) else sum(not hasattr(p, "text") for p in message.content)
    calls = sum(estimated_tokens(call.name) + estimated_tokens(call.arguments) for call in message.tool_calls)
    return FRAME_TOKENS + estimated_tokens(message.text) + calls + images * IMAGE_TOKENS


def tokens_of_all(messages: Iterable[Message]) -> int:
    """About how many tokens a conversation is."""
    return sum(tokens_of(message) for message in messages)
