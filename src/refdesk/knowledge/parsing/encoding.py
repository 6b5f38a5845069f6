"""Bytes → text, whatever the encoding, never a crash.

Order: byte order mark, UTF-16/32 by the pattern of zero bytes, the encodings of seven bits, strict UTF-8, the
declared encoding (`declared`), then the East Asian and finally single-byte ones judged on a sample. The East
Asian candidates overlap (Big5 and EUC-KR bytes are mostly valid GB18030), so each decoding is scored by how
many of its characters are everyday ones; a general detector alone mistook short Big5 texts.
"""

import codecs
import re
from dataclasses import dataclass

from charset_normalizer import from_bytes

from refdesk.knowledge.parsing.latin import latin_encoding
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
_ALIASES = {
    **dict.fromkeys(("gb2312", "gbk", "x-gbk"), "gb18030"),
    **dict.fromkeys(("x-sjis", "shift_jis", "shift-jis"), "cp932"),
    **dict.fromkeys(("iso-8859-1", "latin-1", "us-ascii"), "cp1252"),
    **dict.fromkeys(("euc-kr", "ks_c_5601-1987"), "cp949"),
    "big5": "cp950",
}

# The most frequent characters of running text in each script, from general corpora.
_FREQUENT = {
    "gb18030": (
        "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年"
        "过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心"
        "她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间"
        "由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给"
        "世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变"
        "四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社"
        "便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北"
        "边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运笔客请"
    ),
    "cp950": (
        "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年"
        "過發後作裡用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心"
        "她本前開但因只從想實日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間"
        "由問很最重並物手應戰向頭文體政美相見被利什二等產或新己制身果加西斯月話合回特代內信表化老給"
        "世位次度門任常先海通教兒原東聲提立及比員解水名真論處走義各入幾口認條平系氣題活爾更別打女變"
        "四神總何電數安少報才結反受目太量再感建務做接必場件計管期市直德資命山金指克許統區保至隊形社"
        "便空決治展馬科司五基眼書非則聽白卻界達光放強即像難且權思王象完設式色路記南品住告類求據程北"
        "邊死張該交規萬取拉格望覺術領共確傳師觀清今切院讓識候帶導爭運筆客請"
    ),
}
_KANA = re.compile("[\u3041-\u30ff]")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_HAN = re.compile("[\u3400-\u9fff]")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_HAN_PAGES = frozenset((0x30, *range(0x4E, 0xA0)))
_HANGUL_PAGES = frozenset(range(0xAC, 0xD8))
_ALPHABET_PAGES = frozenset((0x03, 0x04, 0x05, 0x06, 0x0E, 0x10))
_SHORT = 64
_WIDE_MARKS = frozenset("«»·•…—–“”‘’、。〈〉《》「」『』【】！（），．：；？～")
_CYRILLIC_WORD = re.compile("[А-Яа-яЁё][а-яё]*|[А-ЯЁ]+")
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
        if len(data) % 2 == 0 and _score(sample, wide) >= _EVERYDAY:
            return wide, False
    east, score = _east_asian(sample)
    if east and score >= 0.25:
        return east, score >= 0.35
    if _is_old_cyrillic(sample):
        return "cp866", False
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


def _is_old_cyrillic(sample: bytes) -> bool:
    """Cyrillic of MS-DOS: nearly all foreign characters are its letters, in words of their own."""
    text = sample.decode("cp866")
    foreign = sum(1 for c in text if c > "\x7f")
    if foreign < 8 or not _CYRILLIC_WORD.search(text):
        return False
    words = [word for word in re.findall(r"[^\W\d_]+", text) if not word.isascii()]
    own = [word for word in words if _CYRILLIC_WORD.fullmatch(word)]
    return sum(map(len, own)) > 0.95 * foreign and len("".join(own)) > 2.5 * len(own)


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


def _east_asian(sample: bytes) -> tuple[str | None, float]:
    best: tuple[str | None, float] = (None, 0.0)
    for encoding in ("gb18030", "cp950", "big5hkscs", "cp932", "euc_jp", "cp949"):
        score = _score(sample, encoding)
        if score > best[1] + 1e-9:
            best = (encoding, score)
    return best


def _tables(encoding: str) -> list[str]:
    if encoding.startswith("utf-16"):
        return list(_FREQUENT.values())
    return [_FREQUENT["gb18030" if encoding == "gb18030" else "cp950"]]


def _score(sample: bytes, encoding: str) -> float:
    """Share of the non-ASCII characters that are everyday ones, less what is rare or damaged."""
    text = codecs.getincrementaldecoder(encoding)(errors="replace").decode(sample)
    foreign = [c for c in text if c > "\x7f"]
    if len(foreign) < 2:
        return 0.0
    joined = "".join(foreign)
    total = len(foreign)
    bad = 3 * joined.count("\ufffd") + 2 * len(_RARE.findall(joined))
    if encoding in ("cp932", "euc_jp"):
        good = len(_KANA.findall(joined)) * 1.2
    elif encoding == "cp949":
        # Real Korean is nearly all Hangul in words; chance decodings mix it with rare Han.
        good = len(_HANGUL.findall(joined)) * 0.8 - 2 * len(_HAN.findall(joined))
        good *= 1.0 if re.search("[가이다는을의에하고은를로]", joined) else 0.4
    else:
        counts = [sum(map(frequent.__contains__, foreign)) for frequent in _tables(encoding)]
        good = max(counts) * 1.1
    good += 0.3 * sum(1 for c in foreign if c in "，。、；：？！「」『』《》（）“”…—")
    return (good - bad) / total
