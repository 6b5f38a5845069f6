"""The filter: white space, invisible characters and separator lines go; never a word or symbol.

Code keeps its white space and its lines, which mean something there.
"""

import re
from collections.abc import Iterable

_INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\ufeff]"
)
_SPACES = re.compile(r"(?<=\S)[ \t\u00a0\u3000]{2,}")
_TRAILING = re.compile(r"[ \t\u00a0\u3000]+(?=\n|$)")
_BLANK_LINES = re.compile(r"\n{3,}")
_SEPARATOR = re.compile(r"(?m)^[ \t]*([-=_*~#·.—─━])\1{3,}[ \t]*\n(?:\s*\1{4,}[ \t]*(?:\n|$))+")


_ANY = re.compile(
    f"{_INVISIBLE.pattern}|[ \t\u00a0\u3000](?=[ \t\u00a0\u3000]|\n|$)|\n\n\n|([-=_*~#·.—─━])\\1{{3}}"
)


def clean(parts: Iterable[tuple[str, bool]]) -> tuple[str, int]:
    """The parts, each with whether it is code, as one cleaned text.

    Returns it with the number of removed characters that are not white space.
    """
    cleaned: list[str] = []
    removed = 0
    for text, is_code in _runs(parts):
        kept = _without_invisible(text) if is_code else _tidy(text)
        removed += 0 if kept is text else _visible(text) - _visible(kept)
        cleaned.append(kept)
    return "".join(cleaned).strip("\n"), removed


def _runs(parts: Iterable[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """Parts of one sort that follow each other as one: blank lines are counted across them."""
    runs: list[tuple[list[str], bool]] = []
    for text, is_code in parts:
        if not runs or runs[-1][1] != is_code:
            runs.append(([], is_code))
        runs[-1][0].append(text)
    return [("".join(texts), is_code) for texts, is_code in runs]


def _without_invisible(text: str) -> str:
    return _INVISIBLE.sub("", text) if _INVISIBLE.search(text) else text


def _tidy(text: str) -> str:
    if not _ANY.search(text):
        return text
    once = _SEPARATOR.sub(lambda m: m[0].split("\n", 1)[0] + "\n", _INVISIBLE.sub("", text))
    return _BLANK_LINES.sub("\n\n", _TRAILING.sub("", _SPACES.sub(" ", once)))


def _visible(text: str) -> int:
    return sum(map(len, text.split()))
