"""The filter: white space, invisible characters and separator lines go; never a word or symbol."""

import re

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


def clean(text: str) -> tuple[str, int]:
    """Cleaned text and the number of removed characters that are not white space."""
    if not _ANY.search(text):
        return text.strip("\n"), 0
    invisible = _INVISIBLE.sub("", text)
    once = _SEPARATOR.sub(lambda m: m[0].split("\n", 1)[0] + "\n", invisible)
    spaced = _BLANK_LINES.sub("\n\n", _TRAILING.sub("", _SPACES.sub(" ", once)))
    return spaced.strip("\n"), _visible(text) - _visible(spaced)


def _visible(text: str) -> int:
    return sum(map(len, text.split()))
