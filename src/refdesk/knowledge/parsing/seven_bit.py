"""Texts of East Asia in seven bits: ISO-2022 in its Japanese, Korean and Chinese forms, HZ, and UTF-7.

All their bytes are ASCII, so they are valid UTF-8 and read as garbage (`$B$3$l`) unless somebody looks for
the escape sequences first. Owns these alone. Python's own codecs stop at the first character of a vendor
(① and ㈱ in nearly every Japanese mail) and know no ISO-2022-CN, so ISO-2022 is turned into the EUC code of
each character set instead. CNS 11643, the traditional half of ISO-2022-CN, has no codec: it is damage.
"""

import codecs
import re

# Escape sequence → how its characters are coded in EUC: codec, prefix byte, bytes of one character.
_SETS: dict[bytes, tuple[str, bytes, int]] = {
    b"(B": ("ascii", b"", 1),
    b"(J": ("ascii", b"", 1),  # JIS X 0201 Roman: ¥ stands where ASCII has a backslash, as in Shift-JIS
    b"(H": ("ascii", b"", 1),
    b"(I": ("cp932", b"", 1),
    b"$@": ("euc_jp", b"", 2),
    b"$B": ("euc_jp", b"", 2),
    b"$(@": ("euc_jp", b"", 2),
    b"$(B": ("euc_jp", b"", 2),
    b"$(D": ("euc_jp", b"\x8f", 2),
    b"$(O": ("euc_jis_2004", b"", 2),
    b"$(Q": ("euc_jis_2004", b"", 2),
    b"$(P": ("euc_jis_2004", b"\x8f", 2),
    b"$A": ("gb18030", b"", 2),
    b"$(A": ("gb18030", b"", 2),
    b"$(C": ("cp949", b"", 2),
}
# What stands between SO and SI, once it was announced.
_SHIFTED: dict[bytes, tuple[str, bytes, int]] = {
    b"$)C": ("cp949", b"", 2),
    b"$)A": ("gb18030", b"", 2),
    b"$)G": ("", b"", 2),
    b"$)E": ("", b"", 2),
}
_ESCAPE = re.compile(rb"\x1b(\$[()*]?[@-Z]|\([BJHI]|&@)|([\x0e\x0f])|(\n)")
_MARK = re.compile(rb"\x1b\$(?:[@AB]|\([@ABCDOPQ]|\)[ACEG])")
_FIRST_IN_HZ = re.compile(rb"~\{(?:[\x21-\x77][\x21-\x7e])+~\}")
_LEVEL_ONE_IN_HZ = re.compile(rb"[\x30-\x57]")
_KEPT = 0.95


def seven_bit(data: bytes, declared: str | None, *, whole: bool = True) -> tuple[str, str] | None:
    """Text and encoding of bytes below 0x80 that are more than ASCII, or None.

    What is declared wins where it decodes without an error. `whole` is false for the beginning of a file.
    """
    if not data.isascii():
        return None
    name = _family(declared)
    if name == "utf_7":
        text = _strictly(data, "utf_7") if b"+" in data else None
        return (text, name) if text is not None else None
    is_escaped = b"\x1b$" in data and _MARK.search(data) is not None
    if is_escaped and name != "hz":
        text = _of_iso_2022(data, whole=whole)
        foreign = sum(1 for c in text if c > "\x7f")
        if foreign and text.count("\ufffd") <= (1 - _KEPT) * foreign:
            return text, _variant(data)
    if b"~{" in data and (name == "hz" or _looks_like_hz(data)):
        text = _strictly(data if whole else data[: data.rfind(b"~}") + 2], "hz")
        if text is not None:
            return text, "hz"
    return None


def _family(declared: str | None) -> str | None:
    """The declared encoding where it is one of these."""
    if not declared:
        return None
    name = declared.strip().strip("\"'").lower().replace("_", "-")
    if name in ("hz", "hz-gb-2312", "hzgb"):
        return "hz"
    if name in ("utf-7", "unicode-1-1-utf-7"):
        return "utf_7"
    found = re.match(r"(?:x-)?(?:cs)?iso-?2022-?(jp|kr|cn)|cp5022", name)
    return f"iso2022_{found[1] or 'jp'}" if found else None


def _variant(data: bytes) -> str:
    if b"\x1b$)C" in data:
        return "iso2022_kr"
    return "iso2022_cn" if b"\x1b$)" in data else "iso2022_jp"


def _strictly(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except (UnicodeDecodeError, ValueError):
        return None


def _looks_like_hz(data: bytes) -> bool:
    """Every bracket closes on its line around whole characters, half of them everyday ones."""
    sections = _FIRST_IN_HZ.findall(data)
    if not sections or len(sections) < data.count(b"~{") - data.count(b"~~{"):
        return False
    pairs = b"".join(section[2:-2] for section in sections)[::2]
    return len(_LEVEL_ONE_IN_HZ.findall(pairs)) >= len(pairs) / 2 and _strictly(data, "hz") is not None


def _of_iso_2022(data: bytes, *, whole: bool) -> str:
    ascii_set = _SETS[b"(B"]
    current, shifted, is_out, at = ascii_set, ascii_set, False, 0
    parts: list[str] = []
    for found in _ESCAPE.finditer(data):
        parts.append(_run(data[at : found.start()], shifted if is_out else current))
        at = found.end()
        sequence, shift, line_end = found.groups()
        if sequence is not None:
            if sequence in _SHIFTED:
                shifted = _SHIFTED[sequence]
            elif sequence != b"&@":
                current = _SETS.get(sequence, ("", b"", 2))
        elif shift is not None:
            is_out = shift == b"\x0e"
        elif line_end is not None:
            parts.append("\n")
            # Every line begins in ASCII (RFC 1468), though some writers forget to say so.
            current, is_out = ascii_set, False
    rest = data[at:]
    _, _, size = shifted if is_out else current
    if not whole and len(rest) % size:
        rest = rest[:-1]  # the beginning of a file may end within a character
    parts.append(_run(rest, shifted if is_out else current))
    return "".join(parts)


def _run(data: bytes, of: tuple[str, bytes, int]) -> str:
    codec, prefix, size = of
    if not data or codec == "ascii":
        return data.decode("ascii")
    if size == 1:
        return bytes(byte | 0x80 if byte > 0x20 else byte for byte in data).decode(codec, "replace")
    parts: list[str] = []
    at = 0
    while at < len(data):
        if data[at] <= 0x20:
            parts.append(chr(data[at]))
            at += 1
            continue
        parts.append(_character(data[at : at + 2], codec, prefix))
        at += 2
    return "".join(parts)


def _character(pair: bytes, codec: str, prefix: bytes) -> str:
    if len(pair) < 2 or not codec:
        return "\ufffd"
    try:
        return (prefix + bytes(byte | 0x80 for byte in pair)).decode(codec)
    except UnicodeDecodeError:
        if codec != "euc_jp" or prefix:
            return "\ufffd"
    # NEC's and IBM's characters, which only Shift-JIS of Windows has.
    row, cell = pair[0] - 0x21, pair[1] - 0x21
    lead = row // 2 + (0x81 if row < 62 else 0xC1)
    trail = cell + 0x9F if row % 2 else cell + (0x40 if cell < 63 else 0x41)
    return codecs.decode(bytes((lead, min(trail, 0xFF))), "cp932", "replace")
