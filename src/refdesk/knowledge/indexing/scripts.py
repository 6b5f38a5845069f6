"""Which scripts a text is written in: decides where a lexical score can mean anything."""

import re
from enum import IntEnum

from refdesk.knowledge.indexing.folding import fold


class Script(IntEnum):
    """Stored with every entry; the numbers are part of the database."""

    NONE = 0
    HAN = 1
    LATIN = 2
    KANA = 3
    HANGUL = 4
    CYRILLIC = 5
    OTHER = 9


# A word of letters carries about as much as two Han characters.
_PATTERNS: tuple[tuple[Script, re.Pattern[str], int], ...] = (
    (Script.HAN, re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"), 1),
    (Script.LATIN, re.compile(r"[A-Za-z\u00c0-\u024f][A-Za-z0-9\u00c0-\u024f'._-]*"), 2),
    (Script.KANA, re.compile(r"[\u3041-\u30ff]"), 1),
    (Script.HANGUL, re.compile(r"[\uac00-\ud7af]+"), 2),
    (Script.CYRILLIC, re.compile(r"[\u0400-\u052f]+"), 2),
    (Script.OTHER, re.compile(r"[\u0370-\u03ff\u0530-\u1fff\u2c00-\u2dff]+"), 2),
)
# A share from which a script of a query counts: a code or a name in a question of another script does.
_QUERY_SHARE = 0.25


def _weights(text: str) -> dict[Script, int]:
    folded = fold(text)
    weights = {script: weight * len(pattern.findall(folded)) for script, pattern, weight in _PATTERNS}
    return {script: weight for script, weight in weights.items() if weight}


def dominant_script(text: str) -> Script:
    """The script most of `text` is in; NONE for digits and punctuation alone."""
    weights = _weights(text)
    return max(weights, key=lambda script: weights[script]) if weights else Script.NONE


def query_scripts(text: str) -> frozenset[Script]:
    """Every script that makes up at least a quarter of a query; empty for digits and punctuation alone."""
    weights = _weights(text)
    total = sum(weights.values())
    return frozenset(script for script, weight in weights.items() if weight >= _QUERY_SHARE * total)
