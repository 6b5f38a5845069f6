"""Which of the found paragraphs fit into the prompt: whole ones in their order, at most the first one cut."""

from collections.abc import Sequence

from refdesk.knowledge.splitting import sentences
from refdesk.retrieval import Hit

# A cut source below this says too little to be worth its place.
LEAST_CHARS = 80
# Room for names, sections and fences of a source in the prompt.
FRAME_CHARS = 120


def estimated_tokens(text: str) -> int:
    """Tokens of `text`, rather too many than too few: a Han character counts one, others a third of one.

    Vendors' tokenizers differ; common ones make 0.6–1.0 tokens of a Han character and 0.25 of a letter.
    """
    wide = sum(1 for char in text if ord(char) > 0x2E80)
    return wide + (len(text) - wide + 2) // 3


def pack(hits: Sequence[Hit], *, max_chars: int, max_tokens: int) -> list[tuple[Hit, str]]:
    """Hits with the text to show of each, best first, within both limits.

    A paragraph that does not fit is left out and a shorter one after it may still come in; only when the
    first does not fit is it cut, at a sentence end.
    """
    packed: list[tuple[Hit, str]] = []
    chars, tokens = max_chars, max_tokens
    for hit in hits:
        text = hit.text
        if len(text) > chars or estimated_tokens(text) + FRAME_CHARS // 3 > tokens:
            if packed:
                continue
            text = _cut(text, chars, tokens)
            if not text:
                continue
        packed.append((hit, text))
        chars -= len(text)
        tokens -= estimated_tokens(text) + FRAME_CHARS // 3
        if chars < LEAST_CHARS:
            break
    return packed


def pack_text(text: str, *, max_tokens: int) -> str:
    """The longest beginning of a tool's answer that fits, cut at the end of a line where there is one."""
    if estimated_tokens(text) <= max_tokens:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if estimated_tokens(text[:middle]) <= max_tokens else (low, middle - 1)
    at = text.rfind("\n", 0, low)
    return text[: at if at > low // 2 else low]


def _cut(text: str, chars: int, tokens: int) -> str:
    """The longest beginning of `text` that ends with a sentence and fits; empty if none does."""
    end = 0
    for _, stop in sentences(text):
        if stop > chars or estimated_tokens(text[:stop]) > tokens:
            break
        end = stop
    if end == 0 and chars >= LEAST_CHARS:
        end = min(chars, max(0, tokens))
    return text[:end]
