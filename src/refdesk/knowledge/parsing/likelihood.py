"""Which old encoding bytes are in: the one under which they are the most probable text.

Each candidate gives the same bytes other characters. A character's probability is the share that its class
has in running text of the language, divided among the characters of that class; the classes are those of the
character sets themselves (level 1 of GB 2312 and of JIS X 0208 hold the everyday characters, KS X 1001 the
everyday syllables), found through Python's codecs. The logarithms add up, so that a name of two characters
and a long file are judged alike, and what nobody writes (rare characters beside common ones, capitals within
words) counts against a candidate. Simplified Chinese wins where nothing tells: most such files here are.

Owns Chinese, Japanese, Korean, Cyrillic, Greek, Hebrew, Arabic and Thai. Of Latin script it tells only that
it is; which of its encodings is for `latin`.
"""

import codecs
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

from refdesk.knowledge.parsing.frequent import FREQUENT_SIMPLIFIED, FREQUENT_SYLLABLES, FREQUENT_TRADITIONAL
from refdesk.knowledge.parsing.latin import latin_encoding

LATIN = "latin"
_OF_CHARACTERS = ("gb18030", "cp950", "big5hkscs", "cp932", "euc_jp", "cp949")
_ASCII = math.log(0.01)
_DAMAGE = -30.0
# Of what is beyond ASCII in an alphabet, so much is letters, and signs of running text do not count.
_LEAST_LETTERS = 0.8
_SIGNS = frozenset("«»–—№“”„’…°§\u00a0")
_UNUSUAL = math.log(1e-8)
_SAMPLE = 16 * 1024
_MARKS = "，。、：；？！“”‘’（）《》「」『』【】〔〕—…·　～￥％＋－＝／０１２３４５６７８９"
_LETTERS = "".join(chr(0xFF21 + i) + chr(0xFF41 + i) for i in range(26))
_HIRAGANA = "".join(map(chr, range(0x3041, 0x3094)))
_KATAKANA = "".join(map(chr, range(0x30A1, 0x30F7))) + "ー"
_HALF_WIDTH = "".join(map(chr, range(0xFF61, 0xFFA0)))

_RUSSIAN = "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъёіїєґўјљњћђџ"
_GREEK = "αοιετσνηυρπκμλςωάδόγίήχέθφβύξώζψϊϋΐΰ"
_HEBREW = "יוהלאתרבשמנדחעקפסגכטזםןךףץצ"
_ARABIC = "اليمنرتوبدعسهفقحكجةشصطخزضذثغظءأإآىئؤپچژگ"
_THAI = "านรอกเงมยลวด่ท้ัสตะปีบคิหแจพชขใ็ไผโำุซถณูื์ึศษธญฐภฟฝฉ๊ฮๆฆฏฎฬ๋ฤ"


@dataclass(frozen=True, slots=True)
class _Model:
    """A candidate: log probabilities of its characters, and what stands against it from the start."""

    encoding: str
    chars: dict[str, float]
    handicap: float
    letters: frozenset[str] | None
    context: Callable[[str], float]


@dataclass(frozen=True, slots=True)
class Guess:
    """The best candidate, how much more probable it is than the next (in nats), and its damage as a share."""

    encoding: str
    margin: float
    damage: float

    @property
    def is_of_characters(self) -> bool:
        """Whether two bytes are a character, so that chance hardly makes a valid text."""
        return self.encoding in _OF_CHARACTERS


def most_likely(sample: bytes) -> Guess | None:
    """The most probable encoding of bytes that are no UTF; None for ASCII."""
    first = re.search(rb"[\x80-\xff]", sample)
    if first is None:
        return None
    if len(sample) > _SAMPLE:
        start = sample.rfind(b"\n", 0, first.start()) + 1
        sample = sample[start : start + _SAMPLE]
    judged = [(*_likelihood(sample, model), model.encoding) for model in _models()]
    judged.sort(key=lambda one: -one[0])
    if judged[0][2] == LATIN and latin_encoding(sample) is None:
        # No language has such words: rather rare characters, if nothing is wrong with them.
        judged.sort(key=lambda one: (one[1] > 0 or one[2] not in _OF_CHARACTERS, -one[0]))
    score, damage, encoding = judged[0]
    text = _decoded(sample, encoding)
    others = (other for other, _, name in judged[1:] if _decoded(sample, name) != text)
    return Guess(encoding, score - next(others, -math.inf), damage)


def _decoded(sample: bytes, encoding: str) -> str:
    codec = "cp1252" if encoding == LATIN else encoding
    # A part of a file may end within a character, a whole one may not.
    return codecs.getincrementaldecoder(codec)("replace").decode(sample, final=len(sample) < _SAMPLE)


def _likelihood(sample: bytes, model: _Model) -> tuple[float, float]:
    text = _decoded(sample, model.encoding)
    counted = Counter(text)
    damaged = counted.pop("\ufffd", 0)
    foreign = damaged
    total = damaged * _DAMAGE - model.handicap
    for char, times in counted.items():
        if char < "\x80":
            total += times * _ASCII
        else:
            total += times * model.chars.get(char, _UNUSUAL)
            foreign += times
    if model.letters is not None:
        own = sum(counted[char] for char in model.letters)
        signs = sum(counted[sign] for sign in _SIGNS)
        if not own or own < _LEAST_LETTERS * (foreign - signs):
            return -math.inf, 1.0
    return total + model.context(text), damaged / max(1, foreign)


def _classes(*classes: tuple[Iterable[str], float]) -> dict[str, float]:
    """Characters of each class share its part; the first class that has a character counts."""
    found: dict[str, float] = {}
    for members, share in classes:
        fresh = [char for char in dict.fromkeys(members) if char > "\x7f" and char not in found]
        for char in fresh:
            found[char] = math.log(share / len(fresh))
    return found


def _ranked(letters: str, share: float) -> dict[str, float]:
    """Letters by frequency, the most frequent first."""
    weights = [1 / (rank + 6) for rank in range(len(letters))]
    return {
        char: math.log(share * weight / sum(weights)) for char, weight in zip(letters, weights, strict=True)
    }


def _rows(codec: str, rows: range, cells: Iterable[int] = range(0xA1, 0xFF)) -> list[str]:
    """All characters of these lead bytes."""
    chars: list[str] = []
    cells = list(cells)
    for row in rows:
        for cell in cells:
            text = bytes((row, cell)).decode(codec, "ignore")
            if len(text) == 1 and text > "\x7f" and not "\ue000" <= text <= "\uf8ff":
                chars.append(text)
    return chars


_TRAIL = [*range(0x40, 0x7F), *range(0x80, 0xFF)]


def _simplified() -> dict[str, float]:
    return _classes(
        (FREQUENT_SIMPLIFIED, 0.5),
        (_MARKS, 0.1),
        (_rows("gb18030", range(0xB0, 0xD8)), 0.36),
        (_rows("gb18030", range(0xD8, 0xF8)), 0.03),
        (_LETTERS, 0.001),
        (_rows("gb18030", range(0xA1, 0xAA)), 0.002),
        (_rows("gb18030", range(0x81, 0xFF), _TRAIL), 0.006),
        # Of all else (four bytes): what has not been taken above.
        (map(chr, range(0x3400, 0x4DB6)), 0.0001),
    )


def _traditional(codec: str) -> dict[str, float]:
    return _classes(
        (FREQUENT_TRADITIONAL, 0.5),
        (_MARKS, 0.1),
        (_rows(codec, range(0xA4, 0xC7), _TRAIL), 0.37),
        (_rows(codec, range(0xC9, 0xFA), _TRAIL), 0.02),
        (_LETTERS, 0.001),
        (_rows(codec, range(0xA1, 0xA4), _TRAIL), 0.002),
        (_rows(codec, range(0x81, 0xFF), _TRAIL), 0.002),
    )


def _japanese() -> dict[str, float]:
    level_one = _rows("euc_jp", range(0xB0, 0xD0))
    everyday = set(FREQUENT_TRADITIONAL) | set(FREQUENT_SIMPLIFIED)
    return _classes(
        (_HIRAGANA, 0.4),
        (_KATAKANA, 0.14),
        (_MARKS + "〒〜", 0.09),
        ([char for char in level_one if char in everyday], 0.17),
        (level_one, 0.17),
        (_rows("euc_jp", range(0xD0, 0xF5)), 0.004),
        (_HALF_WIDTH, 0.02),
        (_LETTERS, 0.001),
        (_rows("cp932", range(0x81, 0x89), _TRAIL), 0.002),
        (_rows("cp932", range(0xED, 0xFD), _TRAIL), 0.0005),
    )


def _korean() -> dict[str, float]:
    return _classes(
        (FREQUENT_SYLLABLES, 0.5),
        (_rows("euc_kr", range(0xB0, 0xC9)), 0.43),
        (_MARKS, 0.03),
        (_rows("euc_kr", range(0xCA, 0xFE)), 0.005),
        (_rows("euc_kr", range(0xA1, 0xAD)), 0.002),
        (_rows("cp949", range(0x81, 0xC7), _TRAIL), 0.002),
    )


def _alphabet(letters: str, codec: str) -> dict[str, float]:
    rest = bytes(range(0x80, 0x100)).decode(codec, "ignore")
    capitals = "".join(char.upper() for char in letters if len(char.upper()) == 1 and char.upper() != char)
    found = _classes(("«»—–№“”„’\u00a0", 0.02), (letters + capitals, 0.9), (rest, 0.004))
    for char in rest:
        if "\x80" <= char <= "\x9f" or "\u2500" <= char <= "\u25ff":
            found[char] = _UNUSUAL
    return found | _ranked(letters, 0.85) | (_ranked(capitals, 0.1) if capitals else {})


def _latin() -> dict[str, float]:
    high = bytes(range(0x80, 0x100)).decode("cp1252", "ignore")
    letters = [char for char in high if char.isalpha()]
    return _classes((letters, 0.75), ("“”‘’–—…•«»°§©®€£\u00a0¿¡½²³µ±×·´", 0.2), (high, 0.05))


_CAPITAL_WITHIN = re.compile("[а-яёіїєґα-ωά-ώ](?=[А-ЯЁІЇЄҐΑ-Ω])")
_MIXED_WORD = re.compile("[A-Za-z](?=[\u0370-\u0e5b])|[\u0370-\u0e5b](?=[A-Za-z])")
_BESIDE_LETTER = re.compile("[A-Za-z](?=[\u3041-\ud7a3])|[\u3041-\ud7a3](?=[A-Za-z])")
_HIGH_RUN = re.compile(
    "[\u00a1-\u00ff\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u2013-\u203a\u20ac]{2,}"
)
_HIGH_WORD = re.compile(r"(?<![A-Za-z\u00c0-\u024f])[\u00c0-\u024f]+(?![A-Za-z\u00c0-\u024f])")
_SIGN_WITHIN = re.compile("(?<=[A-Za-zÀ-ɏ])[\u0080-\u00bf\u0192-\u2122](?=[A-Za-zÀ-ɏ])")
_WITHIN_WORDS = "’·\u00ad"
_BOX_RUN = re.compile("[\ue000-\uf8ff]")


def _of_alphabet(text: str) -> float:
    return -3.0 * len(_CAPITAL_WITHIN.findall(text)) - 5.0 * len(_MIXED_WORD.findall(text))


def _of_characters(text: str) -> float:
    return -1.0 * len(_BESIDE_LETTER.findall(text)) - 6.0 * len(_BOX_RUN.findall(text))


def _of_latin(text: str) -> float:
    """Letters beyond ASCII stand among those of ASCII, one or two at a time."""
    total = 0.0
    for run in _HIGH_RUN.findall(text):
        total -= 2.0 + 4.0 * (len(run) - 2)
    total -= sum(1.5 * len(word) for word in _HIGH_WORD.findall(text))
    return total - sum(2.0 for sign in _SIGN_WITHIN.findall(text) if sign not in _WITHIN_WORDS)


def _of_letters(encoding: str, letters: str, handicap: float) -> _Model:
    all_letters = frozenset(letters + letters.upper())
    return _Model(encoding, _alphabet(letters, encoding), handicap, all_letters, _of_alphabet)


@cache
def _models() -> list[_Model]:
    japanese, cjk = _japanese(), _of_characters
    models = [
        _Model("gb18030", _simplified(), 0.0, None, cjk),
        _Model("cp950", _traditional("cp950"), 1.0, None, cjk),
        _Model("big5hkscs", _traditional("big5hkscs"), 4.0, None, cjk),
        _Model("cp932", japanese, 2.0, None, cjk),
        _Model("euc_jp", japanese, 2.5, None, cjk),
        _Model("cp949", _korean(), 2.0, None, cjk),
        _Model(LATIN, _latin(), 1.0, None, _of_latin),
    ]
    for encoding, handicap in (
        *(("cp1251", 2.0), ("koi8_r", 2.5), ("koi8_u", 3.5), ("cp866", 3.5), ("iso8859_5", 4.0)),
    ):
        models.append(_of_letters(encoding, _RUSSIAN, handicap))
    for encoding, letters, handicap in (
        ("cp1253", _GREEK, 3.0),
        ("iso8859_7", _GREEK, 3.5),
        ("cp1255", _HEBREW, 3.0),
        ("cp1256", _ARABIC, 3.0),
        ("iso8859_6", _ARABIC, 4.0),
        ("cp874", _THAI, 3.0),
    ):
        models.append(_of_letters(encoding, letters, handicap))
    return models
