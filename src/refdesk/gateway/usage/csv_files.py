"""Calls and prices as tables, as spreadsheets write and read them."""

import csv
import io
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any
from uuid import UUID

from pydantic import ValidationError

from refdesk.gateway.usage.errors import PriceFileInvalid
from refdesk.gateway.usage.schemas import PriceParts
from refdesk.gateway.usage.tables import ModelCall, ModelPrice

CALL_COLUMNS = (
    "at",
    "model",
    "model_id",
    "kind",
    "path",
    "user_id",
    "api_key_id",
    "application_id",
    "run_id",
    "request_id",
    "is_attempt",
    "is_cached",
    "input_tokens",
    "output_tokens",
    "cached_tokens",
    "units",
    "first_token_ms",
    "latency_ms",
    "attempts",
    "switched_from",
    "code",
    "fault",
    "cost",
    "currency",
)
PRICE_COLUMNS = (
    "model",
    "valid_from",
    "currency",
    "input_per_million",
    "cached_per_million",
    "output_per_million",
    "per_unit",
    "per_call",
)
_NUMBERS = PRICE_COLUMNS[3:]
_LINES_AT_ONCE = 500
# What makes a spreadsheet take a cell for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_BYTE_ORDER_MARK = "\ufeff"


async def write_calls(calls: AsyncIterator[ModelCall], models: Mapping[UUID, str]) -> AsyncIterator[bytes]:
    """The lines of a file, some at a time. UTF-8 with the mark that spreadsheets know it by."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    text.write(_BYTE_ORDER_MARK)
    writer.writerow(CALL_COLUMNS)
    lines = 0
    async for call in calls:
        values: dict[str, Any] = {name: getattr(call, name, None) for name in CALL_COLUMNS}
        values["model"] = models.get(call.model_id, "")
        values["at"] = call.at.isoformat().replace("+00:00", "Z")
        writer.writerow([_cell(values[name]) for name in CALL_COLUMNS])
        lines += 1
        if lines % _LINES_AT_ONCE == 0:
            yield text.getvalue().encode()
            text.seek(0)
            text.truncate()
    yield text.getvalue().encode()


def write_prices(prices: Iterable[ModelPrice], models: Mapping[UUID, str]) -> bytes:
    """All prices, by the names of their models."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(PRICE_COLUMNS)
    for price in prices:
        values = {name: getattr(price, name, None) for name in PRICE_COLUMNS}
        values["model"] = models.get(price.model_id, "")
        writer.writerow([_cell(values[name]) for name in PRICE_COLUMNS])
    return text.getvalue().encode("utf-8-sig")


def read_prices(text: str, models: Mapping[str, Sequence[UUID]]) -> list[PriceParts]:
    """The prices of a file; models are named as in the workspace. Raises `PriceFileInvalid`."""
    try:
        return _prices(text, models)
    except csv.Error as error:
        raise PriceFileInvalid(f"The file is not readable CSV: {error}.") from error


def _prices(text: str, models: Mapping[str, Sequence[UUID]]) -> list[PriceParts]:
    reader = csv.DictReader(io.StringIO(text.removeprefix(_BYTE_ORDER_MARK)))
    missing = [name for name in PRICE_COLUMNS[:3] if name not in (reader.fieldnames or ())]
    if missing:
        raise PriceFileInvalid(f"The file has no column {', '.join(missing)}.")
    faults: list[dict[str, Any]] = []
    found: dict[tuple[UUID, date], PriceParts] = {}
    for row in reader:
        try:
            price = _price(row, models)
            if (price.model_id, price.valid_from) in found:
                raise ValueError("the model has two prices from that day on")
            found[price.model_id, price.valid_from] = price
        except ValidationError as error:
            first = error.errors()[0]
            column = ".".join(map(str, first["loc"]))
            faults.append({"line": reader.line_num, "reason": f"{column}: {first['msg']}"})
        except (ValueError, InvalidOperation) as error:
            faults.append({"line": reader.line_num, "reason": str(error) or "not a number"})
    if faults:
        first = faults[0]
        raise PriceFileInvalid(
            f"Line {first['line']} cannot be read: {first['reason']}. Nothing was changed.", rows=faults[:50]
        )
    return list(found.values())


def _price(row: Mapping[str, str | None], models: Mapping[str, Sequence[UUID]]) -> PriceParts:
    name = (row.get("model") or "").strip().removeprefix("'")
    ids = models.get(name, ())
    if len(ids) != 1:
        raise ValueError(f"no model of the workspace is called {name}")
    values: dict[str, Any] = {"model_id": ids[0]}
    values["valid_from"] = (row.get("valid_from") or "").strip()
    values["currency"] = (row.get("currency") or "").strip()
    for column in _NUMBERS:
        cell = (row.get(column) or "").strip()
        if cell:
            values[column] = Decimal(cell)
    return PriceParts.model_validate(values)


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
