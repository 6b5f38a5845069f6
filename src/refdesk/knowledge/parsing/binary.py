"""Whether bytes are text at all: judged by what they would read as, in the encoding they are most like.

Any byte is a character in some encoding, so a file of random bytes can always be decoded; only what comes
out tells. Two things give it away: characters that texts do not have (controls, code points that nobody has
assigned, private ones, damage), of which random bytes make 12 % as Western text and 15 % as UTF-16; and,
where the encoding is a guess, signs such as ¤, ¬ and ¶ among the letters, of which they make 20 %. Must not
depend on names: those lie.
"""

import unicodedata
from collections import Counter
from functools import lru_cache

from refdesk.knowledge.parsing.encoding import sample_of

_CONTROLS_OF_TEXT = frozenset("\t\n\v\f\r\x1a\x1b\x85")
_STRANGE_KINDS = frozenset(("Cc", "Cn", "Co", "Cs"))
# Share of characters that texts do not have. Texts with holes of zero bytes or private characters have some.
_MOST_STRANGE = 0.1
# Where the encoding is a guess, from 1.5 % of strange characters on, and two of them, the mixture decides:
# strange characters count twice, signs once, letters beyond ASCII a quarter. Random bytes reach 0.5.
_FEW_STRANGE = 0.015
_MOST_MIXED = 0.12
# Quotation marks, dashes and what else stands in running text of any language beside letters.
_SIGNS_OF_TEXT = frozenset("’‘“”„‚«»‹›…–—·•°§©®™£€¥¢½¼¾²³¹×º ª¿¡\u00a0\u00ad\u3000")


@lru_cache(maxsize=4)  # several parsers ask about the same beginning
def looks_binary(head: bytes) -> bool:
    """Whether bytes are no text in any encoding; `head` is the beginning of a file."""
    if not head:
        return False
    text, is_known = sample_of(head)
    strange, signs, foreign = _counted(text)
    if strange > _MOST_STRANGE * len(text):
        return True
    if is_known or strange < max(2, _FEW_STRANGE * len(text)):
        return False
    return 2 * strange + signs + foreign / 4 > _MOST_MIXED * len(text)


def _counted(text: str) -> tuple[int, int, int]:
    """Characters that texts do not have, signs beside letters, and letters beyond ASCII."""
    strange = signs = foreign = 0
    for char, times in Counter(text).items():
        kind = unicodedata.category(char) if char < " " or char > "~" else "L"
        if char == "\ufffd" or (kind in _STRANGE_KINDS and char not in _CONTROLS_OF_TEXT):
            strange += times
        elif char <= "~" or char in _SIGNS_OF_TEXT:
            continue
        elif kind[0] in "LM" or char > "\u2fff":
            foreign += times
        else:
            signs += times
    return strange, signs, foreign
