"""The tokenizer: codes whole and in parts, one spelling for many, the same for index and query."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refdesk.knowledge.indexing import Vocabulary, exact_codes, identifiers, tokenize
from refdesk.knowledge.indexing.folding import fold


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ERR-1042", {"err-1042", "err1042", "err", "1042"}),
        ("报错ERR-1042怎么办", {"err-1042", "报错", "怎么办"}),
        ("v2.3.1", {"v2.3.1", "2.3.1"}),
        ("CrashLoopBackOff", {"crashloopbackoff", "crash", "loop", "back", "off"}),
        ("max_upload_size", {"max_upload_size", "max", "upload", "size"}),
        ("GB 50378-2019", {"50378-2019", "50378", "2019", "gb"}),
        ("C++ and C#", {"c++", "c#", "and"}),
        ("1,234,567 users", {"1234567", "user"}),
        ("the company's uploads don't", {"compani", "upload", "don"}),
        ("café naïve", {"cafe", "naiv"}),
        ("中华人民共和国", {"中华", "人民", "共和国", "中华人民共和国"}),
        ("カタカナ", {"カタ", "タカ", "カナ"}),
        ("Привет, мир", {"привет", "мир"}),
        ("한국어 검색", {"한국어", "검색"}),
    ],
)
def test_words_and_codes_are_found_whole_and_in_parts(text: str, expected: set[str]) -> None:
    assert expected <= set(tokenize(text))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ＥＲＲ－１０４２ 怎么办", "ERR-1042 怎么办"),
        ("勞動合同續簽", "劳动合同续签"),
        ("Running uploads", "run upload"),
        ("ｶﾀｶﾅ", "カタカナ"),
        ("company’s", "company's"),
        ("ERR‑1042", "ERR-1042"),
        ("第6章讲什么", "第六章讲什么"),
        ("第 12 条", "第十二条"),
        ("第103条", "第一百零三条"),
        ("第210条第2款", "第二百一十条第二款"),
    ],
)
def test_spellings_of_the_same_are_the_same_tokens(one: str, other: str) -> None:
    assert tokenize(one) == tokenize(other)


def test_the_number_of_a_chapter_is_a_word_and_other_numbers_are_none() -> None:
    assert "第六章" in tokenize("第6章讲什么")
    assert tokenize("第6天") == ["第", "6", "天"]


@pytest.mark.parametrize("text", ["", "……——！？", "-----", "\x00\x01", "  \n\t", "'''", "😀🎉"])
def test_punctuation_alone_has_no_tokens(text: str) -> None:
    assert tokenize(text) == []


def test_words_of_the_term_base_are_kept_whole() -> None:
    assert "云枢三号" not in tokenize("云枢三号控制器怎么重启")
    assert "云枢三号" in tokenize("云枢三号控制器怎么重启", terms=Vocabulary(["雲樞三號", "其他"]))


@given(st.text(max_size=300))
def test_any_text_gives_clean_tokens_and_the_same_ones_twice(text: str) -> None:
    tokens = tokenize(text)
    assert tokens == tokenize(text)
    assert all(token and not token.isspace() and len(token) <= 300 for token in tokens)
    assert all(token == token.casefold() or not token.isascii() for token in tokens)


@given(st.text(alphabet="aBc1-_.' ，中文字v２繁體", max_size=60))
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


def test_a_code_that_names_one_thing_is_the_same_however_it_is_written() -> None:
    for written in ("ERR-1042", "err_1042", "ERR1042", "ＥＲＲ－１０４２", "报错ERR-1042怎么办"):
        assert exact_codes(written) == ["err1042"]
    assert exact_codes("v2.3.1 and KB5029244") == ["v2.3.1", "2.3.1", "kb5029244"]
    assert (
        exact_codes("COVID-19, iPhone 15, a 7-day trial, H3K4me3, snake_case, CrashLoopBackOff, 1980s, 500mg")
        == []
    )


def test_only_real_codes_are_identifiers() -> None:
    text = "屏幕上ERR-1042 CrashLoopBackOff v2.3.1 10.2.0 max_size iPhone15 的说明"
    assert identifiers(text) == [
        "err-1042",
        "crashloopbackoff",
        "v2.3.1",
        "2.3.1",
        "10.2.0",
        "max_size",
        "iphone15",
    ]
    assert identifiers("state-of-the-art McDonald PostgreSQL 2023年 U.S.A. 3.14 don't") == []
