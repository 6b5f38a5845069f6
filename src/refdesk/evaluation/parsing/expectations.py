"""What a file must give: the rows of `expect.jsonl`.

Each row is an object with `file` (relative to the list), `kind`, `expect`, `level`, and where they apply
`must_contain`, `must_not_contain`, `order`, `headings` ([level, text]), `cells` (values of one row) and
`password`. Other keys are notes. `expect` says what has to happen:

- `text`: the file is read, at least 99.5 % of it kept;
- `ocr`: it is read by OCR; with OCR off, a clear notice;
- `password`: reported as protected, and read with the `password` if one is given;
- `error`: a clear failure, or what could be saved with a warning;
- `empty`: reported as without content;
- `safe`: any end within the limits;
- `warn`: read with a warning, or a clear failure; never an empty success.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast, get_args

import orjson

from refdesk.kit.errors import AppError

type Expect = Literal["text", "ocr", "password", "error", "empty", "safe", "warn"]
_EXPECTS = get_args(Expect.__value__)
_PLACES = ("files/expect.jsonl", "expect.jsonl")


class NoExpectations(AppError):
    """The directory holds no list of expectations, or a row of it cannot be read."""

    code = "no-expectations"
    status = 422
    message = "There is no expect.jsonl in this directory."
    hint = "Give the directory that holds expect.jsonl, or the one above its folder “files”."


@dataclass(frozen=True, slots=True)
class Expectation:
    """One row; `path` is where the file lies."""

    file: str
    path: Path
    kind: str
    level: str
    expect: Expect
    must_contain: tuple[str, ...]
    must_not_contain: tuple[str, ...]
    order: tuple[str, ...]
    headings: tuple[tuple[int, str], ...]
    cells: tuple[tuple[str, ...], ...]
    password: str | None


def read_expectations(directory: Path) -> list[Expectation]:
    """All rows. Raises `NoExpectations`."""
    listed = next((directory / place for place in _PLACES if (directory / place).is_file()), None)
    if listed is None:
        raise NoExpectations(directory=str(directory))
    rows: list[Expectation] = []
    for number, line in enumerate(listed.read_bytes().splitlines(), start=1):
        if line.strip():
            try:
                rows.append(_row(cast(dict[str, Any], orjson.loads(line)), listed.parent))
            except (orjson.JSONDecodeError, KeyError, TypeError, ValueError) as error:
                raise NoExpectations(f"Line {number} of {listed.name} cannot be read: {error!r}.") from error
    if not rows:
        raise NoExpectations("The list of expectations is empty.")
    return rows


def _row(row: dict[str, Any], folder: Path) -> Expectation:
    if row["expect"] not in _EXPECTS:
        raise ValueError(f"expect is {row['expect']!r}")
    return Expectation(
        file=row["file"],
        path=folder / row["file"],
        kind=row.get("kind", "unknown"),
        level=row.get("level", "basic"),
        expect=row["expect"],
        must_contain=tuple(row.get("must_contain") or ()),
        must_not_contain=tuple(row.get("must_not_contain") or ()),
        order=tuple(row.get("order") or ()),
        headings=tuple((int(level), str(text)) for level, text in row.get("headings") or ()),
        cells=tuple(tuple(map(str, cells)) for cells in row.get("cells") or ()),
        password=row.get("password"),
    )
