"""What may be the name of a thing, and what is a value."""

import re

import rjieba

from refdesk.knowledge.graph.extraction.words import WORDS
from refdesk.knowledge.indexing import identifiers

MAX_HAN_CHARS = 24
MAX_CHARS = 60
MAX_WORDS = 7

_HAN = re.compile(r"[\u3400-\u9fff]")
_MARKS = re.compile(r"(\*\*|__|`|~~)")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_QUOTES = "\"'“”‘’「」『』《》〈〉【】 \t*`"
_LABEL = r"第[一二三四五六七八九十百\d]+[章节条篇]|[一二三四五六七八九十]+、"
_NUMBERING = re.compile(rf"^(?:{_LABEL}|\d+(?:\.\d+)*[.、)）]?)\s+")
_NUMBERING_HAN = re.compile(rf"^(?:{_LABEL}|\d+(?:\.\d+)+)\s*")

# Words that stand for something named elsewhere, or for nobody in particular.
_PRONOUNS = WORDS["pronouns"]
_WORDS_OF_NONE = WORDS["words-of-none"]
_HAN_ARTICLE = re.compile(r"^(?:该|本|此|所述)\s*")
_LATIN_ARTICLE = re.compile(r"^(?:the|a|an|its|their|our)\s+", re.IGNORECASE)

NOTES = WORDS["notes"]
GENERIC_TITLES = WORDS["generic-titles"]

_UNIT = (
    r"(?:%|‰|°\s?[CF]?|℃|℉|Ω|µ?[A-Za-z]{1,6}(?:/[A-Za-z]{1,4})?(?:²|³|\^?[23])?"
    r"|[年月日天周时分秒个台套路位次米克吨元倍条核兆千]+\w?)"
)
_NUMBER = r"[-+−±≤≥<>~≈约]?\s?\d[\d.,]*(?:\s?[kKmMgGtT](?![a-z]))?"
_QUANTITY = re.compile(
    rf"^(?:[A-Za-z]{{2,4}}\s)?{_NUMBER}\s?{_UNIT}?(?:\s?(?:[-–—~～至到/x×*:：]|to|and)\s?{_NUMBER}\s?{_UNIT}?)*"
    rf"(?:\s?[(（][^()（）]{{1,30}}[)）])?$",
)
_HAN_QUANTITY = re.compile(r"^[一二三四五六七八九十百千万两半几]+\s?[年个月天周日小时分钟秒台套位次倍米元]+$")
_ADDRESS = re.compile(r"^(?:\d{1,3}\.){3}\d{1,3}(?:[:/]\d+)?$|^[0-9a-fA-F:]{11,39}$|^https?://\S+$")
_FLAG = WORDS["flags"]
_VERSION = re.compile(r"^[vV]?\d+(?:\.\d+){1,4}[\w.+-]*$|^[vV]\d+$")
_RATING = re.compile(r"^IP[X\d]\d[A-Z]?$", re.IGNORECASE)


def plain(raw: str) -> str:
    """Text without Markdown's marks; links are their words."""
    return _MARKS.sub("", _LINK.sub(r"\1", raw))


def is_value(text: str) -> bool:
    """Whether a text is a quantity, a version, an address, or yes or no, rather than the name of a thing."""
    found = text.strip().rstrip("。.;；")
    if found.casefold() in _FLAG:
        return True
    checks = (_QUANTITY, _HAN_QUANTITY, _ADDRESS, _VERSION, _RATING)
    return len(found) <= MAX_CHARS and any(check.match(found) for check in checks)


def is_code(text: str) -> bool:
    """Whether a name is a code such as `ERR-1042` as a whole."""
    return " " not in text and bool(identifiers(text)) and not _HAN.search(text)


def name_of(raw: str) -> str | None:
    """The name in `raw`, or None if it is none: a pronoun, a sentence, too long, a mere word."""
    found = plain(raw).strip(_QUOTES)
    found = _LATIN_ARTICLE.sub("", found)
    found = _HAN_ARTICLE.sub("", found).strip(_QUOTES + "，。；：、,;:.!?！？")
    if not found or not any(character.isalnum() for character in found):
        return None
    folded = found.casefold()
    if folded in _PRONOUNS or folded in _WORDS_OF_NONE or len(found) > MAX_CHARS:
        return None
    if _HAN.search(found):
        return found if _is_han_name(found) else None
    words = folded.split()
    if len(words) > MAX_WORDS or any(word in _WORDS_OF_NONE for word in words):
        return None
    return found if len(found) > 1 else None


def subject_of(titles: list[str], document_name: str) -> str | None:
    """What a paragraph of parameters is about: the nearest title above it that names a thing.

    Without titles it is the document's name.
    """
    for title in reversed(titles):
        bare = _NUMBERING_HAN.sub("", _NUMBERING.sub("", plain(title).strip())).strip()
        if bare.casefold() in GENERIC_TITLES:
            continue
        name = name_of(bare)
        if name is not None:
            return name
    if any(title.strip() for title in titles):
        return None
    return name_of(document_name.rsplit(".", 1)[0])


def _is_han_name(text: str) -> bool:
    if len(_HAN.findall(text)) > MAX_HAN_CHARS or any(mark in text for mark in "，。；？！?!,;|"):
        return False
    tags = [(word, tag) for word, tag in rjieba.tag(text) if word.strip()]
    if not tags or any(word in _PRONOUNS or tag == "r" for word, tag in tags):
        return False
    if len(text) == 1:
        return False
    # A name ends in a noun, a word of another script or a number, and is not told in a verb's words.
    last, tag = tags[-1]
    if tag[0] in "dpcuyer" and _HAN.search(last) is not None and len(last) == 1:
        return False
    verbs = [word for word, tag in tags if tag in ("v", "vd", "p", "d") and word not in _VERBS_IN_NAMES]
    return len(verbs) <= 1 and tags[0][1] not in ("p", "c", "y")


_VERBS_IN_NAMES = WORDS["verbs-in-names"]
