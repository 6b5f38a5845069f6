"""Compares what a file gave with what it must give. All comparisons are without white space."""

import re
from difflib import SequenceMatcher

from refdesk.evaluation.parsing.expectations import Expectation
from refdesk.kit.errors import AppError
from refdesk.knowledge.parsing import Parsed
from refdesk.knowledge.splitting import SplitResult

MIN_COVERAGE = 0.995
_SEARCHED_CHARS = 50_000
_SPACE = re.compile("[\\s\u200b\u00ad]+")
_UNREADABLE = re.compile("[\ufffd\ue000-\uf8ff]")
_EMPTY = ("empty-file", "no-text")
_PROTECTED = ("password-required", "password-wrong", "protection-unsupported")
# Ends that no file deserves: they say nothing about what is wrong with it.
_NOT_CLEAR = (
    "parse-crashed",
    "parse-timeout",
    "parse-memory",
    "split-crashed",
    "split-timeout",
    "split-memory",
    "internal",
)


def faults_of(row: Expectation, read: tuple[Parsed, SplitResult] | AppError, *, ocr: bool) -> list[str]:
    """What does not hold, in plain words; nothing where all does. `ocr`: whether pictures were read."""
    if isinstance(read, AppError):
        return _failure_faults(row, read, ocr=ocr)
    parsed, result = read
    if row.expect == "password":
        return ["a protected file was read without its password"]
    if row.expect == "empty":
        return [f"read as {len(parsed.blocks)} blocks instead of reported as empty"]
    faults = _splitting_faults(parsed, result)
    if row.expect == "error":
        return faults if parsed.warnings else [*faults, "a damaged file was read without a warning"]
    if row.expect == "warn" and not parsed.warnings and _UNREADABLE.search(parsed.text):
        faults.append("text that cannot be decoded passed without a warning")
    if row.expect in ("text", "ocr"):
        faults += _text_faults(row, parsed) + _heading_faults(row, result)
    else:
        faults += [f"must not be there: {text}" for text in row.must_not_contain if _has(parsed, text)]
    return faults


def _failure_faults(row: Expectation, error: AppError, *, ocr: bool) -> list[str]:
    said = f"{error.code}: {error.text}"
    if error.code in _NOT_CLEAR:
        return [said]
    faults = [] if error.hint_text else [f"no hint what to do ({said})"]
    accepted = {
        "password": error.code in _PROTECTED,
        "empty": error.code in _EMPTY,
        "ocr": error.code == "no-text" and not ocr,
        "error": True,
        "safe": True,
        "warn": True,
        "text": False,
    }
    return faults if accepted[row.expect] else [*faults, f"not read: {said}"]


def _text_faults(row: Expectation, parsed: Parsed) -> list[str]:
    text = _squeezed(parsed.text)
    faults = [
        f"missing: {wanted}{_nearest(_squeezed(wanted), text)}"
        for wanted in row.must_contain
        if _squeezed(wanted) not in text
    ]
    faults += [f"must not be there: {wanted}" for wanted in row.must_not_contain if _has(parsed, wanted)]
    at = 0
    for wanted in map(_squeezed, row.order):
        at = text.find(wanted, at)
        if at < 0:
            faults.append(f"out of order or missing: {wanted}")
            break
        at += len(wanted)
    headings = {(block.level, _squeezed(block.text)) for block in parsed.blocks if block.kind == "heading"}
    faults += [
        f"no heading of level {level}: {wanted}"
        for level, wanted in row.headings
        if (level, _squeezed(wanted)) not in headings
    ]
    lines = [_squeezed(line) for block in parsed.blocks for line in block.text.split("\n")]
    faults += [
        f"not on one row: {' | '.join(cells)}"
        for cells in row.cells
        if not any(all(_squeezed(cell) in line for cell in cells) for line in lines)
    ]
    if parsed.coverage < MIN_COVERAGE:
        faults.append(f"only {parsed.coverage:.2%} of the characters were kept")
    return faults


def _heading_faults(row: Expectation, result: SplitResult) -> list[str]:
    """A heading must be shown with its number: in a title, above one, or in the text of a paragraph."""
    shown = _squeezed("\n".join("\n".join((*p.title_chain, p.title, p.content)) for p in result.paragraphs))
    return [f"not shown whole: {wanted}" for _, wanted in row.headings if _squeezed(wanted) not in shown]


def _splitting_faults(parsed: Parsed, result: SplitResult) -> list[str]:
    """Every character must lie in a paragraph, and paragraphs stand in the order of the text."""
    faults: list[str] = []
    end = 0
    for paragraph in result.paragraphs:
        if parsed.text[end : paragraph.start].strip():
            faults.append(f"lost in splitting: {parsed.text[end : paragraph.start].strip()[:80]}")
        if paragraph.start < end:
            faults.append(f"paragraphs overlap at {paragraph.start}")
        end = max(end, paragraph.end)
    if parsed.text[end:].strip():
        faults.append(f"lost in splitting: {parsed.text[end:].strip()[:80]}")
    return faults[:5]


def _has(parsed: Parsed, wanted: str) -> bool:
    return _squeezed(wanted) in _squeezed(parsed.text)


def _squeezed(text: str) -> str:
    return _SPACE.sub("", text)


def _nearest(wanted: str, text: str) -> str:
    """Where most of a string was found, the place: what OCR misread is seen at once."""
    if len(text) > _SEARCHED_CHARS:
        return ""
    found = SequenceMatcher(None, text, wanted, autojunk=False).find_longest_match()
    if found.size < max(4, len(wanted) // 4):
        return ""
    begin = max(0, found.a - found.b)
    return f" (nearest: {text[begin : begin + len(wanted)]})"
