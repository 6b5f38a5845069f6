"""A parser that loses a passage is seen: what should be there is counted by a reader of its own."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.unit.knowledge.parsing.samples import TEXTS, sample

from refdesk.knowledge.parsing import parse, parsers
from refdesk.knowledge.parsing.blocks import BlockList
from refdesk.knowledge.parsing.doc import parser as doc_parser
from refdesk.knowledge.parsing.docx.runs import RunReader
from refdesk.knowledge.parsing.html import _Walker as HtmlWalker
from refdesk.knowledge.parsing.odf.running import TextReader
from refdesk.knowledge.parsing.pptx import _Deck
from refdesk.knowledge.parsing.rtf.parser import _Machine
from refdesk.knowledge.parsing.sheets import delimited, xls
from refdesk.knowledge.parsing.sheets.xlsx import _Workbook

# Of pages and pictures only the reader itself knows what they hold.
KINDS = [parser.kind for parser in parsers() if parser.kind not in ("pdf", "image")]
LOST = TEXTS[2]


@pytest.mark.parametrize("kind", KINDS)
def test_passage_that_never_becomes_a_block_is_missed(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    add = BlockList.add

    def forgetful(self: BlockList, block: Any, text: str, **rest: Any) -> None:
        add(self, block, text.replace(LOST, ""), **rest)

    monkeypatch.setattr(BlockList, "add", forgetful)
    made = sample(kind)
    parsed = parse(made.data, made.name)
    assert LOST not in parsed.text
    assert parsed.extracted_chars - parsed.kept_chars == len(LOST.replace(" ", ""))


def _emptied(read: Callable[..., Any]) -> Callable[..., Any]:
    """A method that reads a paragraph, and forgets the lost one."""

    def forgetful(*args: Any, **rest: Any) -> Any:
        found = read(*args, **rest)
        if isinstance(found, str):
            return found.replace(LOST, "")
        if isinstance(found, tuple):
            return (found[0].replace(LOST, ""), *found[1:])
        found.text = found.text.replace(LOST, "")
        return found

    return forgetful


def _deaf(write: Callable[..., Any]) -> Callable[..., Any]:
    """A method that takes a text, and does not hear the lost one."""

    def forgetful(self: Any, *args: Any) -> Any:
        return write(self, *(arg.replace(LOST, "") if isinstance(arg, str) else arg for arg in args))

    return forgetful


def _without_record(read: Callable[..., Any]) -> Callable[..., Any]:
    def forgetful(*args: Any, **rest: Any) -> Any:
        return ([cell.replace(LOST, "") for cell in record] for record in read(*args, **rest))

    return forgetful


def _flush_nothing(flush: Callable[..., Any]) -> Callable[..., Any]:
    def forgetful(self: Any) -> None:
        self.inline = [text.replace(LOST, "") for text in self.inline]
        flush(self)

    return forgetful


@pytest.mark.parametrize(
    ("kind", "owner", "method", "sabotage"),
    [
        ("docx", RunReader, "read", _emptied),
        ("doc", doc_parser._Walker, "_inline", _emptied),
        ("odt", TextReader, "inline", _emptied),
        ("odp", TextReader, "inline", _emptied),
        ("ods", TextReader, "inline", _emptied),
        ("rtf", _Machine, "_emit", _deaf),
        ("pptx", _Deck, "_text", _emptied),
        ("xlsx", _Workbook, "_cell", _emptied),
        ("xls", xls, "shown_value", _emptied),
        ("csv", delimited, "_records", _without_record),
        ("html", HtmlWalker, "_flush_text", _flush_nothing),
        ("epub", HtmlWalker, "_flush_text", _flush_nothing),
    ],
)
def test_passage_that_is_lost_while_reading_is_missed(
    kind: str, owner: Any, method: str, sabotage: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = sample(kind)
    assert parse(made.data, made.name).coverage == 1.0
    monkeypatch.setattr(owner, method, sabotage(getattr(owner, method)))
    parsed = parse(made.data, made.name)
    assert LOST not in parsed.text
    assert parsed.coverage < 1.0
