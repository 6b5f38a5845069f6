"""Cutting what has lines: tables repeat their header row, code is cut between lines."""

import re

from refdesk.knowledge.splitting.cutting import Cutter

_RULE = re.compile(r"^\|?[\s:|-]*-[\s:|-]*\|?$")


def cut_table(text: str, start: int, end: int, cutter: Cutter, limit: int) -> list[tuple[int, int, str]]:
    """Spans of whole rows with the header to repeat before each (empty for the first).

    A row that is larger than the limit is cut like text.
    """
    lines = _lines(text, start, end)
    has_rule = len(lines) > 2 and _RULE.match(text[lines[1][0] : lines[1][1]].strip())
    header = text[lines[0][0] : lines[1][1]] if has_rule else ""
    cost = len(header) + 1 if header else 0
    if cost > limit // 2:
        header, cost = "", 0
    return _pack(lines, cutter, limit, header, cost)


def cut_code(text: str, start: int, end: int, cutter: Cutter, limit: int) -> list[tuple[int, int, str]]:
    """Spans of whole lines; a line that is larger than the limit is cut like text."""
    return _pack(_lines(text, start, end), cutter, limit, "", 0)


def _lines(text: str, start: int, end: int) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    at = start
    while at < end:
        stop = text.find("\n", at, end)
        stop = end if stop < 0 else stop
        if stop > at:
            out.append((at, stop))
        at = stop + 1
    return out


def _pack(
    lines: list[tuple[int, int]], cutter: Cutter, limit: int, header: str, cost: int
) -> list[tuple[int, int, str]]:
    out: list[tuple[int, int, str]] = []
    begin: int | None = None
    last = 0
    for start, stop in lines:
        repeated = cost if out else 0
        if begin is not None and cutter.sizing.size(begin, stop) + repeated > limit:
            out.append((begin, last, header if out else ""))
            begin = None
            repeated = cost
        if begin is None and cutter.sizing.size(start, stop) + repeated > limit:
            # The pieces of one row are no rows, so no header stands above them.
            out.extend((s, e, "") for s, e in cutter.fill(start, stop, limit, limit) if e > s)
            continue
        begin = start if begin is None else begin
        last = stop
    if begin is not None:
        out.append((begin, last, header if out else ""))
    return out
