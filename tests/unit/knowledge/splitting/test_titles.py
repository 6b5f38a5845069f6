"""Titles without their numbering."""

import pytest

from refdesk.knowledge.splitting import clean_title


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("第三章 退货", "退货"),
        ("第十二节：运费", "运费"),
        ("一、总则", "总则"),
        ("（二）范围", "范围"),
        ("1.2 Setup", "Setup"),
        ("1.2.3. Deep", "Deep"),
        ("3.1店铺类型", "店铺类型"),
        ("4) Steps", "Steps"),
        ("1 安装", "安装"),
        ("Chapter 4: Results", "Results"),
        ("**Bold** [link](http://a.example)", "Bold link"),
        ("2024 report", "2024 report"),
        ("3.5 million users", "million users"),
        ("第一章", "第一章"),
        ("一般规定", "一般规定"),
        ("I think", "I think"),
        ("\u200bZero width", "Zero width"),
    ],
)
def test_numbering_goes_and_words_stay(heading: str, title: str) -> None:
    assert clean_title(heading) == title
