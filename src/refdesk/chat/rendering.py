"""A tool's answer as text for people, where no model puts it into words: a table, a list, or as it stands."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from refdesk.tools import ToolResult

MOST_ROWS, MOST_COLUMNS, MOST_CELL_CHARS = 30, 8, 200
MOST_CHARS = 4_000

type Flat = str | int | float | bool | None


def rendered(result: ToolResult) -> str:
    """Markdown. What a tool says in words of its own stays as it stands; where it gives nothing but JSON, a
    record becomes a list, and records a table."""
    spoken = _json_of(result.text)
    data = None if result.text.strip() and spoken is None else result.data or spoken
    if isinstance(data, Mapping):
        shown = _record(cast("Mapping[str, Any]", data))
    elif isinstance(data, list):
        shown = _table(cast("list[Any]", data))
    else:
        shown = None
    text = shown if shown is not None else result.text.strip()
    return text if len(text) <= MOST_CHARS else text[: MOST_CHARS - 1].rstrip() + "…"


def _json_of(text: str) -> Any:
    try:
        return json.loads(text) if text.lstrip()[:1] in ("{", "[") else None
    except ValueError:
        return None


def _record(data: Mapping[str, Any]) -> str | None:
    if len(data) == 1:
        only = next(iter(data.values()))
        if isinstance(only, Mapping):
            return _record(cast("Mapping[str, Any]", only))
        if isinstance(only, list):
            return _table(cast("list[Any]", only))
    lines: list[str] = []
    for key, value in data.items():
        if isinstance(value, list) and (table := _table(cast("list[Any]", value))) is not None:
            lines.append(f"- {key}:\n\n{table}\n")
        else:
            lines.append(f"- {key}: {_cell(value)}")
    return "\n".join(lines) or None


def _table(rows: Sequence[Any]) -> str | None:
    records = [cast("Mapping[str, Any]", row) for row in rows if isinstance(row, Mapping)]
    if not records or len(records) != len(rows):
        return None
    columns = list(dict.fromkeys(key for record in records for key in record))[:MOST_COLUMNS]
    lines = [_row(columns), _row(["---"] * len(columns))]
    lines += [_row([_cell(record.get(column)) for column in columns]) for record in records[:MOST_ROWS]]
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = " ".join(text.split()).replace("|", "\\|")
    return text if len(text) <= MOST_CELL_CHARS else text[: MOST_CELL_CHARS - 1] + "…"
