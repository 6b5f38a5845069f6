"""Links inside running text, in the one form in which they travel: `[shown](address)`."""

_SCHEMES = ("http://", "https://", "mailto:", "ftp://")


def linked(text: str, address: str) -> str:
    """The text with its address, unless the text is the address or the address leads nowhere outside."""
    shown = text.strip()
    if not shown or not address.lower().startswith(_SCHEMES):
        return text
    if address.rstrip("/") in (shown.rstrip("/"), f"mailto:{shown}", f"http://{shown}", f"https://{shown}"):
        return text
    return text.replace(shown, f"[{shown}]({address})", 1)
