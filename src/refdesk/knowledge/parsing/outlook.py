"""MSG: messages as Outlook saves them ([MS-OXMSG]), turned into the message they were and read as EML.

Owns which property of Outlook is which part of a message. Must not know how messages become blocks (`mail`).
"""

import email
import re
import struct
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email import policy
from email.header import Header
from email.message import EmailMessage
from email.utils import format_datetime

from refdesk.knowledge.parsing.blocks import Parsed, ParseOptions
from refdesk.knowledge.parsing.encoding import decode
from refdesk.knowledge.parsing.errors import CorruptFile
from refdesk.knowledge.parsing.mail import Mail
from refdesk.knowledge.parsing.ole import OLE_MAGIC, ole_streams
from refdesk.knowledge.parsing.outlook_rtf import unpacked_rtf

_PROPERTIES = "__properties_version1.0"
_ATTACHMENT = "__attach_version1.0_#"
_SUBJECT, _TEXT, _PAGE, _PACKED = 0x0037, 0x1000, 0x1013, 0x1009
_SENDER, _SENDER_ADDRESS, _SENDER_SMTP, _TO, _CC = 0x0C1A, 0x0C1F, 0x5D01, 0x0E04, 0x0E03
_SENT, _ARRIVED, _CODE_PAGE = 0x0039, 0x0E06, 0x3FDE
_CONTENT, _LONG_NAME, _SHORT_NAME, _CONTENT_ID, _MIME = 0x3701, 0x3707, 0x3704, 0x3712, 0x370E
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_MAX_INNER = 3


class Outlook:
    """Messages of Outlook."""

    kind = "msg"
    suffixes = (".msg",)

    def supports(self, name: str, head: bytes) -> bool:
        """An OLE file with the properties of a message."""
        return head.startswith(OLE_MAGIC) and b"\n__properties_version1.0\n" in head

    def parse(self, data: bytes, name: str, options: ParseOptions) -> Parsed:
        """As a message that came as EML: subject, people, text, attachments."""
        names = ole_streams(data)
        streams = ole_streams(data, tuple(path for path in names if "__nameid" not in path))
        return replace(Mail().parse(_message(streams, "", 0), name, options), kind=self.kind)


def _message(streams: dict[str, bytes], folder: str, depth: int) -> bytes:
    """The message whose properties lie in a folder, as EML."""
    fixed = _fixed(streams.get(folder + _PROPERTIES, b""), 32 if not folder else 24)
    page = int.from_bytes(fixed.get(_CODE_PAGE, b"")[:4], "little")
    message = EmailMessage()
    sender = _text(streams, folder, _SENDER, page)
    address = _text(streams, folder, _SENDER_SMTP, page) or _text(streams, folder, _SENDER_ADDRESS, page)
    if "@" in address and address != sender:
        sender = f"{sender} <{address}>".strip()
    headers = {
        "Subject": _text(streams, folder, _SUBJECT, page),
        "From": sender,
        "To": _text(streams, folder, _TO, page),
        "Cc": _text(streams, folder, _CC, page),
        "Date": _date(fixed.get(_SENT) or fixed.get(_ARRIVED)),
    }
    _body(message, streams, folder, page)
    inner = {path[len(folder) :].partition("/")[0] for path in streams if path.startswith(folder)}
    for name in sorted(name for name in inner if name.startswith(_ATTACHMENT)):
        _attach(message, streams, f"{folder}{name}/", page, depth)
    # Written by hand: names of an address book are no addresses, and `EmailMessage` would refuse them.
    lines = (
        f"{key}: {Header(' '.join(value.split()), 'utf-8').encode()}\n"
        for key, value in headers.items()
        if value.strip()
    )
    return "".join(lines).encode() + message.as_bytes()


def _body(message: EmailMessage, streams: dict[str, bytes], folder: str, page: int) -> None:
    text = _text(streams, folder, _TEXT, page)
    rich = _bytes(streams, folder, _PAGE) or _text(streams, folder, _PAGE, page).encode()
    message.set_content(text)
    if rich:
        message.add_alternative(decode(rich).text, subtype="html")
    elif not text.strip() and (packed := _bytes(streams, folder, _PACKED)):
        message.add_attachment(unpacked_rtf(packed), "application", "rtf", filename="message.rtf")


def _attach(message: EmailMessage, streams: dict[str, bytes], folder: str, page: int, depth: int) -> None:
    name = _text(streams, folder, _LONG_NAME, page) or _text(streams, folder, _SHORT_NAME, page)
    inner = f"{folder}__substg1.0_{_CONTENT:04X}000D/"
    content = _bytes(streams, folder, _CONTENT)
    if content:
        main, _, sub = (_text(streams, folder, _MIME, page) or "application/octet-stream").partition("/")
        identity = re.sub(r"[^!-~]+|[<>]", "", _text(streams, folder, _CONTENT_ID, page))
        if main != "image" or not re.fullmatch(r"[A-Za-z0-9.+-]+", sub):
            main, sub = "application", "octet-stream"
        message.add_attachment(
            content,
            main,
            sub,
            filename=" ".join(name.split()) or None,
            disposition="inline" if identity and main == "image" else "attachment",
            cid=f"<{identity}>" if identity else None,
        )
    elif any(path.startswith(inner) for path in streams) and depth < _MAX_INNER:
        content = _message(streams, inner, depth + 1)
        message.add_attachment(email.message_from_bytes(content, policy=policy.default))


def _bytes(streams: dict[str, bytes], folder: str, number: int) -> bytes:
    return streams.get(f"{folder}__substg1.0_{number:04X}0102", b"")


def _text(streams: dict[str, bytes], folder: str, number: int, page: int) -> str:
    """A text, stored as UTF-16 or in the code page of the message."""
    wide = streams.get(f"{folder}__substg1.0_{number:04X}001F")
    if wide is not None:
        return wide.decode("utf-16-le", "replace").rstrip("\0")
    narrow = streams.get(f"{folder}__substg1.0_{number:04X}001E", b"")
    return decode(narrow, f"cp{page}" if page else None).text.rstrip("\0") if narrow else ""


def _fixed(properties: bytes, head: int) -> dict[int, bytes]:
    """Values of eight bytes by the number of their property."""
    if properties and len(properties) < head:
        raise CorruptFile(reason="the properties of the message are cut off")
    entries = (properties[at : at + 16] for at in range(head, len(properties) - 15, 16))
    return {int.from_bytes(entry[2:4], "little"): entry[8:] for entry in entries}


def _date(value: bytes | None) -> str:
    if not value:
        return ""
    ticks = struct.unpack("<Q", value)[0]
    try:
        return format_datetime(_EPOCH + timedelta(microseconds=ticks // 10))
    except OverflowError:
        return ""
