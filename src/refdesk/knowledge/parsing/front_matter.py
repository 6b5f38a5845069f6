"""The block of metadata at the head of a Markdown file: YAML, TOML, pandoc titles, long rules.

Reads the flat part (keys with scalars or simple lists) without a YAML library: a full one would be a
dependency and an attack surface for two or three useful keys. The text is kept whole in any case.
"""

import re
from dataclasses import dataclass
from typing import Any

_OPENING = re.compile(r"\A\s*(-{3,}|\+{3}|_{10,})[ \t]*\n")
_KEY = re.compile(r"^([A-Za-z_\u4e00-\u9fff][\w .\u4e00-\u9fff-]{0,60}?)[ \t]*[:=](?:[ \t]+(.*)|[ \t]*)$")
_MAX_LINES = 500


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The metadata as written, and its flat keys in lower case."""

    text: str
    meta: dict[str, Any]


def take_front_matter(text: str) -> tuple[FrontMatter | None, str]:
    """Split a file into front matter (None where there is none) and the rest."""
    pandoc = re.match(r"\A%[ \t]*(.*)\n(?:%[ \t]*(.*)\n)?(?:%[ \t]*(.*)\n)?", text)
    if pandoc:
        names = ("title", "author", "date")
        meta: dict[str, Any] = {k: v.strip() for k, v in zip(names, pandoc.groups(), strict=True) if v}
        return FrontMatter("\n".join(str(v) for v in meta.values()), meta), text[pandoc.end() :]
    opening = _OPENING.match(text)
    if not opening:
        return None, text
    mark = opening[1]
    lines = text[opening.end() :].split("\n")
    for count, line in enumerate(lines[:_MAX_LINES]):
        ends = line.rstrip()
        if ends == mark or (mark[0] == "-" and ends == "...") or (len(mark) > 9 and set(ends) == {"_"}):
            body = lines[:count]
            if not any(_KEY.match(entry) for entry in body):
                return None, text
            return FrontMatter("\n".join(body), _flat(body)), "\n".join(lines[count + 1 :])
    return None, text


def _flat(lines: list[str]) -> dict[str, Any]:
    meta: dict[str, Any] = {}
    key = ""
    for line in lines:
        item = re.match(r"^\s*-[ \t]+(.*)$", line)
        entry = _KEY.match(line)
        if entry:
            key = entry[1].strip().lower()
            value = (entry[2] or "").strip()
            if value in ("", "|", ">"):
                meta[key] = []
            elif value.startswith("[") and value.endswith("]"):
                meta[key] = [_scalar(part) for part in value[1:-1].split(",") if part.strip()]
            else:
                meta[key] = _scalar(value)
        elif item and key and isinstance(meta.get(key), list):
            meta[key].append(_scalar(item[1]))
    return {k: v for k, v in meta.items() if v != []}


def _scalar(value: str) -> str:
    value = value.strip()
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return value
