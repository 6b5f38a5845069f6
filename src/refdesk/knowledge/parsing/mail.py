"""EML: who wrote to whom and when, the text of the message, and its attachments read like any other file."""

import email
import re
from email import policy
from email.errors import MessageError
from email.header import decode_header
from email.message import EmailMessage
from typing import cast
from urllib.parse import unquote

from refdesk.knowledge.parsing.binary import looks_binary
from refdesk.knowledge.parsing.blocks import BlockList, Parsed, ParseOptions
from refdesk.knowledge.parsing.coverage import finish
from refdesk.knowledge.parsing.embedded_pictures import pictures_beside
from refdesk.knowledge.parsing.encoding import decode
from refdesk.knowledge.parsing.errors import (
    CorruptFile,
    EmptyFile,
    NestedTooDeep,
    NoText,
    UnpackedTooLarge,
    UnsupportedKind,
)
from refdesk.knowledge.parsing.html import html_blocks, html_text
from refdesk.knowledge.parsing.nested import Members

_HEADERS = ("From", "To", "Cc", "Date")
_FIRST = re.compile(
    rb"\A(?:From [^\n]*\n)?(?:[A-Za-z][A-Za-z0-9-]*:[^\n]*\n(?:[ \t][^\n]*\n)*)*?"
    rb"(?:From|Received|Return-Path|Message-ID|MIME-Version|Delivered-To|Subject):",
    re.IGNORECASE,
)
_STUB = 0.5
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff", ".svg+xml", ".svg")
_MAX_PARTS = 2_000


class Mail:
    """Messages as RFC 5322 writes them, in whatever encoding the file was saved."""

    kind = "eml"
    suffixes = (".eml", ".mht", ".mhtml")

    def supports(self, name: str, head: bytes) -> bool:
        """Text named so, or text that begins with the headers of a message."""
        if looks_binary(head):
            return False
        if name.lower().endswith(self.suffixes):
            return True
        return _FIRST.match(head.replace(b"\r\n", b"\n")) is not None and b"\nMIME-Version:" in head

    def parse(self, data: bytes, name: str, options: ParseOptions) -> Parsed:
        """Subject as heading, then sender and receivers, the text, the attachments."""
        message = _message(data)
        found = BlockList()
        headers = {key: _header(message, key) for key in ("Subject", *_HEADERS)}
        found.add("heading", headers["Subject"], level=1)
        lines = [f"{key}: {headers[key]}" for key in _HEADERS if headers[key]]
        found.add("paragraph", "\n".join(lines))
        texts, attachments, inline = _parts(message)
        shown: set[str] = set()

        def picture(address: str) -> bytes | None:
            key = unquote(address).removeprefix("cid:")
            if key in inline:
                shown.add(key)
            return inline[key][1] if key in inline else None

        with pictures_beside(options, picture):
            sources = [headers["Subject"], *lines, *(_write(kind, text, found) for kind, text in texts)]
        attachments += [part for key, part in inline.items() if key not in shown]
        if not any(headers.values()) and not texts and not attachments:
            raise (
                EmptyFile("The message holds no text.")
                if not data.strip()
                else CorruptFile("The file is no message.")
            )
        meta = {
            "title": headers["Subject"],
            "author": headers["From"],
            "created": headers["Date"],
            "attachments": [title for title, _ in attachments],
        }
        own = finish(name, self.kind, found, meta, "\n".join(sources))
        members = Members(found, options, options.max_unpacked_bytes, level=2)
        for count, (title, content) in enumerate(attachments):
            if options.max_nesting < 1:
                members.skip(title, NestedTooDeep("Messages and archives are nested too deep."))
            elif count >= options.max_members or len(content) > members.left:
                members.skip(title, UnpackedTooLarge("The attachment is beyond the limits of one message."))
            elif not content:
                members.skip(title, EmptyFile())
            elif title.lower().endswith(_PICTURES):
                members.add(title, content, quiet=(NoText, UnsupportedKind))
            else:
                members.add(title, content)
        return members.close(own)


def _message(data: bytes) -> EmailMessage:
    if b"\x00" in data[:200]:
        data = decode(data).text.encode("utf-8")
    data = data.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n")
    try:
        return email.message_from_bytes(data, policy=policy.default)
    except (MessageError, ValueError, LookupError) as error:
        raise CorruptFile(reason=str(error)) from error


def _header(message: EmailMessage, name: str) -> str:
    """A header as a reader sees it: encoded words decoded, raw bytes of any encoding too."""
    for key, value in message.raw_items():
        if key.lower() == name.lower():
            return decoded_words(str(value))
    return ""


def decoded_words(value: str) -> str:
    """Encoded words of RFC 2047 and bytes that were smuggled in without them."""
    try:
        raw = value.encode("ascii", "surrogateescape")
    except UnicodeEncodeError:
        return " ".join(value.split())
    text = " ".join(decode(raw).text.split())
    # Old mailers put encoded words inside quotes or next to each other without a space.
    text = re.sub(r"(\?=)(?==\?)", r"\1 ", text)
    try:
        pieces = decode_header(text)
    except (MessageError, ValueError):
        return text
    parts: list[str] = []
    for piece, charset in pieces:
        if isinstance(piece, str):
            parts.append(piece)
        elif charset is None:
            parts.append(piece.decode("utf-8", "replace") if not piece.isascii() else piece.decode("ascii"))
        else:
            parts.append(decode(piece, charset).text)
    return " ".join("".join(parts).split())


def _parts(
    message: EmailMessage,
) -> tuple[list[tuple[str, str]], list[tuple[str, bytes]], dict[str, tuple[str, bytes]]]:
    """Texts to show as (kind, text), attachments as (name, bytes), and pictures of the text by their id."""
    inline: dict[str, tuple[str, bytes]] = {}
    texts: list[tuple[str, str]] = []
    attachments: list[tuple[str, bytes]] = []
    pending = [message]
    seen = 0
    while pending:
        part = pending.pop(0)
        seen += 1
        if seen > _MAX_PARTS:
            raise UnpackedTooLarge("The message has too many parts.")
        kind = part.get_content_type()
        if kind == "message/rfc822":
            inner = _inner(part)
            if inner is not None:
                title = decoded_words(str(inner.get("subject", ""))) or "message"
                attachments.append((f"{title}.eml", inner.as_bytes()))
        elif part.is_multipart():
            children = cast(list[EmailMessage], part.get_payload())
            pending[:0] = _richest(children) if kind == "multipart/alternative" else children
        else:
            content = part.get_payload(decode=True)
            content = content if isinstance(content, bytes) else b""
            title = decoded_words(part.get_filename() or "")
            if kind in ("text/plain", "text/html") and (
                not title or part.get_content_disposition() == "inline"
            ):
                text = decode(content, part.get_content_charset()).text
                flowed = kind == "text/plain" and (part.get_param("format") or "") == "flowed"
                texts.append((kind, _unflowed(text) if flowed else text))
            elif kind.startswith("image/"):
                identity = str(part.get("Content-ID", "")).strip().strip("<>")
                title = title or f"picture {len(attachments) + len(inline) + 1}.{kind.partition('/')[2]}"
                if identity and part.get_content_disposition() != "attachment":
                    inline[identity] = (title, content)
                elif content:
                    attachments.append((title, content))
            elif not kind.startswith(("application/pgp-signature", "application/pkcs7-signature")):
                attachments.append((title or f"attachment {len(attachments) + 1}", content))
    return texts, attachments, inline


def _inner(part: EmailMessage) -> EmailMessage | None:
    payload = cast(object, part.get_payload())
    first = cast(list[object], payload)[0] if isinstance(payload, list) and payload else None
    return cast(EmailMessage, first) if isinstance(first, EmailMessage) else None


def _richest(children: list[EmailMessage]) -> list[EmailMessage]:
    """Of alternatives the plain text, unless it is a stub beside the HTML ("your reader shows no HTML")."""
    plain = [c for c in children if c.get_content_type() == "text/plain"]
    rich = [c for c in children if c.get_content_type() != "text/plain"]
    if not plain or not rich:
        return children[-1:]
    sizes = [len("".join(_text(c).split())) for c in (plain[0], rich[-1])]
    if sizes[0] < _STUB * sizes[1]:
        return rich[-1:]
    # The pictures and files that only the rich form carries belong to the message all the same.
    return [plain[0], *(part for part in _leaves(rich[-1]) if not _is_body(part))]


def _is_body(part: EmailMessage) -> bool:
    return part.get_content_maintype() == "text" and not part.get_filename()


def _leaves(part: EmailMessage) -> list[EmailMessage]:
    if not part.is_multipart() or part.get_content_type() == "message/rfc822":
        return [part]
    return [leaf for child in cast(list[EmailMessage], part.get_payload()) for leaf in _leaves(child)]


def _text(part: EmailMessage) -> str:
    for node in part.walk():
        if node.get_content_type() in ("text/plain", "text/html"):
            content = node.get_payload(decode=True)
            text = decode(content, node.get_content_charset()).text if isinstance(content, bytes) else ""
            return html_text(text) if node.get_content_type() == "text/html" else text
    return ""


def _unflowed(text: str) -> str:
    """Lines that end in a space go on in the next one (RFC 3676)."""
    return re.sub(r"(?m)(?<!^--) \n(?!>)", " ", text)


def _write(kind: str, text: str, found: BlockList) -> str:
    if kind == "text/html":
        html_blocks(text, found)
        return html_text(text)
    for paragraph in re.split(r"\n[ \t]*\n+", text):
        quoted = all(line.startswith(">") for line in paragraph.strip().split("\n"))
        found.add(
            "quote" if quoted else "paragraph",
            re.sub(r"(?m)^>+ ?", "", paragraph) if quoted else paragraph,
        )
    return re.sub(r"(?m)^>+ ?", "", text)
