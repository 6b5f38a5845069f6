"""A tool's answer for people."""

from refdesk.chat.rendering import MOST_CHARS, rendered
from refdesk.tools import ToolResult

ROWS = [{"number": "TH-3071", "state": "refunded"}, {"number": "TH-3080"}]
TABLE = "| number | state |\n| --- | --- |\n| TH-3071 | refunded |\n| TH-3080 |  |"


def test_words_of_the_tools_own_stand_before_its_data() -> None:
    assert rendered(ToolResult("退货 TH-3071 已退款。", {"entries": ROWS}), "en") == "退货 TH-3071 已退款。"


def test_records_become_a_table_where_there_are_no_words() -> None:
    assert rendered(ToolResult("", ROWS), "en") == TABLE
    assert (
        rendered(ToolResult('[{"number": "TH-3071", "state": "refunded"}, {"number": "TH-3080"}]'), "en")
        == TABLE
    )
    assert rendered(ToolResult('{"entries": [{"a": 1}]}', {"entries": ROWS}), "en") == TABLE


def test_a_record_becomes_a_list() -> None:
    assert (
        rendered(ToolResult('{"state": "on its way", "days": 2}'), "en") == "- state: on its way\n- days: 2"
    )


def test_a_long_table_says_in_either_language_how_much_it_leaves_out() -> None:
    rows = [{"n": n} for n in range(120)]
    shown = rendered(ToolResult("", rows), "zh")
    assert shown.startswith("| n |\n| --- |\n| 0 |")
    assert shown.endswith("| 29 |\n\n仅列出前 30 行，共 120 行。")
    wide = [{f"c{n}": n for n in range(11)}]
    assert rendered(ToolResult("", wide), "en").endswith("| 7 |\n\nThe first 8 of 11 columns.")


def test_a_table_is_cut_between_rows() -> None:
    rows = [{"number": n, "note": "x" * 190} for n in range(30)]
    shown = rendered(ToolResult("", rows), "en")
    assert len(shown) < MOST_CHARS
    table, words = shown.split("\n\n")
    count = len(table.splitlines()) - 2
    assert 10 < count < 30
    assert all(line.endswith(" |") for line in table.splitlines())
    assert words == f"The first {count} of 30 rows."


def test_a_pipe_in_a_key_does_not_break_the_table() -> None:
    assert rendered(ToolResult("", [{"a|b": 1}]), "en").splitlines()[0] == "| a\\|b |"
