"""A question that asks several things becomes as many questions, by its punctuation and its joining words.

Rather too few than too many: a part must stand by itself (long enough, with something in it that asks or
tells), else it stays with the part before it. No model; a regular expression and a look at each part.
"""

import re

MOST_QUESTIONS = 4
# A part shorter than this hardly asks anything by itself.
LEAST_HAN, LEAST_WORDS = 4, 3

_MARKS = re.compile(r"(?<=[？?])\s*(?=\S)|(?<=[；;])\s*(?=\S)|\n+(?=\s*\S)")
# Joining words open a new question where they stand after a pause, or at a part's beginning.
_JOINS = re.compile(
    r"(?:(?<=[，,。；;？?！!])|^)\s*(?:另外|此外|还有一?个?问题|还有|同时也?|顺便(?:再?问一?下|说一下)?|再问一?下|以及|并且)\s*[，,：:]?"
    r"|(?:^|(?<=[,.;?!]))\s*(?:and\s+also|also|and\s+by\s+the\s+way|by\s+the\s+way|besides|additionally"
    r"|in\s+addition|furthermore|another\s+question|second(?:ly)?|moreover)\b\s*[,:]?"
    r"|\s+and\s+also\s+(?=(?:what|how|where|when|why|who|which|can|do|does|is|are|could|should|tell)\b)"
    r"|(?:(?<=,)|(?<=\s))\s*and\s+(?=(?:what|how|where|when|why|who|which)\b(?!\s+(?:is|are)?\s*$))",
    re.IGNORECASE,
)
_HAN = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"[A-Za-z0-9][\w'-]*")
_ASKS_ZH = re.compile(
    r"怎么|怎样|如何|什么|哪|多少|几|吗|呢|是否|能不能|可不可以|可以|为什么|多久|多长|谁|查|退|到哪|帮"
)
_ASKS_EN = re.compile(
    r"\b(?:what|how|where|when|why|who|whom|which|whose|can|could|do|does|did|is|are|was|were|will|would|should"
    r"|may|tell|show|explain|list|give|find|check|cancel|track)\b",
    re.IGNORECASE,
)
_EDGES = " \t\r\n，,。.；;、"


def split_by_rules(question: str) -> tuple[str, ...]:
    """One to four questions, in the order and the words of the original."""
    pieces: list[str] = []
    for sentence in _MARKS.split(question):
        at = 0
        for join in _JOINS.finditer(sentence):
            pieces.append(sentence[at : join.start()])
            at = join.end()
        pieces.append(sentence[at:])
    parts: list[str] = []
    for piece in pieces:
        text = piece.strip(_EDGES)
        if not text:
            continue
        if parts and not (_stands_alone(text) and _stands_alone(parts[-1])):
            parts[-1] = f"{parts[-1]} {text}" if parts[-1][-1:].isascii() else f"{parts[-1]}，{text}"
        else:
            parts.append(text)
    if not 1 < len(parts) <= MOST_QUESTIONS:
        return (question,)
    return tuple(parts)


def _stands_alone(text: str) -> bool:
    han = len(_HAN.findall(text))
    if han >= LEAST_HAN:
        return text.endswith(("？", "?")) or _ASKS_ZH.search(text) is not None
    if len(_WORD.findall(text)) >= LEAST_WORDS:
        return text.endswith("?") or _ASKS_EN.search(text) is not None
    return False
