"""HTML: the main content, its structure, its encoding."""

import pytest

from refdesk.knowledge.parsing import NoText, Parsed, parse

_LONG = "This is the text people come for, and it is long enough to be the content of the page. " * 4


def _read(body: str, head: str = "") -> Parsed:
    return parse(f"<!doctype html><html><head>{head}</head><body>{body}</body></html>".encode(), "a.html")


def test_navigation_is_left_out_and_counted() -> None:
    links = "".join(f"<li><a href='/{n}'>Section {n}</a></li>" for n in range(9))
    parsed = _read(
        f"<nav><ul>{links}</ul></nav><div class='sidebar'><ul>{links}</ul></div>"
        f"<h1>Title</h1><p>{_LONG}</p><footer>Imprint</footer>"
    )
    assert [b.kind for b in parsed.blocks] == ["heading", "paragraph"]
    assert parsed.meta["navigation_chars"] == len("".join(f"Section{n}" for n in range(9))) * 2 + len(
        "Imprint"
    )


def test_class_that_only_sounds_like_navigation_keeps_its_text() -> None:
    parsed = _read(f"<div class='footer-notes'><p>{_LONG}</p></div><p>other</p>")
    assert _LONG.strip() in parsed.text


def test_hidden_text_and_scripts_are_left_out() -> None:
    parsed = _read(
        "<p>shown</p><div style='display: none'>hidden</div><script>var x</script><p hidden>gone</p>"
    )
    assert parsed.text == "shown"


def test_spans_of_a_table_keep_text_once_and_in_place() -> None:
    parsed = _read(
        "<table><caption>Sales</caption><tr><th rowspan=2>Who</th><th colspan=2>2024</th></tr>"
        "<tr><th>Q1</th><th>Q2</th></tr><tr><td>A|B</td><td>1<br>2</td><td>3</td></tr></table>"
    )
    assert [(b.kind, b.text) for b in parsed.blocks] == [
        ("caption", "Sales"),
        (
            "table",
            "| Who | 2024 |  |\n| --- | --- | --- |\n|  | Q1 | Q2 |\n| A\\|B | 1<br>2 | 3 |",
        ),
    ]


def test_table_that_only_lays_out_a_page_is_read_as_text() -> None:
    parsed = _read(
        f"<table><tr><td><h2>Head</h2><p>{_LONG}</p></td><td><ul><li>x</li></ul></td></tr></table>"
    )
    assert [b.kind for b in parsed.blocks] == ["heading", "paragraph", "list_item"]


def test_lists_are_numbered_and_nested_and_code_keeps_its_lines() -> None:
    parsed = _read("<ol start=3><li>a<ul><li>b</li></ul></li><li>c</li></ol><pre>if x:\n    y</pre>")
    assert [(b.kind, b.level, b.text) for b in parsed.blocks] == [
        ("list_item", 0, "3. a"),
        ("list_item", 1, "- b"),
        ("list_item", 0, "4. c"),
        ("code", None, "if x:\n    y"),
    ]


def test_inline_elements_do_not_break_words_and_blocks_do() -> None:
    parsed = _read("<div>re<b>turn</b>s <i>only</i><div>inner</div>tail</div>")
    assert [b.text for b in parsed.blocks] == ["returns only", "inner", "tail"]


@pytest.mark.parametrize("encoding", ["gb2312", "big5", "shift_jis", "windows-1252"])
def test_declared_encoding_is_followed(encoding: str) -> None:
    words = {"gb2312": "退货政策", "big5": "退貨政策", "shift_jis": "返品のご案内", "windows-1252": "déjà vu"}
    page = f'<html><head><meta charset="{encoding}"></head><body><p>{words[encoding]}</p></body></html>'
    assert parse(page.encode(encoding), "a.html").text == words[encoding]


def test_page_deeper_than_the_stack_is_read() -> None:
    parsed = _read("<div>" * 3000 + "deep" + "</div>" * 3000)
    assert parsed.text == "deep"


def test_cell_deeper_than_the_stack_is_read() -> None:
    parsed = _read(
        f"<table><tr><th>k</th><th>v</th></tr><tr><td>a</td><td>{'<span>' * 3000}deep</td></tr></table>"
    )
    assert "| a | deep |" in parsed.text


def test_hard_spaces_count_as_spaces() -> None:
    assert _read("<p>from&nbsp;&nbsp;&nbsp;to</p>").text == "from to"


def test_page_built_by_a_script_is_reported() -> None:
    with pytest.raises(NoText) as caught:
        _read("<div id=root></div><script>render()</script>")
    assert "script" in str(caught.value.hint_text)
