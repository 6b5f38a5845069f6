"""Titles for display: “第三章 退货” → “退货”, “1.2 Setup” → “Setup”; the original is kept beside it."""

import re

_HAN = "零〇一二三四五六七八九十百千两"
_NUMBER = re.compile(
    rf"^\s*(?:"
    rf"第\s*[{_HAN}\d]+\s*[章节節篇编編部卷回讲講条條款][\s:：、.．]*"
    rf"|[（(]\s*(?:[{_HAN}]+|\d+|[a-zA-Z]|[ivxIVX]+)\s*[）)][\s、.．]*"
    rf"|[{_HAN}]+\s*[、．.][\s]*"
    r"|(?:chapter|section|part|appendix)\s+(?:\d+(?:\.\d+)*|[ivxlc]+|[A-Z])\b[\s:：.\-–—]*"
    r"|\d{1,3}(?:[.．]\d{1,3})+[.．、)]?(?:\s+|(?=[\u3400-\u9fff]))"
    r"|\d{1,3}[.．、)](?!\d)\s*"
    r"|\d{1,2}\s+(?=[\u3400-\u9fffA-Z])"
    r"|[A-Z][.．)]\s+(?=\S)"
    r"|[IVX]{1,5}[.．)]\s+"
    r")",
    re.IGNORECASE,
)
_ZERO_WIDTH = re.compile("[\u200b-\u200d\u2060\ufeff\u00ad]")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
MAX_TITLE = 255


def clean_title(heading: str) -> str:
    """A heading without numbering, links and zero-width characters; never empty unless the heading is."""
    plain = _LINK.sub(r"\1", _ZERO_WIDTH.sub("", heading)).replace("\n", " ").strip()
    plain = re.sub(r"(\*\*|__|`)(.+?)\1", r"\2", plain)
    shown = _NUMBER.sub("", plain, count=1).strip()
    return (shown or plain)[:MAX_TITLE]
