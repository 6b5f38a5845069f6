"""East Asian text in seven bits is read as such, declared or not, and ASCII stays ASCII."""

import base64

import pytest

from refdesk.knowledge.parsing import parse
from refdesk.knowledge.parsing.binary import looks_binary
from refdesk.knowledge.parsing.encoding import decode

JAPANESE = "これは返品のご案内です。\nplain ASCII, 100 $B\n株式会社"
KOREAN = "반품 정책 안내입니다.\nABC 고객"
CHINESE = "退货政策说明：七天内\nABC 可以申请退货。"
# ISO-2022-CN has no codec in Python: GB 2312 between SO and SI, announced once a line.
_IN_CN = b"\n".join(
    b"\x1b$)A\x0e" + bytes(byte & 0x7F for byte in line.encode("gb2312")) + b"\x0f"
    for line in ("退货政策说明：七天内", "可以申请退货。")
)


@pytest.mark.parametrize("declared", [None, "right", "iso-8859-1", "utf-8", "utf-16"])
@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (JAPANESE, "iso2022_jp"),
        ("半角ｶﾀｶﾅ", "iso2022_jp_ext"),
        (KOREAN, "iso2022_kr"),
        (CHINESE, "hz"),
        ("价格~100 元", "hz"),
    ],
)
def test_text_in_seven_bits_comes_back(text: str, encoding: str, declared: str | None) -> None:
    name = encoding.replace("iso2022_", "iso-2022-") if declared == "right" else declared
    decoded = decode(text.encode(encoding), name)
    assert decoded.text == text
    assert decoded.replaced == 0


@pytest.mark.parametrize("declared", [None, "iso-2022-cn"])
def test_chinese_of_iso_2022_comes_back(declared: str | None) -> None:
    assert decode(_IN_CN, declared).text == "退货政策说明：七天内\n可以申请退货。"


def test_characters_of_vendors_in_japanese_mail_are_kept() -> None:
    data = b"\x1b$B-!-j\x1b(B 100" + "の案内".encode("iso2022_jp")
    assert decode(data, "iso-2022-jp").text == "①㈱ 100の案内"


def test_utf_7_is_read_where_it_is_declared_only() -> None:
    data = "退货 A+B".encode("utf-7")
    assert decode(data, "utf-7").text == "退货 A+B"
    assert decode(data).text == data.decode("ascii")


@pytest.mark.parametrize(
    "text",
    [
        "\x1b[31mred\x1b[0m log line",
        "a~{b~}c and ~{abcd~} in a formula",
        "cost $B and ~/{a,b}",
        "\\cite~{Knuth} ~{0}",
        "\x1b$B!",
    ],
)
def test_ascii_that_only_resembles_them_stays_as_it_is(text: str) -> None:
    assert decode(text.encode(), "iso-2022-jp").text == text
    assert decode(text.encode()).text == text


def test_a_korean_file_with_shifts_is_text() -> None:
    assert not looks_binary("가나다라 마바 사아\n".encode("iso2022_kr") * 20)


def test_a_message_a_page_and_a_text_are_read_from_iso_2022_jp() -> None:
    subject = base64.b64encode("返品のご案内".encode("iso2022_jp"))
    head = b"Subject: =?iso-2022-jp?B?" + subject + b"?=\nFrom: a@b.example\nMIME-Version: 1.0\n"
    message = head + b"Content-Type: text/plain; charset=iso-2022-jp\n\n" + JAPANESE.encode("iso2022_jp")
    page = (
        '<html><head><meta charset="iso-2022-jp"></head><body><p>これは返品のご案内です。</p></body></html>'
    )
    assert "これは返品のご案内です。" in (read := parse(message, "a.eml")).text
    assert read.meta["title"] == "返品のご案内"
    assert parse(page.encode("iso2022_jp"), "a.html").text == "これは返品のご案内です。"
    plain = parse(JAPANESE.encode("iso2022_jp"), "a.txt")
    assert plain.text == JAPANESE
    assert plain.meta["encoding"] == "iso2022_jp"


def test_a_raw_header_in_iso_2022_jp_is_read() -> None:
    head = (
        b"Subject: "
        + "返品のご案内".encode("iso2022_jp")
        + b"\nFrom: a@b.example\nMIME-Version: 1.0\n\nHello"
    )
    assert parse(head, "a.eml").meta["title"] == "返品のご案内"
