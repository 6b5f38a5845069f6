"""Markdown: what is a heading and what only looks like one."""

import pytest

from refdesk.knowledge.parsing import EmptyFile, Parsed, parse


def _read(text: str) -> Parsed:
    return parse(text.encode(), "a.md")


def _headings(text: str) -> list[tuple[int | None, str]]:
    return [(b.level, b.text) for b in _read(text).blocks if b.kind == "heading"]


def test_atx_and_setext_headings() -> None:
    text = "# One #\n\nTwo\n===\n\nThree\nlines\n---\n\n###### Six {#anchor}\n\n####### seven\n\n#no space\n"
    assert _headings(text) == [(1, "One"), (1, "Two"), (2, "Three lines"), (6, "Six")]


@pytest.mark.parametrize(
    "code",
    [
        "```sh\n# comment\n```",
        "~~~\n# comment\n~~~",
        "````\n```\n# comment\n```\n````",
        "    # indented code",
        '!!! note ""\n    ```\n    # comment\n    ```',
        "- item\n\n  ```\n  # comment\n  ```",
        "```\n# never closed\n\n# at all",
    ],
)
def test_code_never_yields_headings(code: str) -> None:
    assert _headings(f"# Title\n\ntext\n\n{code}\n") == [(1, "Title")]


def test_code_keeps_its_text_without_the_fence() -> None:
    block = _read("# T\n\n  ```py\n  def f():\n      return 1\n  ```\n").blocks[1]
    assert (block.kind, block.text) == ("code", "def f():\n    return 1")


def test_front_matter_goes_to_meta_and_is_no_heading() -> None:
    parsed = _read('---\ntitle: "Rules"\ntags: [a, b]\nauthors:\n- Ann\n- Bob\n---\n\n# Body\n\ntext\n')
    assert parsed.meta["title"] == "Rules"
    assert parsed.meta["tags"] == ["a", "b"]
    assert parsed.meta["authors"] == ["Ann", "Bob"]
    assert [b.kind for b in parsed.blocks] == ["front_matter", "heading", "paragraph"]


def test_rule_at_the_top_is_no_front_matter() -> None:
    assert [b.text for b in _read("---\n\nJust text\n\n---\n\nmore\n").blocks] == ["Just text", "more"]


def test_table_is_one_block_and_a_pipe_alone_is_not() -> None:
    parsed = _read("a | b\n--- | ---\n1 | 2\n3 | 4\n\nx | y\n\nafter\n")
    assert [(b.kind, b.text.count("\n")) for b in parsed.blocks] == [
        ("table", 3),
        ("paragraph", 0),
        ("paragraph", 0),
    ]


def test_nested_lists_keep_marker_and_depth() -> None:
    parsed = _read("- a\n  - b\n\t- c\n1. d\n   more\n")
    assert [(b.level, b.text) for b in parsed.blocks] == [
        (0, "- a"),
        (1, "- b"),
        (2, "- c"),
        (0, "1. d\nmore"),
    ]


def test_soft_breaks_inside_chinese_text_are_joined_and_hard_breaks_stay() -> None:
    assert [b.text for b in _read("云仓\n速配\n\nline one\nline two\n\n第一行  \n第二行\n").blocks] == [
        "云仓速配",
        "line one\nline two",
        "第一行\n第二行",
    ]


def test_comments_are_dropped_outside_code_only() -> None:
    parsed = _read("a <!-- hidden --> b\n\n```html\n<!-- shown -->\n```\n")
    assert "hidden" not in parsed.text
    assert "<!-- shown -->" in parsed.text


def test_html_inside_markdown_is_read_as_html() -> None:
    parsed = _read(
        "<table><tr><th>k</th><th>v</th></tr><tr><td>1</td><td>2</td></tr></table>\n\n<p>Hello</p>\n"
    )
    assert [(b.kind, b.text) for b in parsed.blocks] == [
        ("table", "| k | v |\n| --- | --- |\n| 1 | 2 |"),
        ("paragraph", "Hello"),
    ]


def test_file_of_white_space_is_empty() -> None:
    with pytest.raises(EmptyFile):
        _read(" \n\n ")
