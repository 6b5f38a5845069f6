"""ZIP archives and messages: members under their names, limits, names, what is refused."""

import hashlib
import hmac
import io
import struct
import zipfile
import zlib
from collections.abc import Mapping
from email.message import EmailMessage

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from tests.unit.knowledge.parsing.package_files import epub, odf
from tests.unit.knowledge.parsing.pictures import picture_of

from refdesk.knowledge.parsing import CorruptFile, EmptyFile, ParseError, ParseOptions, parse


def _zip(members: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def test_members_stand_under_their_paths_and_keep_their_own_headings() -> None:
    parsed = parse(_zip({"a/one.md": b"# H\n\ntext", "two.txt": b"plain"}), "a.zip")
    assert [(b.kind, b.level, b.text) for b in parsed.blocks] == [
        ("heading", 1, "a/one.md"),
        ("heading", 2, "H"),
        ("paragraph", None, "text"),
        ("heading", 1, "two.txt"),
        ("paragraph", None, "plain"),
    ]


def test_one_bad_member_is_reported_and_the_others_are_kept() -> None:
    parsed = parse(
        _zip({"bad.pdf": b"%PDF-1.7 broken", "junk.exe": b"\x7fELF" + bytes(99), "ok.txt": b"fine"}), "a.zip"
    )
    assert [b.text for b in parsed.blocks] == ["ok.txt", "fine"]
    assert [item["name"] for item in parsed.meta["members_skipped"]] == ["bad.pdf", "junk.exe"]
    assert [w.code for w in parsed.warnings] == ["member-skipped"] * 2


def test_an_archive_that_begins_with_an_unpacked_pdf_is_an_archive() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("a.pdf", b"%PDF-1.7 broken")
        archive.writestr("ok.txt", b"fine")
    assert [b.text for b in parse(out.getvalue(), "a.zip").blocks] == ["ok.txt", "fine"]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.odt", odf("text", "<text:p>in the archive</text:p>")),
        ("a.epub", epub({"a.xhtml": "<p>in the archive</p>"})),
        ("word/a.txt", b"in the archive"),
        ("old/ppt/presentation.xml", b"<a>in the archive</a>"),
        ("passwords/xl/workbook.xml", b"<a>in the archive</a>"),
        ("x/META-INF/container.xml", b"<a>in the archive</a>"),
    ],
)
def test_an_archive_is_not_taken_for_what_it_holds_unpacked(name: str, data: bytes) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(name, data)
    parsed = parse(out.getvalue(), "a.zip")
    assert parsed.kind == "zip"
    assert "in the archive" in parsed.text


@pytest.mark.parametrize("name", ["../x.txt", "/etc/x.txt", "a/../../x.txt", "C:\\x.txt", "..\\x.txt"])
def test_name_that_leads_out_is_refused(name: str) -> None:
    parsed = parse(_zip({name: b"evil", "ok.txt": b"fine"}), "a.zip")
    assert "evil" not in parsed.text
    assert "fine" in parsed.text


@pytest.mark.parametrize(
    ("encoding", "name"),
    [("gb18030", "资料/财务报表.txt"), ("cp437", "Käse/Größe.txt"), ("utf-8", "文件/说明.txt")],
)
def test_names_without_a_mark_are_read_in_their_encoding(encoding: str, name: str) -> None:
    raw = name.encode(encoding)
    plain = "x" * len(raw)
    data = _zip({plain: b"text"}).replace(plain.encode(), raw)
    assert parse(data, "a.zip").blocks[0].text == name


def test_archive_in_an_archive_is_read_to_the_limit_of_depth() -> None:
    data = _zip({"deep.txt": b"deep"})
    for level in range(3):
        data = _zip({f"level{level}.zip": data})
    assert parse(data, "a.zip", ParseOptions(max_nesting=4)).blocks[-1].text == "deep"
    with pytest.raises(ParseError) as failed:
        parse(data, "a.zip", ParseOptions(max_nesting=3))
    assert failed.value.code == "archive-nested-too-deep"
    assert "REFDESK_PARSE_MAX_NESTING" in str(failed.value.hint_text)


def test_ratio_size_and_count_are_limited_and_the_rest_is_read() -> None:
    parsed = parse(_zip({"bomb.txt": b"0" * 20_000_000, "ok.txt": b"fine"}), "a.zip")
    assert [b.text for b in parsed.blocks] == ["ok.txt", "fine"]
    many = _zip({f"{i}.txt": b"text" for i in range(5)})
    assert len(parse(many, "a.zip", ParseOptions(max_members=2)).meta["members"]) == 2
    small = parse(
        _zip({"a.txt": b"a" * 60, "b.txt": b"b" * 60}), "a.zip", ParseOptions(max_unpacked_bytes=100)
    )
    assert [m["name"] for m in small.meta["members"]] == ["a.txt"]


def test_size_that_lies_in_the_header_is_not_believed() -> None:
    data = bytearray(_zip({"a.txt": b"a" * 5000, "ok.txt": b"fine"}))
    at = data.index(b"PK\x01\x02")
    struct.pack_into("<I", data, at + 24, 10)
    parsed = parse(bytes(data), "a.zip")
    assert "aaaaaaaaaaaaaaa" not in parsed.text
    assert "fine" in parsed.text


def test_archive_without_a_readable_file_names_what_it_holds() -> None:
    with pytest.raises(EmptyFile, match=r"empty\.txt"):
        parse(_zip({"empty.txt": b""}), "a.zip")
    with pytest.raises(EmptyFile):
        parse(_zip({}), "a.zip")


def test_pictures_and_leftovers_of_systems_are_no_members() -> None:
    parsed = parse(_zip({"__MACOSX/._a.txt": b"junk", "p.png": b"\x89PNG", "a.txt": b"text"}), "a.zip")
    assert parsed.meta["pictures"] == 1
    assert parsed.warnings == ()


_ALTERNATIVES = (
    b"Subject: =?gb2312?B?xOO6ww==?= =?utf-8?q?caf=C3=A9?=\nFrom: A <a@x.org>\nMIME-Version: 1.0\n"
    b"Content-Type: multipart/alternative; boundary=B\n\n--B\nContent-Type: text/plain; charset=utf-8\n\n%s\n"
    b"--B\nContent-Type: text/html; charset=utf-8\n\n"
    b"<p>The <b>rich</b> text of the message, in full length.</p>\n--B--\n"
)


def test_encoded_words_are_decoded_and_alternatives_are_read_once() -> None:
    parsed = parse(_ALTERNATIVES % b"The rich text of the message, in full length.", "a.eml")
    assert parsed.blocks[0].text == "你好café"
    assert parsed.text.count("in full length") == 1
    stub = parse(_ALTERNATIVES % b"No HTML.", "a.eml")
    assert "in full length" in stub.text
    assert "No HTML" not in stub.text


def test_raw_bytes_in_headers_and_unknown_charsets_do_no_harm() -> None:
    head = "Subject: 关于我们的会议通知\nMIME-Version: 1.0\nContent-Type: text/plain; charset=x-unknown\n\n"
    parsed = parse(head.encode("gbk") + "这是一个关于会议的通知，请大家准时参加。".encode("gbk"), "a.eml")
    assert [b.text for b in parsed.blocks] == [
        "关于我们的会议通知",
        "这是一个关于会议的通知，请大家准时参加。",
    ]


def test_attachments_are_read_under_their_names_and_others_are_listed() -> None:
    part = (
        "--B\nContent-Type: application/octet-stream\n"
        "Content-Disposition: attachment; filename*=utf-8''{}\n\n{}\n"
    )
    message = (
        "Subject: S\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=B\n\n"
        "--B\nContent-Type: text/plain\n\n"
        "Hello\n\n> quoted\n> text\n"
        + part.format("%E8%AF%B4%E6%98%8E.md", "# Inside")
        + part.format("b.bin", "\x01\x02\x03" * 9)
        + "--B--\n"
    )
    parsed = parse(message.encode(), "a.eml")
    assert [(b.kind, b.level, b.text) for b in parsed.blocks] == [
        ("heading", 1, "S"),
        ("paragraph", None, "Hello"),
        ("quote", None, "quoted\ntext"),
        ("heading", 2, "说明.md"),
        ("heading", 3, "Inside"),
    ]
    assert parsed.meta["attachments"] == ["说明.md", "b.bin"]
    assert [w.code for w in parsed.warnings] == ["member-skipped"]


def _aes_zip(content: bytes, password: str, *, strength: int = 3) -> bytes:
    """An archive of one member sealed as WinZip does it (AE-2), with the cipher of the library."""
    size = {1: 16, 2: 24, 3: 32}[strength]
    salt = bytes(range(size // 2))
    keys = hashlib.pbkdf2_hmac("sha1", password.encode(), salt, 1000, 2 * size + 2)
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = deflate.compress(content) + deflate.flush()
    cipher = Cipher(algorithms.AES(keys[:size]), modes.ECB()).encryptor()
    stream = cipher.update(b"".join((n + 1).to_bytes(16, "little") for n in range(len(packed) // 16 + 1)))
    body = bytes(a ^ b for a, b in zip(packed, stream, strict=False))
    sealed = salt + keys[-2:] + body + hmac.new(keys[size : 2 * size], body, "sha1").digest()[:10]
    name = "秘密.txt".encode()
    extra = struct.pack("<HHH2sBH", 0x9901, 7, 2, b"AE", strength, 8)
    fields = struct.pack(
        "<HHHHHIIIHH", 51, 0x801, 99, 0, 33, 0, len(sealed), len(content), len(name), len(extra)
    )
    local = b"PK\x03\x04" + fields + name + extra
    central = (
        b"PK\x01\x02" + struct.pack("<H", 51) + fields + struct.pack("<HHHII", 0, 0, 0, 0, 0) + name + extra
    )
    end = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, 1, 1, len(central), len(local) + len(sealed), 0)
    return local + sealed + central + end


@pytest.mark.parametrize("strength", [1, 2, 3])
def test_archive_sealed_with_aes_opens_with_its_password(strength: int) -> None:
    text = "机密内容 and more words. " * 5000
    data = _aes_zip(text.encode(), "geheim", strength=strength)
    parsed = parse(data, "a.zip", ParseOptions(password="geheim"))
    assert parsed.blocks[0].text == "秘密.txt"
    assert parsed.blocks[1].text == text.strip()
    for password, code in ((None, "password-required"), ("wrong", "password-wrong")):
        with pytest.raises(ParseError) as failed:
            parse(data, "a.zip", ParseOptions(password=password))
        assert failed.value.code == code
    changed = data.replace(data[200:210], bytes(10), 1)
    with pytest.raises(CorruptFile, match="damaged"):
        parse(changed, "a.zip", ParseOptions(password="geheim"))


def test_markdown_in_an_archive_takes_its_pictures_along() -> None:
    text = b"# Bill\n\n![scan](../img/my%20scan.png) and ![gone](img/none.png)\n\nThe end."
    data = _zip(
        {"doc/a.md": text, "img/my scan.png": picture_of("TOTAL 4711"), "img/b.png": b"\x89PNG broken"}
    )
    parsed = parse(data, "a.zip")
    found = [b.text.replace(" ", "") for b in parsed.blocks]
    assert found[0] == "doc/a.md"
    assert found[3:] == ["TOTAL4711", "Theend."]
    assert [b.pictures for b in parsed.blocks] == [0, 0, 0, 2, 0]
    assert parsed.meta["pictures"] == 2


def test_picture_that_nothing_shows_is_a_member_where_it_has_text() -> None:
    parsed = parse(_zip({"a.txt": b"text", "scan.png": picture_of("INVOICE 99")}), "a.zip")
    assert [b.text.replace(" ", "") for b in parsed.blocks] == ["a.txt", "text", "scan.png", "INVOICE99"]


def test_pictures_of_a_message_are_read_where_they_stand() -> None:
    message = EmailMessage()
    message["Subject"] = "Bill"
    message["From"] = "a@a.example"
    message.set_content("short")
    message.add_alternative(
        "<p>Please pay what the picture says, soon:</p><img src='cid:one'><p>Thanks a lot</p>", subtype="html"
    )
    rich = message.get_payload()[1]  # pyright: ignore[reportIndexIssue, reportArgumentType]
    rich.add_related(picture_of("TOTAL 815"), "image", "png", cid="<one>")  # pyright: ignore
    message.add_attachment(picture_of("PAID 12"), "image", "png", filename="stamp.png")
    texts = [b.text.replace(" ", "") for b in parse(message.as_bytes(), "a.eml").blocks]
    assert texts[2:] == ["Pleasepaywhatthepicturesays,soon:", "TOTAL815", "Thanksalot", "stamp.png", "PAID12"]
