"""The process that draws one page of a PDF. Arguments: page, scale, memory in bytes, seconds of CPU.

Run as a script (`python -I`): the file comes on standard input, the PNG goes to standard output. Must not
import the rest of the project, so that it starts in 40 ms.
"""

import struct
import sys
import zlib
from typing import Any

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


def _limit(memory_bytes: int, cpu_s: int) -> None:
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def main() -> int:
    number, memory_bytes, cpu_s = (int(sys.argv[i]) for i in (1, 3, 4))
    scale = float(sys.argv[2])
    data = sys.stdin.buffer.read()
    import pypdfium2  # pyright: ignore[reportMissingTypeStubs]

    _limit(memory_bytes + len(data), cpu_s)
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError:
        return UNREADABLE
    if not 1 <= number <= len(document):
        return NO_SUCH_PAGE
    page: Any = document[number - 1]  # the library's types are partial
    page_width, page_height = page.get_size()
    pixels = page_width * page_height * scale * scale
    if pixels > MAX_PIXELS:
        scale *= (MAX_PIXELS / pixels) ** 0.5
    bitmap = page.render(scale=scale, rev_byteorder=True, may_draw_forms=False)
    if bitmap.n_channels == 3:
        rows = bytes(bitmap.buffer)
        sys.stdout.buffer.write(png(rows, bitmap.width, bitmap.height, bitmap.stride))
        return 0
    return UNREADABLE


if __name__ == "__main__":
    sys.exit(main())
