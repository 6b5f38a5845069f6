"""Titles: a heading in one line without marks that are not its words, with its number and without it.

The title itself keeps the number (“第六章 退货”, “1.2 Setup”): people ask by it and other parts of the text
refer to it. Where that only takes room, the title for display goes without (“退货”, “Setup”).
"""

import re

_HAN = "零〇一二三四五六七八九十百千两"
_NUMBER = re.compile(
    r"(?:"
    rf"第\s*[{_HAN}\d]+\s*[章节節篇编編部卷回讲講条條款][\s:：、.．]*"
    rf"|[（(]\s*(?:[{_HAN}]+|\d+|[a-zA-Z]|[ivxIVX]+)\s*[）)][\s、.．]*"
    rf"|[{_HAN}]+\s*[、．.]\s*"
    r"|(?i:chapter|section|part|appendix)\s+(?:\d+(?:\.\d+)*|[ivxlcIVXLC]+|[A-Za-z])\b[\s:：.\-–—]*"
    # What goes on in small letters is a quantity: “3.5 million users”.
    r"|\d{1,3}(?:[.．]\d{1,3})+[.．、)]?(?:\s+(?![a-z])|(?=[\u3400-\u9fff]))"
    r"|\d{1,3}[.．、)](?!\d)\s*"
    r"|\d{1,2}\s+(?=[\u3400-\u9fffA-Z])"
    r"|[A-Z][.．)]\s+(?=\S)"
    r"|[IVX]{1,5}[.．)]\s+"
    r")"
)
_ZERO_WIDTH = re.compile("[\u200b-\u200d\u2060\ufeff\u00ad]")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_EMPHASIS = re.compile(r"(\*\*|__|`)(.+?)\1")
_SPACE = re.compile(r"\s+")
MAX_TITLE = 255


def clean_title(heading: str) -> str:
    """A heading without links, emphasis, line breaks and zero-width characters; every word of it stays."""
    plain = _LINK.sub(r"\1", _ZERO_WIDTH.sub("", heading))
    return _SPACE.sub(" ", _EMPHASIS.sub(r"\2", plain)).strip()[:MAX_TITLE]


def display_title(title: str) -> str:
    """A title without its number; the title itself where nothing else is in it."""
    number = _NUMBER.match(title)
    return (title[number.end() :] or title) if number is not None else title
