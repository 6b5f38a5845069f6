"""Usage and prices over HTTP. Owners see the calls of the workspace, everybody else their own."""

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Response, status
from fastapi.responses import StreamingResponse

from refdesk.accounts import Owner, Viewer
from refdesk.gateway.repository import ModelRepository
from refdesk.gateway.usage import figures as figuring
from refdesk.gateway.usage.csv_files import write_calls
from refdesk.gateway.usage.ranges import check
from refdesk.gateway.usage.repository import CallRepository, PriceRepository, UsageSettingsRepository
from refdesk.gateway.usage.schemas import (
    By,
    CallView,
    FiguresView,
    Filters,
    PriceImport,
    PriceImportResult,
    PriceParts,
    PriceView,
    UsageSettingsView,
)
from refdesk.gateway.usage.service import PriceService, set_usage_settings
from refdesk.kit.errors import CursorInvalid
from refdesk.kit.web import DatabaseDep, Page, PageQuery, Tx

router = APIRouter(prefix="/api/v1", tags=["usage"])

_CSV: dict[int | str, Any] = {
    200: {"content": {"text/csv": {"schema": {"type": "string", "format": "binary"}}}}
}


def _checked(filters: Annotated[Filters, Query()]) -> Filters:
    since, until = check(filters.since, filters.until)
    return filters.model_copy(update={"since": since, "until": until})


FiltersDep = Annotated[Filters, Depends(_checked)]


@router.get("/usage/figures", operation_id="getUsageFigures", summary="Calls, tokens, cost, latency, errors")
async def get_usage_figures(filters: FiltersDep, session: Tx, scope: Viewer, by: By = "day") -> FiguresView:
    return await figuring.figures(session, scope, filters, by)


@router.get("/usage/calls", operation_id="listModelCalls", summary="Single calls, the newest first")
async def list_model_calls(
    filters: FiltersDep, session: Tx, scope: Viewer, page: Annotated[PageQuery, Depends()]
) -> Page[CallView]:
    calls = CallRepository(session, scope)
    found = await calls.page(filters, page.limit, _after(page.cursor))
    last = found[-1] if len(found) == page.limit else None
    return Page(
        items=[CallView.model_validate(call) for call in found],
        next_cursor=f"{last.at.isoformat()}~{last.id}" if last else None,
        total=await calls.count(filters),
    )


@router.get(
    "/usage/export",
    operation_id="exportModelCalls",
    summary="Single calls as CSV",
    response_class=StreamingResponse,
    responses=_CSV,
)
async def export_model_calls(filters: FiltersDep, database: DatabaseDep, scope: Viewer) -> StreamingResponse:
    async def lines() -> AsyncIterator[bytes]:
        async with database.transaction() as session:
            models = {model.id: model.name for model in await ModelRepository(session, scope).all()}
            async for part in write_calls(CallRepository(session, scope).stream(filters), models):
                yield part

    headers = {"Content-Disposition": 'attachment; filename="model-calls.csv"'}
    return StreamingResponse(lines(), media_type="text/csv; charset=utf-8", headers=headers)


@router.get("/usage/settings", operation_id="getUsageSettings", summary="Time zone and retention of usage")
async def get_usage_settings(session: Tx, scope: Viewer) -> UsageSettingsView:
    return UsageSettingsView.model_validate(await UsageSettingsRepository(session, scope).get())


@router.put("/usage/settings", operation_id="setUsageSettings", summary="Set time zone and retention")
async def put_usage_settings(wanted: UsageSettingsView, session: Tx, scope: Owner) -> UsageSettingsView:
    await set_usage_settings(session, scope, wanted)
    return wanted


@router.get("/model-prices", operation_id="listModelPrices", summary="What models cost, and from when on")
async def list_model_prices(session: Tx, scope: Owner) -> Page[PriceView]:
    prices = await PriceRepository(session, scope).all()
    return Page(items=[PriceView.model_validate(price) for price in prices], total=len(prices))


@router.post(
    "/model-prices",
    operation_id="createModelPrice",
    summary="Add a price of a model",
    status_code=status.HTTP_201_CREATED,
)
async def create_model_price(parts: PriceParts, session: Tx, scope: Owner) -> PriceView:
    return PriceView.model_validate(await PriceService(session, scope).create(parts))


@router.get(
    "/model-prices/export",
    operation_id="exportModelPrices",
    summary="All prices as CSV",
    response_class=Response,
    responses=_CSV,
)
async def export_model_prices(session: Tx, scope: Owner) -> Response:
    headers = {"Content-Disposition": 'attachment; filename="model-prices.csv"'}
    data = await PriceService(session, scope).export()
    return Response(data, media_type="text/csv; charset=utf-8", headers=headers)


@router.post("/model-prices/import", operation_id="importModelPrices", summary="Take prices from CSV")
async def import_model_prices(body: PriceImport, session: Tx, scope: Owner) -> PriceImportResult:
    return await PriceService(session, scope).take(body.csv)


@router.put("/model-prices/{price_id}", operation_id="changeModelPrice", summary="Change a price")
async def change_model_price(price_id: UUID, parts: PriceParts, session: Tx, scope: Owner) -> PriceView:
    return PriceView.model_validate(await PriceService(session, scope).change(price_id, parts))


@router.delete(
    "/model-prices/{price_id}",
    operation_id="deleteModelPrice",
    summary="Remove a price",
    status_code=status.HTTP_204_NO_CONTENT,
)
async def delete_model_price(price_id: UUID, session: Tx, scope: Owner) -> None:
    await PriceService(session, scope).delete(price_id)


def _after(cursor: str | None) -> tuple[datetime, UUID] | None:
    if cursor is None:
        return None
    moment, _, call_id = cursor.partition("~")
    try:
        return datetime.fromisoformat(moment), UUID(call_id)
    except ValueError:
        raise CursorInvalid from None
