"""A multipart body as events, read as it arrives and never whole; what the parts mean is up to the caller."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import Request

from refdesk.knowledge.errors import MalformedUpload

MAX_HEADER_BYTES = 16 * 1024


@dataclass(frozen=True, slots=True)
class PartBegin:
    headers: dict[bytes, bytes]


@dataclass(frozen=True, slots=True)
class PartData:
    data: bytes


class PartEnd:
    pass


type Event = PartBegin | PartData | PartEnd


async def events(request: Request) -> AsyncIterator[Event]:
    """The multipart body as events. Raises `MalformedUpload` for a body that is none, or ends too early."""
    kind, options = parse_options_header(request.headers.get("content-type", ""))
    boundary = options.get(b"boundary")
    if kind != b"multipart/form-data" or not boundary:
        raise MalformedUpload
    collected: list[Event] = []
    headers: dict[bytes, bytes] = {}
    name = bytearray()
    value = bytearray()
    ended = False

    def begin() -> None:
        headers.clear()

    def header_field(data: bytes, start: int, end: int) -> None:
        name.extend(data[start:end])

    def header_value(data: bytes, start: int, end: int) -> None:
        value.extend(data[start:end])

    def header_end() -> None:
        headers[bytes(name).lower()] = bytes(value)
        name.clear()
        value.clear()

    def headers_finished() -> None:
        collected.append(PartBegin(dict(headers)))

    def part_data(data: bytes, start: int, end: int) -> None:
        collected.append(PartData(data[start:end]))

    def part_end() -> None:
        collected.append(PartEnd())

    def on_end() -> None:
        nonlocal ended
        ended = True

    parser = MultipartParser(
        boundary,
        {
            "on_part_begin": begin,
            "on_header_field": header_field,
            "on_header_value": header_value,
            "on_header_end": header_end,
            "on_headers_finished": headers_finished,
            "on_part_data": part_data,
            "on_part_end": part_end,
            "on_end": on_end,
        },
        max_header_size=MAX_HEADER_BYTES,
    )
    async for data in request.stream():
        parser.write(data)
        for event in collected:
            yield event
        collected.clear()
    if not ended:
        raise MalformedUpload


def decode_name(raw: bytes) -> str:
    """A file name as clients send it: UTF-8, from old Chinese systems GB18030; `%22` is a quote (HTML)."""
    for encoding in ("utf-8", "gb18030"):
        try:
            return raw.decode(encoding).replace("%22", '"')
        except UnicodeDecodeError:
            continue
    return raw.decode("utf-8", errors="replace")
