"""Characters of symbol fonts: letters and bytes that mean something only in the font they are set in."""

_CAPITALS = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ"
_SMALL = "αβχδεφγηιϕκλμνοπθρστυϖωξψζ"
_HIGH = "ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪ 〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"
_SYMBOL = (
    {0x41 + i: char for i, char in enumerate(_CAPITALS)}
    | {0x61 + i: char for i, char in enumerate(_SMALL)}
    | {0xA1 + i: char for i, char in enumerate(_HIGH)}
    | dict(zip((0x22, 0x24, 0x27, 0x2A, 0x2D, 0x40, 0x5C, 0x5E), "∀∃∋∗−≅∴⊥", strict=True))
)
_WINGDINGS = (
    {0x81 + i: chr(0x2460 + i) for i in range(10)}
    | {0x8C + i: chr(0x2776 + i) for i in range(10)}
    | dict(
        zip(
            (0x22, 0x28, 0x2A, 0x4A, 0x4C, 0x6C, 0x6E, 0x6F, 0x71, 0x75, 0x76, 0x9F, 0xA7, 0xA8, 0xB7),
            "✂☎✉☺☹●■□❑◆❖•▪□•",
            strict=True,
        )
    )
    | dict(
        zip(
            (0xD8, 0xDF, 0xE0, 0xE1, 0xE2, 0xE8, 0xF0, 0xFB, 0xFC, 0xFD, 0xFE),
            "➢←→↑↓➔⇨✗✓☒☑",
            strict=True,
        )
    )
)
_WINGDINGS_2: dict[int, str] = dict(zip((0x4F, 0x50, 0x51, 0x52, 0x53, 0x54, 0xA3), "✗✓☒☑☒☒□", strict=True))
_PRIVATE = 0xF000


def is_symbol_font(name: str) -> bool:
    """Whether letters of this font are pictures of something else."""
    return name.strip().lower() in ("symbol", "wingdings", "wingdings 2", "wingdings 3", "webdings")


def symbol_text(font: str, code: int) -> str:
    """What a character of a symbol font shows; nothing where only its font knows.

    `code` is the byte in the font, also where it was moved to the private area (U+F020–U+F0FF).
    """
    at = code - _PRIVATE if _PRIVATE <= code <= _PRIVATE + 0xFF else code
    name = font.strip().lower()
    if name == "symbol":
        return _SYMBOL.get(at, chr(at) if 0x20 <= at < 0x7F else "")
    table = _WINGDINGS_2 if name == "wingdings 2" else _WINGDINGS
    return table.get(at, " " if at == 0x20 else "")


def without_private(text: str, font: str) -> str:
    """A text in which characters of the private area are those of the font."""
    if not any(_PRIVATE <= ord(char) <= _PRIVATE + 0xFF for char in text):
        return text
    return "".join(
        symbol_text(font, ord(char)) if _PRIVATE <= ord(char) <= _PRIVATE + 0xFF else char for char in text
    )
