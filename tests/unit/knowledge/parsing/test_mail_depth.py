"""EML: transfer encodings, charsets, alternatives with pictures, messages in messages, tables, quotes."""

import base64
import quopri
from email.message import EmailMessage

from tests.unit.knowledge.parsing.pictures import picture_of

from refdesk.knowledge.parsing import Parsed, ParseOptions, parse

_HEAD = "Subject: S\nFrom: a@a.example\nMIME-Version: 1.0\n"


def _texts(parsed: Parsed) -> list[str]:
    return [block.text.replace(" ", "") if block.confidence else block.text for block in parsed.blocks]


def _read(rest: str | bytes, options: ParseOptions | None = None) -> Parsed:
    body = rest if isinstance(rest, bytes) else rest.encode()
    return parse(_HEAD.encode() + body, "a.eml", options)


def test_quoted_printable_and_base64_are_decoded_in_their_charset() -> None:
    for charset, text in (
        ("gb2312", "退货政策说明，请看。"),
        ("iso-8859-15", "Prix: 5 € à l'école"),
        ("big5", "退貨政策"),
    ):
        head = f"Content-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: "
        quoted = quopri.encodestring(text.encode(charset))
        coded = base64.encodebytes(text.encode(charset))
        assert _read(f"{head}quoted-printable\n\n".encode() + quoted).blocks[-1].text == text
        assert _read(f"{head}base64\n\n".encode() + coded).blocks[-1].text == text


def test_charset_that_names_less_than_the_text_holds_is_widened() -> None:
    text = "朱镕基總理說的話，客户在收到商品之后可以申请退货。"
    head = "Content-Type: text/plain; charset=gb2312\n\n"
    assert _read(head.encode() + text.encode("gbk")).blocks[-1].text == text


def test_flowed_lines_are_joined_and_quotes_are_told_apart() -> None:
    parsed = _read(
        "Content-Type: text/plain; format=flowed\n\nA line that goes \non.\n\n> said before \n> by you\n"
    )
    assert [(b.kind, b.text) for b in parsed.blocks[2:]] == [
        ("paragraph", "A line that goes on."),
        ("quote", "said before \nby you"),
    ]


def test_pictures_and_files_of_the_rich_form_are_kept_where_the_plain_one_is_read() -> None:
    message = EmailMessage()
    message["Subject"], message["From"] = "S", "a@a.example"
    message.set_content("The text of the message, in full length and as good as the other.")
    message.add_alternative(
        "<p>The text of the message, in full length and as good as the other.</p><img src='cid:one'>",
        subtype="html",
    )
    rich = message.get_payload()[1]  # type: ignore[index]
    rich.add_related(picture_of("TOTAL 815"), "image", "png", cid="<one>")  # type: ignore[union-attr]
    rich.add_related(b"# Inside", "text", "markdown", filename="a.md", disposition="attachment")  # type: ignore[union-attr]
    parsed = parse(message.as_bytes(), "a.eml")
    assert parsed.text.count("in full length") == 1
    assert _texts(parsed)[3:] == ["a.md", "Inside", "picture 1.png", "TOTAL815"]


def test_message_in_a_message_is_read_to_the_limit() -> None:
    inner = EmailMessage()
    inner["Subject"], inner["From"] = "Inner", "b@b.example"
    inner.set_content("the inner text")
    outer = EmailMessage()
    outer["Subject"], outer["From"] = "Outer", "a@a.example"
    outer.set_content("the outer text")
    outer.add_attachment(inner)
    parsed = parse(outer.as_bytes(), "a.eml")
    assert [b.text for b in parsed.blocks if b.kind == "heading"] == ["Outer", "Inner.eml", "Inner"]
    assert parsed.blocks[-1].text == "the inner text"
    assert parsed.coverage == 1.0
    shallow = parse(outer.as_bytes(), "a.eml", ParseOptions(max_nesting=0))
    assert [w.code for w in shallow.warnings] == ["member-skipped"]


def test_tables_lists_and_hidden_previews_of_rich_messages() -> None:
    rows = "<tr><th>Item</th><th>Price</th></tr><tr><td>Tea</td><td>3</td></tr>"
    parsed = _read(
        "Content-Type: text/html; charset=utf-8\n\n<div style='display:none'>preview</div><p>Hello</p>"
        f"<table>{rows}</table><ol><li>one</li></ol>"
    )
    assert _texts(parsed)[2:] == ["Hello", "| Item | Price |\n| --- | --- |\n| Tea | 3 |", "1. one"]
    assert parsed.coverage == 1.0


def test_part_cut_off_in_its_middle_is_read_as_far_as_it_goes() -> None:
    parsed = _read(
        "Content-Type: multipart/mixed; boundary=B\n\n--B\nContent-Type: text/plain\n\nfirst\n--B\n"
        "Content-Type: text/plain\n\nsecond without an e"
    )
    assert _texts(parsed)[2:] == ["first", "second without an e"]
