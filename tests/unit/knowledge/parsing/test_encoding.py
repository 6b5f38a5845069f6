"""Text in any encoding: right where it can be known, a warning where not, never a crash."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refdesk.knowledge.parsing import EmptyFile, ParseError, parse
from refdesk.knowledge.parsing.encoding import decode

SIMPLIFIED = "退货政策说明：客户在收到商品之后的七天内可以申请退货，我们会在三个工作日之内处理您的申请。"
TRADITIONAL = "退貨政策說明：客戶在收到商品之後的七天內可以申請退貨，我們會在三個工作日之內處理您的申請。"
JAPANESE = "返品についてのご案内です。商品を受け取ってから七日以内であれば、返品することができます。"
KOREAN = "반품 정책 안내입니다. 고객은 상품을 받은 후 칠일 이내에 반품을 신청할 수 있습니다."
FRENCH = "Les élèves reçoivent à l'école un café très sucré, où l'été dure près de Noël."


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (SIMPLIFIED, "gbk"),
        (SIMPLIFIED, "gb18030"),
        (SIMPLIFIED + "𠮷", "gb18030"),
        (TRADITIONAL, "big5"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "euc_jp"),
        (KOREAN, "euc_kr"),
        (FRENCH, "cp1252"),
        (SIMPLIFIED, "utf-8"),
        (SIMPLIFIED, "utf-8-sig"),
        (SIMPLIFIED, "utf-16"),
        (SIMPLIFIED + "\r\nabc 123\r\n", "utf-16-le"),
        (SIMPLIFIED + "\r\nabc 123\r\n", "utf-16-be"),
        (SIMPLIFIED, "utf-16-le"),
        (TRADITIONAL, "utf-16-be"),
        ("Plain ASCII text\r\nin two lines", "utf-16-le"),
        (FRENCH, "utf-32"),
    ],
)
def test_text_comes_back_from_its_encoding(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)).text == text.replace("\r\n", "\n")


def test_foreign_text_far_behind_an_ascii_preface_is_found() -> None:
    text = "plain preface\n" * 20_000 + SIMPLIFIED
    assert decode(text.encode("gbk")).text == text


def test_nul_and_invalid_bytes_are_reported_and_the_rest_is_kept() -> None:
    data = ("Terms \x00of" + " use 条款。" * 20).encode() + b"\xff\xfe broken"
    parsed = parse(data, "a.txt")
    assert parsed.text.startswith("Terms of use 条款。")
    assert parsed.text.endswith("broken")
    assert {w.code for w in parsed.warnings} == {"nul-characters", "invalid-characters"}
    assert "1 NUL" in parsed.warnings[0].message


@given(st.text(min_size=1).filter(lambda t: "\x00" not in t and "\ufffd" not in t))
def test_any_utf8_text_is_kept_exactly(text: str) -> None:
    assert decode(text.encode("utf-8", "surrogatepass") if text.isascii() else _bytes(text)).text == (
        text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    )


def _bytes(text: str) -> bytes:
    # A byte order mark makes even odd texts certain, so that only the decoding itself is under test.
    return b"\xef\xbb\xbf" + text.encode("utf-8").removeprefix(b"\xef\xbb\xbf")


@given(
    st.binary(min_size=1, max_size=2000), st.sampled_from(["a.txt", "a.md", "a.html", "a.pdf", "a.docx", "a"])
)
def test_any_bytes_are_read_or_refused_clearly(data: bytes, name: str) -> None:
    try:
        parsed = parse(data, name)
    except ParseError:
        return
    assert parsed.blocks
    assert all(parsed.text[b.offset : b.offset + len(b.text)] == b.text for b in parsed.blocks)
    assert "\x00" not in parsed.text


def test_a_file_of_nothing_but_control_characters_is_empty() -> None:
    with pytest.raises(EmptyFile):
        parse(b"\x0b", "a.txt")
