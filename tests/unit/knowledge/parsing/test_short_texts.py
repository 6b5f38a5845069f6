"""Short texts in old encodings are read right, with a warning where another reading is nearly as good."""

import pytest
from tests.unit.knowledge.parsing.short_texts import SHORT_TEXTS

from refdesk.knowledge.parsing import parse
from refdesk.knowledge.parsing.binary import looks_binary
from refdesk.knowledge.parsing.encoding import decode


@pytest.mark.parametrize(("encoding", "text"), SHORT_TEXTS)
def test_a_short_text_is_read_as_it_was_written(encoding: str, text: str) -> None:
    data = text.encode(encoding)
    assert decode(data).text == text
    assert not looks_binary(data)


@pytest.mark.parametrize(("encoding", "text"), SHORT_TEXTS)
def test_a_longer_text_is_read_too(encoding: str, text: str) -> None:
    lines = "\n".join([text] * 40)
    assert decode(lines.encode(encoding)).text == lines


def test_the_choice_is_told_where_the_encoding_was_guessed() -> None:
    parsed = parse("错误".encode("gbk"), "a.txt")
    assert parsed.text == "错误"
    [warning] = parsed.warnings
    assert warning.code == "encoding-guessed"
    assert warning.details == {"encoding": "gb18030"}
    assert "gb18030" in warning.message


def test_a_table_of_three_rows_in_gbk_is_read() -> None:
    parsed = parse("编号,名称\n1,螺丝\n2,垫片\n".encode("gbk"), "a.csv")
    assert "螺丝" in parsed.text
    assert "垫片" in parsed.text
