"""What a stretch of text claims, taken apart: numbers with units, codes, names, content words, negations."""

import re
from dataclasses import dataclass, field
from functools import lru_cache

import rjieba

from refdesk.chat.evidence.lexicon import LIGHT_EN, LIGHT_ZH, STOP_EN, stem

MARK = re.compile(r"\s?\[\d{1,3}\]")

# Canonical unit: how it is written.
_WRITTEN = {
    "工作日": "个工作日|工作日|business day|business days",
    "时": "个小时|小时|hours|hour",
    "分": "分钟|minutes|minute",
    "秒": "秒钟|秒|seconds|second",
    "毫秒": "毫秒|ms",
    "月": "个月|months|month|月",
    "天": "天|日|days|day",
    "周": "周|weeks|week",
    "年": "年|years|year",
    "岁": "岁",
    "次": "次",
    "片": "片",
    "块": "块",
    "台": "台",
    "人": "人|名",
    "倍": "倍",
    "级": "级",
    "项": "项",
    "条": "条",
    "份": "份",
    "种": "种",
    "等": "等",
    "$": "美元|dollars",
    "元": "元",
    "€": "euros",
    "百万": "million",
    "%": "%|％|percent|个百分点",
    "个": "个",
    "晚": "晚",
    "点": "点",
    "TB": "tb",
    "GB": "gb|gi",
    "MB": "mb",
    "KB": "kb",
    "℃": "℃|度",
    "字符": "字符",
}
_UNITS = {written: unit for unit, forms in _WRITTEN.items() for written in forms.split("|")}
_UNIT = "|".join(re.escape(unit) for unit in sorted(_UNITS, key=len, reverse=True) if not unit.isascii())
_UNIT_EN = "|".join(re.escape(unit) for unit in sorted(_UNITS, key=len, reverse=True) if unit.isascii())
_NUMBER = re.compile(
    rf"(?<![A-Za-z0-9_])(?P<digits>\d+(?:[.,:]\d+)*)"
    rf"(?P<scale>\s?[万亿])?(?:\s?(?P<unit>{_UNIT}|(?:{_UNIT_EN})(?![A-Za-z])))?(?![A-Za-z0-9_])",
    re.IGNORECASE,
)
_DIGITS_FIRST = re.compile(r"(?<![A-Za-z0-9])\d+[A-Za-z][A-Za-z0-9]*")
_HAN_NUMBER = re.compile(rf"(?P<han>[一二两三四五六七八九十百千万]+)(?P<unit>{_UNIT})")
_WORD_NUMBERS = {
    word: str(value)
    for value, word in enumerate(
        ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"], 2
    )
} | {"twice": "2", "twenty": "20", "thirty": "30", "fifty": "50", "hundred": "100"}
_WORD_NUMBER = re.compile(
    rf"\b(?P<word>{'|'.join(_WORD_NUMBERS)})\b(?:\s(?P<unit>(?:{_UNIT_EN})(?![A-Za-z])))?", re.IGNORECASE
)
_CODE = re.compile(r"#\d+|[A-Za-z][A-Za-z0-9]*(?:[-_./][A-Za-z0-9]+)*")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")
_WORD = re.compile(r"[A-Za-z\u00c0-\u024f]+(?:['’][a-z]+)?")
_NEGATION_EN = re.compile(
    r"\b(?:not|no|never|cannot|without|neither|nor|unable|non|none)\b|n['’]t\b|\bun(?:able|supported|available)\b",
    re.IGNORECASE,
)
_NEGATION_ZH = re.compile(
    r"不(?!仅|但|同|断|过|管|论|超过|少于|低于|大于|小于|足)|未|没有|没|无法|无需|无须|禁止|禁用|严禁|勿|拒绝|而非|并非"
)
_ALWAYS_NEGATIVE = re.compile(r"不超过|不少于|不低于|不大于|不小于")

_TAG_WEIGHTS = {"n": 1.0, "v": 0.7, "a": 0.7, "t": 1.0, "b": 0.8, "m": 0.6, "q": 0.3, "r": 0.5, "f": 0.5}


@dataclass(frozen=True, slots=True)
class Number:
    """A value and, where one follows, its unit."""

    value: str
    unit: str

    def matches(self, other: "Number") -> bool:
        return self.value == other.value and (
            self.unit == other.unit
            or not self.unit
            or not other.unit
            or {self.unit, other.unit} <= {"个", ""}
        )


@dataclass(slots=True)
class Words:
    """`content` maps a word to its weight (0–1); `names` are among them."""

    numbers: list[Number] = field(default_factory=list[Number])
    codes: set[str] = field(default_factory=set[str])
    names: set[str] = field(default_factory=set[str])
    content: dict[str, float] = field(default_factory=dict[str, float])
    all: set[str] = field(default_factory=set[str])
    negations: int = 0

    def add(self, word: str, weight: float) -> None:
        self.all.add(word)
        if weight > 0:
            self.content[word] = max(weight, self.content.get(word, 0.0))


@lru_cache(maxsize=4_096)
def analyse(text: str) -> Words:
    """The words of `text`. Cached: sources are compared with every sentence; do not change the result."""
    words = Words()
    text = MARK.sub("", text)
    words.negations = len(_NEGATION_EN.findall(text)) + len(_NEGATION_ZH.findall(text))
    text = _take_codes(text, words)
    text = _take_numbers(text, words)
    for run in _HAN.findall(text):
        for word, tag in rjieba.tag(run):
            _add_han(words, word, tag)
    _add_latin(words, text)
    return words


def _take_codes(text: str, words: Words) -> str:
    def take(found: re.Match[str]) -> str:
        code = found[0].rstrip("./-_")
        if not is_code(code):
            return found[0]
        words.codes.add(squeeze(code))
        words.all.add(squeeze(code))
        return " " + found[0][len(code) :]

    return _CODE.sub(take, text)


def is_code(word: str) -> bool:
    """Whether a word is an identifier: digits with letters, an underscore, inner or only capitals."""
    letters = [char for char in word if char.isalpha()]
    if word.startswith("#"):
        return True
    if not letters or not word.isascii():
        return False
    has_digit = any(char.isdigit() for char in word)
    capitals = sum(char.isupper() for char in letters)
    inner = any(char.isupper() for char in word[1:]) and not all(
        part[:1].isupper() and part[1:].islower() for part in re.split(r"[-./]", word) if part
    )
    return has_digit or "_" in word or (capitals == len(letters) and len(letters) > 1) or inner


def squeeze(code: str) -> str:
    return re.sub(r"[-_\s]", "", code.casefold())


def _take_numbers(text: str, words: Words) -> str:
    def digits(found: re.Match[str]) -> str:
        value = found["digits"]
        if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", value):
            value = value.replace(",", "")
        value += (found["scale"] or "").strip()
        words.numbers.append(Number(value, _unit(found["unit"])))
        return " "

    def han(found: re.Match[str]) -> str:
        value = _han_value(found["han"])
        if value is None or (
            found[0] in ("一个", "一种", "一些", "一点", "一次", "一等") and found[0] != "一等"
        ):
            return found[0]
        words.numbers.append(Number(str(value), _unit(found["unit"])))
        return " "

    def spelled(found: re.Match[str]) -> str:
        words.numbers.append(Number(_WORD_NUMBERS[found["word"].casefold()], _unit(found["unit"])))
        return " "

    text = _NUMBER.sub(digits, text)
    words.codes |= {squeeze(code) for code in _DIGITS_FIRST.findall(text)}
    text = _HAN_NUMBER.sub(han, text)
    return _WORD_NUMBER.sub(spelled, text)


def _unit(unit: str | None) -> str:
    return _UNITS.get(unit.casefold(), unit) if unit else ""


def _han_value(text: str) -> int | None:
    total, section, digit = 0, 0, 0
    for char in text:
        if char in "一二两三四五六七八九":
            digit = "零一二三四五六七八九".find(char) if char != "两" else 2
        else:
            scale = {"十": 10, "百": 100, "千": 1_000, "万": 10_000}[char]
            if scale == 10_000:
                total, section, digit = (section + digit) * scale, 0, 0
            else:
                section, digit = section + (digit or 1) * scale, 0
    value = total + section + digit
    return value or None


def _add_han(words: Words, word: str, tag: str) -> None:
    if word in LIGHT_ZH:
        words.add(word, 0.0)
        return
    weight = _TAG_WEIGHTS.get(tag[0], 0.4 if tag[0] in "izljs" else 0.0)
    if tag[:2] in ("nr", "ns", "nt", "nz") and len(word) > 1:
        words.names.add(word)
    if len(word) == 1:
        weight *= 0.5
    words.add(word, weight)


def _add_latin(words: Words, text: str) -> None:
    for found in _WORD.finditer(text):
        word = re.sub(r"['’]s$", "", found[0])
        key = stem(word)
        if key in STOP_EN or (len(key) < 2):
            words.add(key, 0.0)
            continue
        starts = not re.search(r"[\w\u3400-\u9fff]", text[: found.start()])
        if word[0].isupper() and word[1:].islower() and not starts:
            words.names.add(key)
            words.add(key, 1.0)
        else:
            words.add(key, 0.3 if key in LIGHT_EN else 1.0)
