"""The language a question is asked in, as far as prompts and notices need it."""

import re
from typing import Literal

Language = Literal["zh", "en"]

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_WORD = re.compile(r"[A-Za-z\u00c0-\u024f]{2,}")


def language_of(text: str) -> Language:
    """`zh` where Han characters carry at least a third of the text; a Latin word counts as two of them."""
    han = len(_HAN.findall(text))
    words = len(_WORD.findall(text))
    return "zh" if han and han * 2 >= words else "en"
