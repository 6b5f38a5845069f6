"""Relations in lines of their own: `label: value`, and definition lists."""

import re
from collections.abc import Iterator

from refdesk.knowledge.graph.extraction.facts import MAX_LABEL_CHARS, Fact
from refdesk.knowledge.graph.extraction.names import NOTES, is_code, is_value, name_of, plain

MAX_HAN_LABEL = 12
MAX_LABEL_WORDS = 5
MAX_VALUE_CHARS = 60
MAX_MEANING_CHARS = 120

_LINE = re.compile(
    r"^[ \t]*(?:[-*+•·]|\d{1,2}[.、)）])?[ \t]*(?P<label>[^:：|\n]{1,60}?)\**[ \t]*[:：]\**[ \t]*"
    r"(?P<value>[^\n]{1,200})$",
    re.MULTILINE,
)
_DEFINITION = re.compile(r"^(?P<term>[^\n:|]{2,60})\n[ \t]*:[ \t]+(?P<text>[^\n]{3,200})$", re.MULTILINE)
_SENTENCE = re.compile(r"[。；;!?！？]|\.\s|，.*，")
_CLAUSE = re.compile(r"[，,]")


def facts_of_lines(text: str, subject: str | None) -> Iterator[Fact]:
    """All relations in the lines of a text; `subject` is what labels without a name of their own are of."""
    for match in _DEFINITION.finditer(text):
        term = name_of(match["term"])
        if term is not None:
            yield _meaning(term, match["text"], match.start(), match.end())
    for match in _LINE.finditer(text):
        yield from _of_line(match, subject)


def spans_of_lines(text: str) -> list[tuple[int, int]]:
    """Where such lines stand: what is before their colon begins no sentence."""
    return [(match.start(), match.start("value")) for match in _LINE.finditer(text)]


def _of_line(match: re.Match[str], subject: str | None) -> Iterator[Fact]:
    label = plain(match["label"]).strip(" \t*_-•·>")
    value = plain(match["value"]).strip(" \t*_")
    if label.casefold() in NOTES or not value or match["value"].startswith("//"):
        return
    if is_code(label):
        yield _meaning(label, value, match.start(), match.end())
        return
    if subject is None or not _is_label(label):
        return
    value = value.rstrip("。.;；")
    if is_value(value) or (_is_short(value) and name_of(value) is not None):
        yield Fact(
            subject,
            "attribute",
            label[:MAX_LABEL_CHARS],
            value,
            match.start(),
            match.end(),
            target_is_value=is_value(value),
        )


def _meaning(term: str, text: str, start: int, end: int) -> Fact:
    meaning = plain(text).strip()
    first = re.split(r"[。；;]|\.\s", meaning, maxsplit=1)[0].strip().rstrip(".")
    return Fact(term, "means", "", first[:MAX_MEANING_CHARS], start, end, target_is_value=True)


def _is_label(label: str) -> bool:
    name = name_of(label)
    if name is None or any(mark in label for mark in "，。；,;?？"):
        return False
    if re.search(r"[\u3400-\u9fff]", label):
        return len(label) <= MAX_HAN_LABEL
    return len(label.split()) <= MAX_LABEL_WORDS


def _is_short(value: str) -> bool:
    return len(value) <= MAX_VALUE_CHARS and not _SENTENCE.search(value) and not _CLAUSE.search(value)
