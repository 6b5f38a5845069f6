"""Titles: plain words in one line, and nothing of the heading lost."""

import pytest

from refdesk.knowledge.splitting import clean_title, display_title


@pytest.mark.parametrize(
    "heading",
    [
        "第三章 退货",
        "第6章 平台不予受理的情形",
        "第十二节：运费",
        "一、总则",
        "（二）范围",
        "1.2 Setup",
        "3.1店铺类型",
        "4) Steps",
        "1 安装",
        "Chapter 4: Results",
        "2024 report",
        "3.5 million users",
        "第一章",
        "I think",
    ],
)
def test_the_number_of_a_heading_stays_in_its_title(heading: str) -> None:
    assert clean_title(heading) == heading


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("**Bold** [link](http://a.example)", "Bold link"),
        ("\u200bZero width", "Zero width"),
        ("第一章\n总则", "第一章 总则"),
        ("1.2\u3000`refdesk`  serve", "1.2 refdesk serve"),
    ],
)
def test_marks_go_and_words_stay(heading: str, title: str) -> None:
    assert clean_title(heading) == title


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("第三章 退货", "退货"),
        ("第6章 平台不予受理的情形", "平台不予受理的情形"),
        ("第十二节：运费", "运费"),
        ("一、总则", "总则"),
        ("（二）范围", "范围"),
        ("1.2 Setup", "Setup"),
        ("1.2.3. Deep", "Deep"),
        ("3.1店铺类型", "店铺类型"),
        ("4) Steps", "Steps"),
        ("1 安装", "安装"),
        ("Chapter 4: Results", "Results"),
        ("chapter 4: Results", "Results"),
        ("Appendix B – Forms", "Forms"),
        ("IV. Warranty", "Warranty"),
        ("2024 report", "2024 report"),
        ("3.5 million users", "3.5 million users"),
        ("第一章", "第一章"),
        ("1.2", "1.2"),
        ("一般规定", "一般规定"),
        ("I think", "I think"),
        ("Part of the whole", "Part of the whole"),
        ("Section overview", "Section overview"),
        ("", ""),
    ],
)
def test_the_title_for_display_goes_without_its_number(title: str, shown: str) -> None:
    assert display_title(title) == shown
