"""Small messages of Outlook made in memory."""

import struct
from collections.abc import Mapping

from tests.unit.knowledge.parsing.ole_files import ole


def properties(
    texts: Mapping[int, str | bytes],
    fixed: Mapping[int, int] | None = None,
    folder: str = "",
    page: str | None = None,
) -> dict[str, bytes]:
    """Streams of a message or an attachment: texts as UTF-16 or in a code page, bytes as they are."""
    head = b"\0" * (32 if not folder else 24)
    entries = b"".join(
        struct.pack("<HHIQ", 0x40, number, 6, value) for number, value in (fixed or {}).items()
    )
    streams = {f"{folder}__properties_version1.0": head + entries}
    for number, text in texts.items():
        kind = "0102" if isinstance(text, bytes) else "001E" if page else "001F"
        content = text if isinstance(text, bytes) else text.encode(page or "utf-16-le")
        streams[f"{folder}__substg1.0_{number:04X}{kind}"] = content
    return streams


def msg(texts: Mapping[int, str | bytes], *more: Mapping[str, bytes]) -> bytes:
    """A message of these properties; `more` are the streams of its attachments."""
    streams = properties(texts)
    for part in more:
        streams |= part
    return ole(streams)
