"""What is said of an answer: its words, not its marks."""

import pytest

from refdesk.chat.speech import spoken


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("Hold the button for 10 seconds [1][2].", "Hold the button for 10 seconds."),
        ("退货期限为七天[1]。", "退货期限为七天。"),
        ("## Reset\n\n- Press **reset**\n- Wait `10 s`", "Reset\nPress reset\nWait 10 s"),
        ("See [the manual](http://a.example/x) first.", "See the manual first."),
        ("| A | B |\n|---|---|\n| 1 | 2 |", "A B\n1 2"),
        ("```python\nprint(1)\n```", "print(1)"),
        ("2 * 3 = 6 and snake_case stays", "2 * 3 = 6 and snake_case stays"),
        ("*soft* and _quiet_ words", "soft and quiet words"),
        ("> quoted", "quoted"),
        ("[1]", ""),
        ("", ""),
    ],
)
def test_marks_of_layout_and_citations_are_not_said(answer: str, said: str) -> None:
    assert spoken(answer) == said
