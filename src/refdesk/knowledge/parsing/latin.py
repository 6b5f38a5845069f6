"""Which of the single-byte encodings of Latin script a text is in, by the letters languages really have.

The encodings give the same bytes other letters (0xE8 is `è` or `č`), so each language is asked how many of
the letters would be its own; the first of the best wins, Western ones first. A general detector took
Portuguese, Swedish, Italian and every `£` for Central European. Owns no other script: words without a single
ASCII letter are not Latin, and None is the answer.
"""

import re

_ALPHABETS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "cp1252",
        (
            "àâæçéèêëîïôœùûüÿ",  # French
            "äöüß",  # German
            "áéíñóúüªº",  # Spanish
            "àáâãçéêíóôõúüªº",  # Portuguese
            "àèéìíîòóùú",  # Italian
            "åäöé",  # Swedish, Finnish
            "æøåéèòôó",  # Danish, Norwegian
            "áðéíóúýþæö",  # Icelandic
            "àçèéíïòóúü",  # Catalan
            "áéèêëíïóôöúü",  # Dutch
            "äõöüšž",  # Estonian
        ),
    ),
    (
        "cp1250",
        ("ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "áéíóöőúüű", "ăâîşţ", "čćđšž"),
    ),
    ("iso8859_2", ("ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "ăâîşţ", "čćđšž")),
    ("cp1254", ("çğıöşüâîû",)),
    ("cp1257", ("ąčęėįšųūž", "āčēģīķļņšūž")),
)
_WORD = re.compile(r"[^\W\d_]+")
# What stands between or behind letters without being one of them.
_SIGNS = frozenset("’‘“”„«»‹›…–—·•°§©®™£€¥¢µ×÷±¹²³¼½¾¿¡ªº´¨¸\u00a0\u00ad")
_WITHIN_WORDS = frozenset("’‘·\u00ad")
_LEAST = 0.6
_CONTROLS = re.compile(rb"[\x80-\x84\x86-\x9f]")  # in ISO 8859, where only 0x85 (a line end) is met
_FOREIGN = re.compile("[^\x00-\x7f]")
# Texts in several languages at once are Western far more often than not.
_SEVERAL = {"cp1252": 0.85}


def latin_encoding(sample: bytes) -> str | None:
    """The encoding (a Python codec name), or None where the text is hardly in Latin letters."""
    best: tuple[str | None, float] = (None, 0.0)
    for encoding, alphabets in _ALPHABETS:
        if encoding.startswith("iso") and _CONTROLS.search(sample):
            continue
        several = _SEVERAL.get(encoding, 0.0)
        share = _share(sample.decode(encoding, errors="replace"), alphabets, several)
        if share > best[1] + 1e-9:
            best = (encoding, share)
    return best[0] if best[1] >= _LEAST else None


def _share(text: str, alphabets: tuple[str, ...], several: float) -> float:
    """Share of the foreign characters that the best of the languages has, in places where it has them.

    `several` is what a letter counts that only all of the languages together have.
    """
    letters: list[str] = []
    alone = 0
    for found in _WORD.finditer(text):
        word = found[0]
        if word.isascii():
            continue
        foreign = [char for char in word if char > "\x7f"]
        if len(foreign) == len(word) and (len(word) > 2 or word[-1].isupper()):
            alone += len(foreign)  # no word of a Latin script
        elif set(foreign) - set("µªº"):
            letters += foreign
    total = signs = 0
    for found in _FOREIGN.finditer(text):
        i, char = found.start(), found[0]
        if char.isalpha() and char not in "µªº":
            continue
        total += 1
        is_within = text[max(0, i - 1) : i].isalpha() and text[i + 1 : i + 2].isalpha()
        signs += char in (_WITHIN_WORDS if is_within else _SIGNS)
    total += len(letters) + alone
    if not total:
        return 0.0
    lowered = "".join(letters).lower()
    own = max(sum(map(alphabet.__contains__, lowered)) for alphabet in alphabets)
    together = several * sum(map("".join(alphabets).__contains__, lowered))
    return (max(own, together) + signs) / total
