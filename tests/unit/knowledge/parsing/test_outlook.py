"""MSG: people, dates, texts in any form, attachments, messages in messages."""

import struct

import pytest
from tests.unit.knowledge.parsing.msg_files import msg, properties
from tests.unit.knowledge.parsing.ole_files import ole
from tests.unit.knowledge.parsing.pictures import picture_of

from refdesk.knowledge.parsing import CorruptFile, Parsed, parse
from refdesk.knowledge.parsing.outlook_rtf import unpacked_rtf

_SUBJECT, _TEXT, _PAGE, _PACKED = 0x0037, 0x1000, 0x1013, 0x1009
_SENDER, _ADDRESS, _TO = 0x0C1A, 0x5D01, 0x0E04
_CONTENT, _NAME, _CONTENT_ID, _MIME = 0x3701, 0x3707, 0x3712, 0x370E


def _texts(parsed: Parsed) -> list[str]:
    return [block.text.replace(" ", "") if block.confidence else block.text for block in parsed.blocks]


def test_people_date_and_text_are_those_of_the_message() -> None:
    sent = 133_590_000_000_000_000
    texts = {
        _SUBJECT: "会议通知",
        _SENDER: "Ann Ä.",
        _ADDRESS: "ann@a.example",
        _TO: "Bo; Cy",
        _TEXT: "Hello\r\n\r\nthere",
    }
    parsed = parse(ole(properties(texts, {0x0039: sent})), "a.msg")
    assert parsed.kind == "msg"
    assert _texts(parsed) == [
        "会议通知",
        "From: Ann Ä. <ann@a.example>\nTo: Bo; Cy\nDate: Wed, 01 May 2024 01:20:00 +0000",
        "Hello",
        "there",
    ]
    assert (parsed.meta["title"], parsed.meta["author"]) == ("会议通知", "Ann Ä. <ann@a.example>")
    assert parsed.coverage == 1.0


def test_texts_in_a_code_page_are_decoded() -> None:
    page = struct.pack("<HHIQ", 3, 0x3FDE, 6, 936)
    streams = properties({_SUBJECT: "退货政策", _TEXT: "退货政策说明，请看。"}, page="gbk")
    streams["__properties_version1.0"] += page
    assert _texts(parse(ole(streams), "a.msg")) == ["退货政策", "退货政策说明，请看。"]


def test_page_is_read_where_the_text_is_a_stub_with_the_pictures_it_shows() -> None:
    page = (
        b"<html><body><h2>Bill</h2><p>Please pay what the picture says</p><img src='cid:one@x'></body></html>"
    )
    picture = properties(
        {_CONTENT: picture_of("TOTAL 815"), _NAME: "p.png", _CONTENT_ID: "one@x", _MIME: "image/png"},
        folder="__attach_version1.0_#00000000/",
    )
    parsed = parse(msg({_SUBJECT: "S", _TEXT: "", _PAGE: page}, picture), "a.msg")
    assert _texts(parsed) == ["S", "Bill", "Please pay what the picture says", "TOTAL815"]


def test_attachments_and_messages_inside_are_read_under_their_names() -> None:
    file = properties(
        {_CONTENT: b"# Inside".ljust(4096), _NAME: "说明.md"}, folder="__attach_version1.0_#00000000/"
    )
    folder = "__attach_version1.0_#00000001/"
    inner = properties({_SUBJECT: "Inner", _TEXT: "deep"}, folder=f"{folder}__substg1.0_3701000D/")
    parsed = parse(msg({_SUBJECT: "S", _TEXT: "text"}, file, properties({}, folder=folder), inner), "a.msg")
    assert _texts(parsed) == ["S", "text", "说明.md", "Inside", "Inner.eml", "Inner", "deep"]
    assert parsed.coverage == 1.0


def _packed(rtf: bytes) -> bytes:
    """As it is packed, without copies but one of the beginning that all share."""
    shared = 0x000 << 4 | (len(rb"{\rtf1\ansi") - 2)
    out = bytes([1]) + struct.pack(">H", shared) + rtf[11:18]
    for at in range(18, len(rtf), 8):
        out += b"\0" + rtf[at : at + 8]
    return struct.pack("<II4sI", len(out) + 12, len(rtf), b"LZFu", 0) + out


def test_text_that_is_stored_as_packed_rtf_only_is_read() -> None:
    rtf = rb"{\rtf1\ansi only \'fcber rtf\par}"
    assert unpacked_rtf(_packed(rtf)) == rtf
    parsed = parse(msg({_SUBJECT: "S", _PACKED: _packed(rtf)}), "a.msg")
    assert "only über rtf" in _texts(parsed)


def test_copy_that_runs_into_itself_is_unpacked() -> None:
    begin = 207 << 4 | (6 - 2)
    data = bytes([0b10]) + b"a" + struct.pack(">H", begin)
    assert unpacked_rtf(struct.pack("<II4sI", 0, 7, b"LZFu", 0) + data) == b"aaaaaaa"


@pytest.mark.parametrize("data", [b"", struct.pack("<II4sI", 0, 7, b"nope", 0)])
def test_text_packed_in_an_unknown_way_is_refused(data: bytes) -> None:
    with pytest.raises(CorruptFile):
        unpacked_rtf(data)
