"""Jupyter notebooks: text cells as Markdown, code cells as code, and what they printed."""

import json
import re
from typing import Any, cast

from refdesk.knowledge.parsing.binary import looks_binary
from refdesk.knowledge.parsing.blocks import BlockList, Parsed, ParseOptions
from refdesk.knowledge.parsing.coverage import finish
from refdesk.knowledge.parsing.encoding import decode
from refdesk.knowledge.parsing.errors import CorruptFile, EmptyFile
from refdesk.knowledge.parsing.html import html_blocks, html_text
from refdesk.knowledge.parsing.markdown import markdown_blocks, without_marks

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Notebook:
    """Notebooks of Jupyter, formats 3 and 4, by name."""

    kind = "notebook"
    suffixes = (".ipynb",)

    def supports(self, name: str, head: bytes) -> bool:
        """JSON whose name says so."""
        return name.lower().endswith(self.suffixes) and not looks_binary(head)

    def parse(self, data: bytes, name: str, options: ParseOptions) -> Parsed:
        """Cells in order; pictures among the outputs are counted, not read."""
        try:
            value = json.loads(decode(data).text)
        except ValueError as error:
            raise CorruptFile(reason=str(error)) from error
        book = _mapping(value)
        cells = [_mapping(cell) for cell in _sequence(book.get("cells"))]
        for sheet in _sequence(book.get("worksheets")):
            cells.extend(_mapping(cell) for cell in _sequence(_mapping(sheet).get("cells")))
        if not cells and "nbformat" not in book:
            raise CorruptFile("The file is no notebook.")
        found = BlockList()
        sources: list[str] = []
        pictures = sum(_write_cell(cell, found, sources) for cell in cells)
        if not found.blocks:
            raise EmptyFile("The notebook holds no text.")
        about = _mapping(book.get("metadata"))
        meta = {
            "title": about.get("title") if isinstance(about.get("title"), str) else None,
            "code_language": _mapping(about.get("kernelspec")).get("language"),
            "cells": len(cells),
            "pictures": pictures or None,
        }
        return finish(name, self.kind, found, meta, sources, unmarked=without_marks)


def _mapping(value: object) -> dict[str, Any]:
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}


def _sequence(value: object) -> list[Any]:
    return cast(list[Any], value) if isinstance(value, list) else []


def _text(value: object) -> str:
    """Text that the format allows to be a string or a list of lines."""
    return value if isinstance(value, str) else "".join(t for t in _sequence(value) if isinstance(t, str))


def _write_cell(cell: dict[str, Any], found: BlockList, sources: list[str]) -> int:
    """Add a cell; returns how many pictures its outputs hold."""
    kind = cell.get("cell_type")
    text = _text(cell.get("source", cell.get("input")))
    if kind == "markdown":
        sources.extend(markdown_blocks(text, found))
        return 0
    sources.extend(text.split("\n"))
    if kind == "heading":
        level = cell.get("level")
        found.add("heading", text, level=min(level, 6) if isinstance(level, int) and level > 0 else 1)
        return 0
    found.add("code" if kind == "code" else "paragraph", text)
    return sum(_write_output(_mapping(output), found, sources) for output in _sequence(cell.get("outputs")))


def _write_output(output: dict[str, Any], found: BlockList, sources: list[str]) -> int:
    data = _mapping(output.get("data")) or output
    page = _text(data.get("text/html", data.get("html")))
    plain = _text(output.get("text")) or _text(data.get("text/plain"))
    trace = "\n".join(line for line in _sequence(output.get("traceback")) if isinstance(line, str))
    if "<table" in page:
        html_blocks(page, found)
        sources.extend(html_text(page).split("\n"))
    elif plain or trace:
        shown = _ANSI.sub("", plain or trace)
        found.add("code", shown)
        sources.extend(shown.split("\n"))
    return int(any(key.startswith("image/") or key in ("png", "jpeg", "svg") for key in data))
