"""A tool's answer as text for people, where no model puts it into words: a table, a list, or as it stands."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from refdesk.chat.language import Language
from refdesk.tools import ToolResult

MOST_ROWS, MOST_COLUMNS, MOST_CELL_CHARS = 30, 8, 200
MOST_CHARS = 4_000
_TABLE_CHARS = 3_000
_CUT: dict[Language, dict[str, str]] = {
    "zh": {"rows": "仅列出前 {shown} 行，共 {total} 行。", "columns": "仅列出前 {shown} 列，共 {total} 列。"},
    "en": {
        "rows": "The first {shown} of {total} rows.",
        "columns": "The first {shown} of {total} columns.",
    },
}

type Flat = str | int | float | bool | None


def rendered(result: ToolResult, language: Language) -> str:
    """Markdown. What a tool says in words of its own stays as it stands; where it gives nothing but JSON, a
    record becomes a list, and records a table; what a table leaves out is said below it."""
    spoken = _json_of(result.text)
    data = None if result.text.strip() and spoken is None else result.data or spoken
    if isinstance(data, Mapping):
        shown = _record(cast("Mapping[str, Any]", data), language)
    elif isinstance(data, list):
        shown = _table(cast("list[Any]", data), language)
    else:
        shown = None
    text = shown if shown is not None else result.text.strip()
    return text if len(text) <= MOST_CHARS else text[: MOST_CHARS - 1].rstrip() + "…"


def _json_of(text: str) -> Any:
    try:
        return json.loads(text) if text.lstrip()[:1] in ("{", "[") else None
    except ValueError:
        return None


def _record(data: Mapping[str, Any], language: Language) -> str | None:
    if len(data) == 1:
        only = next(iter(data.values()))
        if isinstance(only, Mapping):
            return _record(cast("Mapping[str, Any]", only), language)
        if isinstance(only, list):
            return _table(cast("list[Any]", only), language)
    lines: list[str] = []
    for key, value in data.items():
        table = _table(cast("list[Any]", value), language) if isinstance(value, list) else None
        if table is not None:
            lines.append(f"- {key}:\n\n{table}\n")
        else:
            lines.append(f"- {key}: {_cell(value)}")
    return "\n".join(lines) or None


def _table(rows: Sequence[Any], language: Language) -> str | None:
    records = [cast("Mapping[str, Any]", row) for row in rows if isinstance(row, Mapping)]
    if not records or len(records) != len(rows):
        return None
    keys = list(dict.fromkeys(key for record in records for key in record))
    columns = keys[:MOST_COLUMNS]
    lines = [_row([_cell(column) for column in columns]), _row(["---"] * len(columns))]
    heads, chars = len(lines), sum(map(len, lines))
    for record in records[:MOST_ROWS]:
        line = _row([_cell(record.get(column)) for column in columns])
        chars += len(line) + 1
        if chars > _TABLE_CHARS and len(lines) > heads:  # whole rows only: half a row is no table
            break
        lines.append(line)
    cuts = {"rows": (len(lines) - heads, len(records)), "columns": (len(columns), len(keys))}
    left_out = [
        _CUT[language][what].format(shown=shown, total=total)
        for what, (shown, total) in cuts.items()
        if shown < total
    ]
    return "\n".join(lines + (["", " ".join(left_out)] if left_out else []))


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = " ".join(text.split()).replace("|", "\\|")
    return text if len(text) <= MOST_CELL_CHARS else text[: MOST_CELL_CHARS - 1] + "…"
