"""Whether text that PDFium extracted is language at all, or the bytes of a font without a usable map."""

import re

_WORD = re.compile(r"\S{6,}")
_FLIP = re.compile(r"[a-zß-ÿ][A-Z]|[A-Za-z]\d[A-Za-z]|[A-Za-z][~\\^|`{}][A-Za-zÀ-ÿ]")
_LATIN1 = re.compile("[\u00a1-\u00ff]")
_BAD = re.compile("[\ufffd\ue000-\uf8ff\x01-\x08\x0e-\x1f\x80-\x9f]")
_ADDRESS = re.compile(r"https?:|www\.|@|[/_]")


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
