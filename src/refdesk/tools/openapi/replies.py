"""What an interface answered, as a model can read it: JSON cut where lists are long, pages as their words."""

import json
from typing import Any, cast

from selectolax.lexbor import LexborHTMLParser

_STEPS = (50, 20, 10, 5, 3, 1)
_TEXT_CHARS = (2_000, 500, 200)


def readable(body: bytes, content_type: str, encoding: str | None, most_chars: int) -> tuple[str, Any, bool]:
    """The text of a reply, the same as data where it is JSON, and whether something was left out."""
    kind = content_type.partition(";")[0].strip().lower()
    if not body:
        return "", None, False
    if kind.endswith("json") or (not kind and body[:1] in b"{["):
        try:
            data = json.loads(body)
        except (ValueError, RecursionError):
            pass
        else:
            return trimmed(data, most_chars)
    if not (kind.startswith("text/") or kind.endswith(("json", "xml", "yaml")) or not kind):
        return f"({kind}, {len(body):,} bytes)", None, True
    try:
        text = body.decode(encoding or "utf-8", "replace")
    except LookupError:
        text = body.decode("utf-8", "replace")
    if kind in ("text/html", "application/xhtml+xml"):
        text = _words(text)
    return text[:most_chars], None, len(text) > most_chars


def trimmed(data: Any, most_chars: int) -> tuple[str, Any, bool]:
    """JSON of at most so many characters: long texts and lists end early, with a word on what is missing."""
    text = json.dumps(data, ensure_ascii=False)
    if len(text) <= most_chars:
        return text, data, False
    for items in _STEPS:
        for chars in _TEXT_CHARS:
            shorter = _shortened(data, items, chars)
            text = json.dumps(shorter, ensure_ascii=False)
            if len(text) <= most_chars:
                return text, shorter, True
    return text[:most_chars], None, True


def _shortened(value: Any, items: int, chars: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= chars else f"{value[:chars]}… ({len(value) - chars} more characters)"
    if isinstance(value, list):
        listed = cast("list[Any]", value)
        kept = [_shortened(one, items, chars) for one in listed[:items]]
        return kept if len(listed) <= items else [*kept, f"… ({len(listed) - items} more)"]
    if isinstance(value, dict):
        return {name: _shortened(one, items, chars) for name, one in cast("dict[str, Any]", value).items()}
    return value


def _words(page: str) -> str:
    tree = LexborHTMLParser(page)
    for node in tree.css("script, style, noscript, template"):
        node.decompose()
    text = tree.body.text(separator="\n", strip=True) if tree.body is not None else ""
    return "\n".join(line for line in (one.strip() for one in text.splitlines()) if line)
