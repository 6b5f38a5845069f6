"""The process that draws pages of one PDF, for as long as it is asked to.

Run as a script (`python -I`). Standard input: a line of JSON `{size, password, memory_bytes, cpu_s}`, the
file, then a line `PAGE SCALE` for each page wanted. Standard output, for each: `HEADER` (status, bytes) and
the PNG. Ends with its input. Must not import the rest of the project, so that it starts in 40 ms.
"""

import contextlib
import json
import struct
import sys
import zlib
from typing import Any

HEADER = struct.Struct("!bI")
DRAWN = 0
NO_SUCH_PAGE = 3
UNREADABLE = 4
# A page of 200 inches would be as large as the memory limit; beyond this it is drawn smaller than asked.
MAX_PIXELS = 12_000_000


def png(pixels: bytes, width: int, height: int, stride: int) -> bytes:
    """RGB rows (`stride` bytes apart) as a PNG (RFC 2083), rows unfiltered."""
    raw = b"".join(b"\0" + pixels[y * stride : y * stride + width * 3] for y in range(height))

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack("!I", len(body)) + kind + body + struct.pack("!I", zlib.crc32(kind + body))

    header = struct.pack("!IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = (chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(raw, 6)), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def _limit(memory_bytes: int) -> None:
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def _limit_next_page(cpu_s: int) -> None:
    """Time for one page: what was used so far and as much more as is allowed."""
    try:
        import resource
    except ImportError:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    soft = int(used.ru_utime + used.ru_stime) + cpu_s + 1
    resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def _answer(status: int, body: bytes = b"") -> None:
    sys.stdout.buffer.write(HEADER.pack(status, len(body)) + body)
    sys.stdout.buffer.flush()


def _draw(document: Any, number: int, scale: float) -> None:
    if not 1 <= number <= len(document):
        _answer(NO_SUCH_PAGE)
        return
    page = document[number - 1]
    page_width, page_height = page.get_size()
    pixels = page_width * page_height * scale * scale
    if pixels > MAX_PIXELS:
        scale *= (MAX_PIXELS / pixels) ** 0.5
    bitmap = page.render(scale=scale, rev_byteorder=True, may_draw_forms=False)
    if bitmap.n_channels == 3:
        _answer(DRAWN, png(bytes(bitmap.buffer), bitmap.width, bitmap.height, bitmap.stride))
    else:
        _answer(UNREADABLE)
    bitmap.close()
    page.close()


def main() -> int:
    head = json.loads(sys.stdin.buffer.readline())
    data = sys.stdin.buffer.read(head["size"])
    import pypdfium2  # pyright: ignore[reportMissingTypeStubs]

    _limit(head["memory_bytes"] + len(data))
    document: Any = None  # the library's types are partial
    with contextlib.suppress(pypdfium2.PdfiumError):  # told with each page that is asked for
        document = pypdfium2.PdfDocument(data, password=head["password"])
    for line in sys.stdin.buffer:
        number, scale = line.split()
        if document is None:
            _answer(UNREADABLE)
            continue
        _limit_next_page(head["cpu_s"])
        try:
            _draw(document, int(number), float(scale))
        except pypdfium2.PdfiumError:
            _answer(UNREADABLE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
