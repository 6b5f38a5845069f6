"""What the filter cleans in prose it leaves alone in code, where white space and lines mean something."""

import pytest
from tests.unit.knowledge.splitting.made import parsed_of

from refdesk.knowledge.parsing import parse
from refdesk.knowledge.splitting import SplitSettings, split

CODE = "name    = 1   # aligned\nother   = 22  # with it\n\n\n\n====\n====  \nend"


def test_code_keeps_its_spaces_blank_lines_and_separators() -> None:
    (paragraph,) = (result := split(parsed_of(("code", CODE)))).paragraphs
    assert paragraph.content == f"```\n{CODE}\n```"
    assert result.removed_chars == 0


def test_prose_around_code_is_still_cleaned() -> None:
    (paragraph,) = (
        result := split(
            parsed_of(("paragraph", "a   b  "), ("code", "x   =   1"), ("paragraph", "c\u200b    d\n\n\n\ne"))
        )
    ).paragraphs
    assert paragraph.content == "a b\n\n```\nx   =   1\n```\n\nc d\n\ne"
    assert result.removed_chars == 1


def test_invisible_characters_go_from_code_as_well_and_are_counted() -> None:
    (paragraph,) = (result := split(parsed_of(("code", "x\u200b  =\x07  1")))).paragraphs
    assert paragraph.content == "```\nx  =  1\n```"
    assert result.removed_chars == 2


def test_code_that_is_cut_keeps_its_spaces_in_every_paragraph() -> None:
    code = "\n".join(f"    value_{i:02d}   =   {i}" for i in range(30))
    paragraphs = split(parsed_of(("code", code)), SplitSettings(limit=200)).paragraphs
    assert len(paragraphs) > 3
    shown = [line for p in paragraphs for line in p.content.split("\n") if "value" in line]
    assert shown == code.split("\n")


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.md", b"# T\n\n```python\nx    = 1\n  y  = 2\n```\n"),
        ("a.html", b"<main><h1>T</h1><pre>x    = 1\n  y  = 2</pre><p>more words here</p></main>"),
        (
            "a.ipynb",
            b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "code",'
            b' "metadata": {}, "source": ["x    = 1\\n", "  y  = 2"], "outputs": [], "execution_count": 1}]}',
        ),
    ],
)
def test_files_with_code_keep_its_spaces_in_the_paragraph(name: str, data: bytes) -> None:
    contents = "\n".join(p.content for p in split(parse(data, name)).paragraphs)
    assert "x    = 1\n  y  = 2" in contents
