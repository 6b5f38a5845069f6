"""The independent reading of RTF: the text of all groups that are shown, without any structure.

Shares the tokens with the parser, for without them there is no text, and nothing else.
"""

import re

from refdesk.knowledge.parsing.rtf.tokens import SYMBOLS, charset, code_page, tokens
from refdesk.knowledge.parsing.symbols import is_symbol_font, symbol_text

_SILENT_WORDS = (
    "fonttbl colortbl stylesheet info header headerl headerr headerf footer footerl footerr footerf pict "
    "fldinst listtext pntext filetbl sp annotation atnid atnauthor listtable shprslt nonshppict "
    "nonesttables pgptbl nextfile template pn xe tc txe rxe falt fontemb mathPr mmathPr mmathPict "
    "objclass objname objdata bkmkstart bkmkend fldtype themedata datastore latentstyles revtbl rsidtbl "
    "generator panose private"
)
_SILENT = frozenset(_SILENT_WORDS.split())
_STARRED = frozenset(
    ("shpinst", "ud", "do", "shppict", "moMath", "moMathPara", "nesttableprops", "ftnsep", "ftnsepc")
)
_FONT = re.compile(rb"\\f(\d+)([^;{}]*?)(?:\s([^;{}\\]*))?;")
_CHARSET = re.compile(rb"\\fcharset(\d+)")


def plain_text(data: bytes) -> str:
    """All shown text: body, cells, boxes and notes; half pairs of UTF-16 are joined."""
    fonts, names = _fonts(data)
    document = "cp1252"
    out: list[str] = []
    stack: list[tuple[bool, bool, str, str, int]] = []
    silent, hidden, codec, symbol, skip = False, False, document, "", 1
    starred = False
    pending = bytearray()
    left = 0

    def flush() -> None:
        if pending and not silent and not hidden:
            if symbol:
                out.append("".join(symbol_text(symbol, byte) for byte in pending))
            else:
                out.append(pending.decode(codec, "replace"))
        pending.clear()

    for kind, name, value, content in tokens(data):
        if kind in ("hex", "text"):
            dropped = min(left, len(content))
            left -= dropped
            pending += content[dropped:]
            continue
        flush()
        if kind == "open":
            stack.append((silent, hidden, codec, symbol, skip))
            starred, left = False, 0
        elif kind == "close":
            if stack:
                silent, hidden, codec, symbol, skip = stack.pop()
            left = 0
        elif kind == "symbol":
            starred = name == "*"
            if name in "\\{}":
                pending += name.encode()
            elif name == "_" and not silent and not hidden:
                out.append("-")
        elif name == "u" and value is not None:
            if not silent and not hidden:
                char = value % 65536
                out.append(symbol_text(symbol, char) if symbol and char >= 0xF000 else chr(char))
            left = skip
        else:
            left = 0
            if name in _SILENT or (starred and name not in _STARRED) or _is_mark_of_math(name):
                silent = True
            elif name == "ud":
                silent = False
            elif name in SYMBOLS and not silent and not hidden:
                out.append(SYMBOLS[name])
            elif name in ("v", "deleted"):
                hidden = value != 0
            elif name == "plain":
                hidden = False
            elif name == "uc":
                skip = max(0, min(value if value is not None else 1, 10))
            elif name == "ansicpg":
                document = codec = code_page(value)
            elif name == "f" and not silent:
                codec = charset(fonts.get(value or 0), document)
                symbol = names.get(value or 0, "")
            starred = False
    flush()
    return "".join(out).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _is_mark_of_math(name: str) -> bool:
    return len(name) > 3 and name.startswith("m") and name.endswith("Pr")


def _fonts(data: bytes) -> tuple[dict[int, int], dict[int, str]]:
    begin = data.find(b"\\fonttbl")
    charsets: dict[int, int] = {}
    names: dict[int, str] = {}
    end = data.find(b"\\stylesheet", begin)
    for font in _FONT.finditer(data, begin, end if end > begin else min(len(data), begin + 100_000)):
        number = int(font[1])
        mark = _CHARSET.search(font[2])
        if mark and number not in charsets:
            charsets[number] = int(mark[1])
        name = (font[3] or b"").decode("latin-1")
        if is_symbol_font(name):
            names.setdefault(number, name)
    return charsets, names
