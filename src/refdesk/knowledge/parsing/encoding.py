"""Bytes → text, whatever the encoding, never a crash.

Order: byte order mark, UTF-16/32 by the pattern of zero bytes, the encodings of seven bits, strict UTF-8, the
declared encoding (`declared`), then what `likelihood` finds the most probable on a sample, and for Latin
script what `latin` does. A general detector alone took short Chinese texts for Korean and Cyrillic.
"""

import codecs
import re
from dataclasses import dataclass

from charset_normalizer import from_bytes

from refdesk.knowledge.parsing.frequent import FREQUENT_SIMPLIFIED, FREQUENT_TRADITIONAL
from refdesk.knowledge.parsing.latin import latin_encoding
from refdesk.knowledge.parsing.likelihood import LATIN, most_likely
from refdesk.knowledge.parsing.seven_bit import seven_bit

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 64 * 1024
# Share of everyday characters from which bytes are taken for Chinese in UTF-16.
_EVERYDAY = 0.3
# A guess counts where so few of its characters beyond ASCII are damaged, and is sure where it is e^15 times
# as probable as the next one.
_DAMAGED, _SURE = 0.02, 15.0
_ALIASES = {
    **dict.fromkeys(("gb2312", "gbk", "x-gbk"), "gb18030"),
    **dict.fromkeys(("x-sjis", "shift_jis", "shift-jis"), "cp932"),
    **dict.fromkeys(("iso-8859-1", "latin-1", "us-ascii"), "cp1252"),
    **dict.fromkeys(("euc-kr", "ks_c_5601-1987"), "cp949"),
    "big5": "cp950",
}

_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_HAN_PAGES = frozenset((0x30, *range(0x4E, 0xA0)))
_HANGUL_PAGES = frozenset(range(0xAC, 0xD8))
_ALPHABET_PAGES = frozenset((0x03, 0x04, 0x05, 0x06, 0x0E, 0x10))
_SHORT = 64
_WIDE_MARKS = frozenset("«»·•…—–“”‘’、。〈〉《》「」『』【】！（），．：；？～")
_RARE = re.compile("[\ue000-\uf8ff\uff61-\uff9f\u3400-\u4dbf\u0080-\u009f\ufffd]")


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text with its encoding (a Python codec name, or iso2022_cn) and how many bytes could not be decoded."""

    text: str
    encoding: str
    replaced: int
    nul: int
    certain: bool


def decode(data: bytes, declared: str | None = None) -> Decoded:
    """Decode a whole file; NUL characters are removed, bad bytes become U+FFFD, both are counted."""
    bom = _bom(data)
    if bom:
        return _finish(data[len(bom[0]) :], bom[1], certain=True)
    wide = _wide(data[:_SAMPLE])
    if wide:
        return _finish(data, wide, certain=True)
    narrow = seven_bit(data, declared)
    if narrow:
        return _decoded(narrow[0], data, narrow[1], certain=True)
    try:
        return _decoded(data.decode("utf-8"), data, "utf-8", certain=True)
    except UnicodeDecodeError:
        pass  # one of the others
    encoding, certain = _guessed(data, declared)
    return _finish(data, encoding, certain=certain)


def sample_of(head: bytes) -> tuple[str, bool]:
    """The beginning of a file as `decode` would read it, NUL characters included, and whether the encoding is
    known by more than a guess."""
    bom = _bom(head)
    wide = bom[1] if bom else _wide(head[:_SAMPLE])
    head = head[len(bom[0]) :] if bom else head
    if wide:
        return codecs.getincrementaldecoder(wide)(errors="replace").decode(head), True
    narrow = seven_bit(head, None, whole=False)
    if narrow:
        return narrow[0], True
    try:
        # Not final: the beginning may end within a character.
        return codecs.getincrementaldecoder("utf-8")().decode(head), True
    except UnicodeDecodeError:
        encoding, certain = _guessed(head, None)
    return codecs.getincrementaldecoder(encoding)(errors="replace").decode(head), certain


def _guessed(data: bytes, declared: str | None) -> tuple[str, bool]:
    """The encoding of what is neither marked nor UTF-16 with zero bytes nor UTF-8, and whether it is sure."""
    sample = _sample(data)
    name = _known(declared)
    if name and name != "utf-8" and _fits(sample, name):
        return name, True
    if _mostly_utf8(sample, whole=len(sample) == len(data)):
        return "utf-8", False
    for pages in (_HAN_PAGES, _HANGUL_PAGES):
        wide = _wide_script(sample, pages, most=len(pages))
        if wide:
            return wide, False
    for wide in ("utf-16-le", "utf-16-be"):
        # Chinese without a single space or digit has no zero bytes; everyday characters give it away.
        if len(data) % 2 == 0 and _everyday(sample, wide) >= _EVERYDAY:
            return wide, False
    likely = most_likely(sample)
    if likely is not None and likely.encoding != LATIN and likely.damage <= _DAMAGED:
        return likely.encoding, likely.margin >= _SURE and likely.is_of_characters
    latin = latin_encoding(sample)
    if latin:
        return latin, False
    guess = from_bytes(sample, steps=4, chunk_size=1024).best()
    if guess and not guess.encoding.startswith(("utf_16", "utf_32", "utf_7", "cp037", "cp500", "cp273")):
        return guess.encoding, False
    return "cp1252", False


def _finish(data: bytes, encoding: str, *, certain: bool) -> Decoded:
    return _decoded(data.decode(encoding, errors="replace"), data, encoding, certain=certain)


def _decoded(text: str, data: bytes, encoding: str, *, certain: bool) -> Decoded:
    replaced = max(0, text.count("\ufffd") - data.count(b"\xef\xbf\xbd")) if "\ufffd" in text else 0
    nul = text.count("\x00") if "\x00" in text else 0
    if nul:
        text = text.replace("\x00", "")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return Decoded(text, encoding, replaced, nul, certain)


def _bom(data: bytes) -> tuple[bytes, str] | None:
    return next((bom for bom in _BOMS if data.startswith(bom[0])), None)


def _wide(data: bytes) -> str | None:
    """UTF-16 without a mark: ASCII or line ends leave zero bytes on one side only."""
    if len(data) < 4:
        return None
    if len(data) <= _SHORT and b"\0" in data:
        # A few Han letters may have zeros on either side (退 is U+9000).
        han = _wide_script(data, _HAN_PAGES, most=_SHORT)
        if han:
            return han
    data = data[: len(data) // 2 * 2]
    even, odd = data[0::2].count(0), data[1::2].count(0)
    half = len(data) // 2
    for side, other, name in ((odd, even, "utf-16-le"), (even, odd, "utf-16-be")):
        # Text in any script has spaces, digits or line ends: some zero high bytes, no zero low ones.
        if side > 0.02 * half and side > 3 * other and (side > 0.3 * half or _plausible(data, name)):
            return name
    return _wide_script(data, _ALPHABET_PAGES, most=1)


def _wide_script(sample: bytes, pages: frozenset[int], *, most: int) -> str | None:
    """UTF-16 told by its letters: all from these pages of 256 characters, from no more of them than `most`.

    Only for bytes that no other text has, such as the 0x04 of all Cyrillic letters.
    """
    if len(sample) % 2 or not _CONTROL.search(sample):
        return None
    for encoding in ("utf-16-le", "utf-16-be"):
        try:
            text = sample.decode(encoding)
        except UnicodeDecodeError:
            continue
        found = {
            ord(c) >> 8 for c in text if c > "\x7f" and not ("\u2000" <= c <= "\u206f" or c in _WIDE_MARKS)
        }
        if found and found <= pages and len(found) <= most and _is_printable(text):
            return encoding
    return None


def _is_printable(text: str) -> bool:
    return all(c.isprintable() or c in "\t\r\n\u3000" for c in text)


def _plausible(data: bytes, encoding: str) -> bool:
    try:
        text = data[: 8192 // 2 * 2].decode(encoding, errors="strict")
    except UnicodeDecodeError:
        return False
    letters = sum(1 for c in text if c.isalnum() or c.isspace() or "\u3000" <= c <= "\u303f" or c.isascii())
    return letters > 0.9 * len(text) and len(_RARE.findall(text)) < 0.02 * len(text)


def _sample(data: bytes) -> bytes:
    if len(data) <= 2 * _SAMPLE:
        return data
    # A second sample from where the first foreign byte stands: long ASCII prefaces say nothing.
    first = re.search(rb"[\x80-\xff]", data)
    start = data.rfind(b"\n", 0, first.start()) + 1 if first else 0
    return data[start : start + _SAMPLE]


def _known(declared: str | None) -> str | None:
    if not declared:
        return None
    name = declared.strip().strip("\"'").lower()
    name = _ALIASES.get(name, name)
    try:
        return codecs.lookup(name).name
    except (LookupError, ValueError):
        return None


def _fits(sample: bytes, encoding: str) -> bool:
    text = codecs.getincrementaldecoder(encoding)(errors="replace").decode(sample)
    return text.count("\ufffd") <= max(1, len(text) // 200)


def _mostly_utf8(sample: bytes, *, whole: bool) -> bool:
    """UTF-8 with a few damaged bytes: real multi-byte sequences outnumber the damage by far."""
    text = codecs.getincrementaldecoder("utf-8")(errors="replace").decode(sample, final=whole)
    foreign = sum(1 for c in text if c > "\x7f" and c != "\ufffd")
    return foreign > 4 * text.count("\ufffd") or (foreign == 0 and text.count("\ufffd") <= len(text) // 1000)


def _everyday(sample: bytes, encoding: str) -> float:
    """Share of the characters beyond ASCII that are everyday Chinese, less what is rare or damaged."""
    text = codecs.getincrementaldecoder(encoding)(errors="replace").decode(sample)
    foreign = "".join(c for c in text if c > "\x7f")
    if len(foreign) < 2:
        return 0.0
    bad = 3 * foreign.count("\ufffd") + 2 * len(_RARE.findall(foreign))
    good = max(sum(map(table.__contains__, foreign)) for table in (FREQUENT_SIMPLIFIED, FREQUENT_TRADITIONAL))
    marks = sum(map("，。、；：？！「」『』《》（）“”…—".__contains__, foreign))
    return (1.1 * good + 0.3 * marks - bad) / len(foreign)
