"""A tool's answer for people."""

from refdesk.chat.rendering import rendered
from refdesk.tools import ToolResult

ROWS = [{"number": "TH-3071", "state": "refunded"}, {"number": "TH-3080"}]
TABLE = "| number | state |\n| --- | --- |\n| TH-3071 | refunded |\n| TH-3080 |  |"


def test_words_of_the_tools_own_stand_before_its_data() -> None:
    assert rendered(ToolResult("退货 TH-3071 已退款。", {"entries": ROWS})) == "退货 TH-3071 已退款。"


def test_records_become_a_table_where_there_are_no_words() -> None:
    assert rendered(ToolResult("", ROWS)) == TABLE
    assert (
        rendered(ToolResult('[{"number": "TH-3071", "state": "refunded"}, {"number": "TH-3080"}]')) == TABLE
    )
    assert rendered(ToolResult('{"entries": [{"a": 1}]}', {"entries": ROWS})) == TABLE


def test_a_record_becomes_a_list() -> None:
    assert rendered(ToolResult('{"state": "on its way", "days": 2}')) == "- state: on its way\n- days: 2"
