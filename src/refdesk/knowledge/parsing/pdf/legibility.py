"""Whether text that PDFium extracted is language at all, or the bytes of a font without a usable map."""

import re
from typing import Literal

type Quality = Literal["none", "usable", "doubtful", "nonsense"]
"""`doubtful` text may be language or not; only a look at the page tells."""

_MAX_UNMAPPED, _FEW_UNMAPPED = 0.5, 0.15
_VOWELS = re.compile("[aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüýœěůąę]", re.IGNORECASE)
_KNOWN = re.compile(r"[A-Za-zÀ-ɏ\u3040-\u30ff\u3400-\u9fff]")
_MIN_LETTERS = 40
_LATIN = re.compile(r"[A-Za-zÀ-ɏ]")
_WORD = re.compile(r"\S{6,}")
_FLIP = re.compile(r"[a-zß-ÿ][A-Z]|[A-Za-z]\d[A-Za-z]|[A-Za-z][~\\^|`{}][A-Za-zÀ-ÿ]")
_LATIN1 = re.compile("[\u00a1-\u00ff]")
_BAD = re.compile("[\ufffd\ue000-\uf8ff\x01-\x08\x0e-\x1f\x80-\x9f]")
_ADDRESS = re.compile(r"https?:|www\.|@|[/_]")


def quality_of(text: str, unmapped: float) -> Quality:
    """What a page's text is worth; `unmapped` is the share of glyphs whose characters PDFium guessed."""
    if not text.strip():
        return "none"
    if unmapped > _MAX_UNMAPPED or is_nonsense(text):
        return "nonsense"
    letters = [c for c in text if c.isalpha()]
    known = sum(_KNOWN.match(c) is not None for c in letters)
    # Of other scripts OCR reads nothing, so that it could not tell either.
    if len(letters) < _MIN_LETTERS or known < 0.5 * len(letters):
        return "usable"
    return "doubtful" if unmapped > _FEW_UNMAPPED or _lacks_vowels(text) else "usable"


def _lacks_vowels(text: str) -> bool:
    """Letters shifted by a fixed number, as fonts without a map give: no language has so few vowels."""
    letters = _LATIN.findall(text)
    plain = sum(not c.isspace() for c in text)
    if len(letters) < _MIN_LETTERS or len(letters) < 0.5 * plain:
        return False
    return len(_VOWELS.findall(text)) < 0.2 * len(letters)


def is_nonsense(text: str) -> bool:
    """True where most of a page's text cannot be language."""
    plain = re.sub(r"\s+", "", text)
    if len(plain) < 4:
        return False
    if len(_BAD.findall(plain)) > 0.3 * len(plain):
        return True
    letters = [c for c in plain if c.isalpha() or ord(c) > 0xA0]
    if letters and len(_LATIN1.findall(plain)) > 0.5 * len(letters):
        return True
    words = [w for w in _WORD.findall(text) if not _ADDRESS.search(w)]
    odd = sum(len(w) for w in words if len(_FLIP.findall(w)) >= 2)
    return odd > 0.5 * len(plain)
