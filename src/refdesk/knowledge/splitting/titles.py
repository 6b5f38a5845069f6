"""Titles for display: a heading in one line, its number with it, without marks that are not its words.

The number stays (“第六章 退货”, “1.2 Setup”): people ask by it and other parts of the text refer to it.
"""

import re

_ZERO_WIDTH = re.compile("[\u200b-\u200d\u2060\ufeff\u00ad]")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_EMPHASIS = re.compile(r"(\*\*|__|`)(.+?)\1")
_SPACE = re.compile(r"\s+")
MAX_TITLE = 255


def clean_title(heading: str) -> str:
    """A heading without links, emphasis, line breaks and zero-width characters; every word of it stays."""
    plain = _LINK.sub(r"\1", _ZERO_WIDTH.sub("", heading))
    return _SPACE.sub(" ", _EMPHASIS.sub(r"\2", plain)).strip()[:MAX_TITLE]
