"""What is no text is refused, whatever it is called; what is text in any encoding never is."""

import array
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refdesk.knowledge.parsing import UnsupportedKind, parse
from refdesk.knowledge.parsing.binary import looks_binary
from refdesk.knowledge.parsing.encoding import decode

_NAMES = ("a.txt", "a.md", "a.html", "a.csv", "a.json", "a.eml", "a.bin", "a")
_TEXTS = {
    "退货政策：商品自签收之日起七天内可以申请退货，运费由买家承担。": (
        *("gbk", "gb18030", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"),
    ),
    "退貨政策：商品自簽收之日起七天內可以申請退貨，運費由買家承擔。": ("big5", "gb18030", "utf-16-le"),
    "返品ポリシー：商品到着後７日以内に返品を申請できます。": ("shift_jis", "euc_jp", "iso2022_jp", "utf-16"),
    "반품 정책: 상품은 7일 이내에 반품할 수 있습니다.": ("cp949", "utf-16-le"),
    "Été à la plage : ça coûte 12 € – voilà « l’hôtel ».": ("cp1252", "mac_roman", "utf-16-le"),
    "Größe: 5 µm, Straße, Übung § 3, ½ ± ¼": ("latin-1", "utf-16-be"),
    "£100 – 50 % «oui» °C": ("cp1252",),
    "Zażółć gęślą jaźń": ("cp1250", "iso8859_2"),
    "Правила возврата: товар можно вернуть в течение семи дней.": (
        *("cp1251", "koi8_r", "cp866", "iso8859_5", "utf-16-le"),
    ),
    "Πολιτική επιστροφών εντός επτά ημερών": ("cp1253", "iso8859_7", "utf-16-be"),
    "سياسة الإرجاع خلال سبعة أيام": ("cp1256", "utf-16-le"),
    "מדיניות החזרות בתוך שבעה ימים": ("cp1255", "utf-16-le"),
    "นโยบายการคืนสินค้าภายในเจ็ดวัน": ("tis_620", "utf-16-le"),
}
_ENCODED = [(text, encoding) for text, encodings in _TEXTS.items() for encoding in encodings]


@pytest.mark.parametrize("seed", range(200))
def test_random_bytes_are_refused_with_a_clear_error(seed: int) -> None:
    chance = random.Random(seed)
    size = int(64 * 1024 ** chance.random())  # 64 B to 64 KB, small ones as often as large ones
    with pytest.raises(UnsupportedKind) as caught:
        parse(chance.randbytes(size), _NAMES[seed % len(_NAMES)])
    assert caught.value.code == "unsupported-kind"
    assert "not text" in caught.value.text
    assert caught.value.hint_text


@pytest.mark.parametrize(
    "data",
    [
        array.array("h", [int(3000 * (n % 97) / 97) for n in range(4000)]).tobytes(),
        array.array("I", range(4000)).tobytes(),
        b"\xff\xfe" + random.Random(1).randbytes(4000),
        b"\xef\xbb\xbf" + random.Random(2).randbytes(4000),
        b"Words at first.\n" + random.Random(3).randbytes(4000),
    ],
    ids=["samples", "numbers", "after a mark of UTF-16", "after a mark of UTF-8", "after words"],
)
def test_other_bytes_are_refused_too(data: bytes) -> None:
    assert looks_binary(data)


@pytest.mark.parametrize(("text", "encoding"), _ENCODED)
def test_text_in_any_encoding_is_text_however_short(text: str, encoding: str) -> None:
    for part in (text[:2], text[:7], text, text * 50, f"{text}\r\nplain words\t1\r\n"):
        assert not looks_binary(part.encode(encoding))


@pytest.mark.parametrize("text", ["退货", "退貨政策。", "Правила", "Пр", "นโยบาย", "سي", "Πολιτική 12"])
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_few_letters_in_utf_16_without_a_mark_are_read_right(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)).text == text


@pytest.mark.parametrize(
    "data",
    [
        b"plain words\x00\x00\x00 with a hole in them, and more words",
        b"\x1b[31mred\x1b[0m words of a terminal\n",
        b"page one\x0cpage two\x1a",
        "Ошибка №5: нет доступа\x07. Обратитесь в отдел.".encode("cp1251"),
    ],
)
def test_a_few_controls_make_no_text_binary(data: bytes) -> None:
    assert not looks_binary(data)


@given(st.text(st.characters(exclude_categories=["Cc", "Cs", "Cn", "Co"]), min_size=1))
def test_all_that_can_be_written_is_text_in_utf_8(text: str) -> None:
    assert not looks_binary(text.encode())
