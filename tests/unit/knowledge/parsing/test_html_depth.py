"""Pages nested without end are read in seconds, with all their text; others are left as they are."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from refdesk.knowledge.parsing import parse
from refdesk.knowledge.parsing.html_depth import MAX_DEPTH, flattened
from refdesk.knowledge.sources.pages import read_page

_DEEP = 100_000


def _depth(source: str) -> int:
    """Elements inside one another below the body."""
    body = LexborHTMLParser(source).body
    assert body is not None
    deepest, pending = 0, [(body, 0)]
    while pending:
        node, depth = pending.pop()
        deepest = max(deepest, depth)
        pending += [(child, depth + 1) for child in node.iter()]
    return deepest


@pytest.mark.parametrize(
    "tag", ["div", "span", "b", "blockquote", "table><tr><td", "ul><li", "x-y", "DIV\nclass=a"]
)
@pytest.mark.parametrize("is_closed", [True, False])
def test_a_page_nested_100_000_deep_is_read_in_seconds(tag: str, is_closed: bool) -> None:
    page = "<html><body><p>First.</p>" + f"<{tag}>w " * _DEEP
    if is_closed:
        page += "".join(f"</{name}>" for name in reversed(tag.split("\n")[0].split("><"))) * _DEEP
    page += "<p>Last.</p>"
    begin = time.process_time()
    parsed = parse(page.encode(), "a.html")
    assert time.process_time() - begin < 30
    assert parsed.text.count("w") == _DEEP
    assert parsed.text.split()[0] == "First."
    assert parsed.text.split()[-1] == "Last."
    assert "nested-too-deep" in [warning.code for warning in parsed.warnings]


def test_a_crawled_page_is_flattened_too() -> None:
    body = f"<html><body>{'<div>' * _DEEP}<a href='/next'>words</a></body></html>".encode()
    begin = time.process_time()
    page = read_page(body, "https://example.org/", {}, "utf-8", None)
    assert time.process_time() - begin < 30
    assert page.links == ("https://example.org/next",)


@pytest.mark.parametrize(
    "page",
    [
        "<div>" * 400 + "deep, but people manage" + "</div>" * 400,
        "<p>open paragraphs<br>and breaks" * 5_000,
        "<table>" + "<tr><td>1<td>2" * 5_000 + "</table>",
        "<ul>" + "<li>one <b>two</b> <i>three</i>" * 5_000 + "</ul>",
        "<div><img src=x><hr><a href=y>z</a></div>" * 5_000,
        "<!-- " + "<div>" * 5_000 + " -->text",
        "<script>" + "'<div>' + " * 5_000 + "</script>text",
    ],
)
def test_other_pages_are_left_as_they_are(page: str) -> None:
    assert flattened(page) == (page, 0)


@pytest.mark.parametrize(
    "page", ["<!--" * 20_000, "<" * 100_000, "<a" * 50_000, "<script>" * 20_000, "</b>" * 50_000]
)
def test_what_never_closes_is_passed_in_linear_time(page: str) -> None:
    begin = time.process_time()
    flattened(page)
    assert time.process_time() - begin < 5


_PARTS = st.sampled_from(
    ["<div>", "</div>", "<b>", "</b>", "<p>", "w ", "<ul><li>", "</ul>", "<br>", "<span x=1>"]
)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(_PARTS, st.integers(1, 400)), max_size=12))
def test_nothing_is_deeper_than_the_limit_and_no_word_is_lost(parts: list[tuple[str, int]]) -> None:
    page = "".join(part * times for part, times in parts)
    flat, removed = flattened(page)
    assert flat.count("w ") == page.count("w ")
    if removed:
        # Open paragraphs and list items stand between the elements that are counted.
        assert _depth(flat) <= 2 * MAX_DEPTH + 10
