"""The places of a question's words in a hit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refdesk.retrieval.highlighting import places_of, words_to_mark


def marked(query: str, content: str) -> list[str]:
    return [content[start:end] for start, end in places_of(words_to_mark(query), content)]


@pytest.mark.parametrize(
    ("query", "content", "expected"),
    [
        ("差旅费报销需要什么发票", "报销差旅费需要在三十天内提交发票。", ["报销差旅费", "发票"]),
        ("報銷發票", "报销时交发票", ["报销", "发票"]),
        ("报销", "請先報銷", ["報銷"]),
        (
            "limits of uploads",
            "Uploading is limited. An upload limit.",
            ["Uploading", "limited", "upload", "limit"],
        ),
        ("err 1042", "面板显示ERR-1042，请检查", ["ERR-1042"]),
        ("ERR-1042", "屏幕出现ＥＲＲ－１０４２了", ["ＥＲＲ－１０４２"]),
        ("请问怎么办", "请问怎么办", []),
        ("……?", "……?", []),
    ],
)
def test_words_are_marked_in_any_form_and_spelling(query: str, content: str, expected: list[str]) -> None:
    assert marked(query, content) == expected


@given(st.text(max_size=80), st.text(max_size=200))
def test_places_lie_within_the_text_in_order_and_apart(query: str, content: str) -> None:
    last = -1
    for start, end in places_of(words_to_mark(query), content):
        assert last < start < end <= len(content)
        last = end
