"""RTF as Outlook packs it ([MS-OXRTFCP]): copies of what stood before, or of a beginning that all share."""

import struct

from refdesk.knowledge.parsing.errors import CorruptFile

_BEGINNING = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript "
    b"\\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par "
    b"\\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)
_PACKED, _PLAIN = b"LZFu", b"MELA"
_WINDOW = 4096


def unpacked_rtf(data: bytes) -> bytes:
    """The RTF. Raises `CorruptFile`."""
    if len(data) < 16:
        raise CorruptFile(reason="the packed text is cut off")
    size, mark = struct.unpack_from("<I", data, 4)[0], data[8:12]
    if mark == _PLAIN:
        return data[16 : 16 + size]
    if mark != _PACKED:
        raise CorruptFile(reason="the text is packed in an unknown way")
    window = bytearray(_BEGINNING.ljust(_WINDOW, b" "))
    write = len(_BEGINNING)
    out = bytearray()
    at = 16
    while at < len(data) and len(out) < size:
        control = data[at]
        at += 1
        for bit in range(8):
            if at >= len(data):
                break
            if not control >> bit & 1:
                piece = data[at : at + 1]
                at += 1
            else:
                pair = int.from_bytes(data[at : at + 2], "big")
                at += 2
                begin, length = pair >> 4, (pair & 15) + 2
                if begin == write % _WINDOW:
                    return bytes(out)
                piece = b""
                for step in range(length):
                    # A copy may run into what it writes itself.
                    byte = window[(begin + step) % _WINDOW]
                    window[(write + step) % _WINDOW] = byte
                    piece += bytes((byte,))
            for step, byte in enumerate(piece):
                window[(write + step) % _WINDOW] = byte
            write += len(piece)
            out += piece
    return bytes(out)
