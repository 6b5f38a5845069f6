"""Tokens of RTF 1.9 and the encodings its texts are in."""

import codecs
import re
from collections.abc import Iterator

_TOKEN = re.compile(
    rb"(?P<open>\{)|(?P<close>\})"
    rb"|\\(?P<word>[A-Za-z]{1,32})(?P<value>-?\d{1,10})?\x20?"
    rb"|\\'(?P<hex>[0-9A-Fa-f]{2})"
    rb"|\\(?P<symbol>[^A-Za-z])"
    rb"|(?P<text>[^\\{}\r\n\x00]+)",
    re.DOTALL,
)
# Character sets of fonts (\fcharset) as Python codecs; 0 and 1 mean the encoding of the document.
_CHARSETS = {
    77: "mac_roman",
    128: "cp932",
    129: "cp949",
    130: "johab",
    134: "gb18030",
    136: "cp950",
    161: "cp1253",
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
    254: "cp437",
    255: "cp850",
}
_PAGES = {936: "gb18030", 10000: "mac_roman", 65001: "utf-8", 1361: "johab"}
SYMBOLS = {
    "emdash": "—",
    "endash": "–",
    "lquote": "‘",
    "rquote": "’",
    "ldblquote": "“",
    "rdblquote": "”",
    "bullet": "•",
    "tab": "\t",
    "emspace": " ",
    "enspace": " ",
    "qmspace": " ",
    "line": "\n",
    "softline": "\n",
    "lbr": "\n",
}

type Token = tuple[str, str, int | None, bytes]
"""Kind (`open`, `close`, `word`, `hex`, `symbol`, `text`), name, number, bytes."""


def tokens(data: bytes) -> Iterator[Token]:
    """Tokens in order; the bytes behind `\\bin` belong to its token."""
    at = 0
    while at < len(data):
        found = _TOKEN.match(data, at)
        if found is None:
            at += 1
            continue
        at = found.end()
        kind = found.lastgroup or ""
        if kind in ("word", "value"):
            name = found["word"].decode("ascii")
            value = int(found["value"]) if found["value"] else None
            binary = b""
            if name == "bin":
                binary = data[at : at + max(0, value or 0)]
                at += max(0, value or 0)
            yield "word", name, value, binary
        elif kind == "hex":
            yield kind, "", None, bytes.fromhex(found["hex"].decode("ascii"))
        elif kind == "symbol":
            yield kind, found["symbol"].decode("latin-1"), None, b""
        else:
            yield kind, "", None, found["text"] or b""


def code_page(number: int | None) -> str:
    """The codec of a Windows code page; western where it is unknown."""
    if number in _PAGES:
        return _PAGES[number]
    name = f"cp{number}"
    try:
        codecs.lookup(name)
    except LookupError:
        return "cp1252"
    return name


def charset(number: int | None, document: str) -> str:
    """The codec of a font's character set."""
    return _CHARSETS.get(number or 0, document)
