"""JSON as text: as it stands, cut between the members of its outermost list or object.

Not translated into prose: whoever asks about a configuration quotes its keys. Escaped characters
(`\\u4e2d`) are written out, otherwise no question would ever meet them.
"""

import json
import re

from refdesk.knowledge.parsing.binary import looks_binary
from refdesk.knowledge.parsing.blocks import BlockList, Parsed, ParseOptions
from refdesk.knowledge.parsing.coverage import finish
from refdesk.knowledge.parsing.plain import read_text

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},]|[^"\[\]{},]+|"', re.DOTALL)
_ESCAPED = re.compile(
    r"(?:\\\\)+|\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})"
)
_BLOCK_CHARS = 1_500
_LINE_CHARS = 2_000


class Json:
    """JSON and JSON lines, by name."""

    kind = "json"
    suffixes = (".json", ".jsonl", ".ndjson", ".geojson")

    def supports(self, name: str, head: bytes) -> bool:
        """Text whose name says so."""
        return name.lower().endswith(self.suffixes) and not looks_binary(head)

    def parse(self, data: bytes, name: str, options: ParseOptions) -> Parsed:
        """Code blocks of about 1,500 characters, cut where a member ends."""
        found = BlockList()
        decoded = read_text(data, found)
        lines = name.lower().endswith((".jsonl", ".ndjson"))
        if not lines:
            _check(decoded.text, found)
        text = _ESCAPED.sub(_written_out, decoded.text)
        block = ""
        for part in text.split("\n") if lines else _members(text):
            if block and len(block) + len(part) > _BLOCK_CHARS:
                found.add("code", block)
                block = ""
            block += f"{part}\n" if lines else part
        found.add("code", block)
        return finish(name, self.kind, found, {"encoding": decoded.encoding}, text)


def _check(text: str, found: BlockList) -> None:
    try:
        json.loads(text)
    except RecursionError:
        found.warn(
            "json-too-deep",
            "The values of the file are nested too deep to be checked as JSON; it was read as text, whole.",
        )
    except ValueError as error:
        found.warn("invalid-json", f"The file is not valid JSON and was read as text: {error}"[:300])


def _written_out(found: re.Match[str]) -> str:
    if found[1]:
        pair = bytes.fromhex(found[1] + found[2])
        return pair.decode("utf-16-be", "replace")
    if not found[3]:
        return found[0]
    char = chr(int(found[3], 16))
    return char if char.isprintable() and char not in '"\\' else found[0]


def _members(text: str) -> list[str]:
    """The text cut after each member of the outermost level that has more than one."""
    depth = _cut_depth(text)
    parts: list[str] = []
    begin = level = 0
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark in ("[", "{"):
            level += 1
        elif mark in ("]", "}"):
            level -= 1
        elif mark == "," and (level <= depth or token.end() - begin > _LINE_CHARS):
            parts.append(text[begin : token.end()])
            begin = token.end()
    parts.append(text[begin:])
    return parts


def _cut_depth(text: str) -> int:
    """Depth at which most is separated: 1, or 2 where the outermost level only wraps one list."""
    level = outer = 0
    for token in _TOKEN.finditer(text):
        mark = token[0]
        level += (mark in ("[", "{")) - (mark in ("]", "}"))
        outer += mark == "," and level == 1
    return 1 if outer >= 3 else 2
