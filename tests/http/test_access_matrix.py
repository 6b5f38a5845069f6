"""Every operation of the application: what nobody, a stranger, each role, a key and another site's page get.

The table is `access_table`; whatever the application serves and the table lacks fails here, and so does the
opposite.
"""

from collections.abc import Iterator
from dataclasses import replace
from uuid import UUID

import pytest
from fastapi import FastAPI
from starlette.routing import BaseRoute, Mount
from tests.http.access_calls import ROLES, Call, Row, status_of
from tests.http.access_table import ROWS
from tests.http.world import World

from refdesk.accounts import Scope
from refdesk.gateway import ModelRepository
from refdesk.testing.embedder import HashingEmbedder

# The built page and its files: static, the same for everybody.
STATIC = {("GET", "/{path:path}")}


def operations(routes: list[BaseRoute]) -> Iterator[tuple[str, str]]:
    """(method, path) of every route, through included routers."""
    for route in routes:
        included = getattr(route, "original_router", None)
        if included is not None:
            yield from operations(included.routes)
        elif isinstance(route, Mount):
            assert route.path == "/assets", f"a mounted application is not in the access table: {route.path}"
        else:
            for method in getattr(route, "methods", None) or ():
                yield method, getattr(route, "path", "")


def test_every_operation_has_a_row_and_every_row_an_operation(app: FastAPI) -> None:
    served = set(operations(app.routes)) - STATIC
    documented = {(method.upper(), path) for path, item in app.openapi()["paths"].items() for method in item}
    assert documented <= served
    listed = [(row.method, row.path) for row in ROWS]
    assert len(listed) == len(set(listed))
    assert served - set(listed) == set(), "operations without a row in tests/http/access_table.py"
    assert set(listed) - served == set(), "rows without an operation"


@pytest.fixture(scope="module", autouse=True)
def light_embedder(app: FastAPI) -> Iterator[None]:
    """The embedded model's place, taken by one that needs no loading."""

    async def embedder(scope: Scope, model_id: UUID, purpose: object = None, **_: object) -> HashingEmbedder:
        async with app.state.database.transaction() as session:
            await ModelRepository(session, scope).get(model_id)
        return HashingEmbedder(model_id, 384)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app.state.gateway, "embedder", embedder)
        yield


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
async def test_access(row: Row, world: World) -> None:
    if row.least == "anyone":
        await _open_to_anyone(row, world)
    else:
        await _nobody_is_refused(row, world)
        await _roles(row, world)
        await _stranger(row, world)
        await _read_only_key(row, world)
        await _bound_key(row, world)
        await _cross_site(row, world)


async def _open_to_anyone(row: Row, world: World) -> None:
    if row.refused is None or not row.always_open:
        status, text = await status_of(world.app, world.nobody, row, await row.prepare(world, world.nobody))
        assert 200 <= status < 300, text
    if row.refused is None:
        assert row.always_open, "an open row says why nobody is ever refused"
    else:
        status, text = await status_of(world.app, world.nobody, row, await row.refused(world, world.nobody))
        assert status in (401, 403, 404, 409), text


async def _nobody_is_refused(row: Row, world: World) -> None:
    maker = world.viewer if row.private else world.nobody
    status, text = await status_of(world.app, world.nobody, row, await row.prepare(world, maker))
    assert status == 401, text


async def _roles(row: Row, world: World) -> None:
    for role in ROLES:
        client = world.clients[role]
        call = await row.prepare(world, client)
        status, text = await status_of(world.app, client, row, call)
        if row.admits(role):
            assert 200 <= status < 300, f"{role}: {status} {text}"
            assert all(shown in text for shown in call.shows), f"{role} does not see {call.shows}"
        else:
            assert status == 403, f"{role}: {status} {text}"
    if row.private and row.stranger is not None:
        for role in ("owner", "administrator"):
            call = await row.prepare(world, world.viewer)
            status, text = await status_of(world.app, world.clients[role], row, call)
            assert status == 404, f"{role} for what belongs to a viewer: {status} {text}"


async def _stranger(row: Row, world: World) -> None:
    if row.least == "in-person":
        return
    call = await row.prepare(world, world.viewer if row.private else world.owner)
    status, text = await status_of(world.app, world.stranger, row, call)
    if row.stranger is None:
        assert not call.path, "a row with ids says what a stranger gets for them"
        assert 200 <= status < 300, f"{status} {text}"
        assert not any(shown in text for shown in call.shows), f"a stranger sees {call.shows}"
    else:
        assert status == row.stranger, f"{status} {text}"
    if row.in_workspace:
        named = {"X-Workspace-ID": str(world.workspace_id)}
        status, text = await status_of(world.app, world.stranger, row, call, **named)
        assert status == 404, f"naming the first workspace: {status} {text}"
    if row.foreign is not None:
        status, text = await status_of(
            world.app, world.stranger, row, await row.foreign(world, world.stranger)
        )
        assert status in (404, 422), f"mixing in a foreign thing: {status} {text}"


async def _read_only_key(row: Row, world: World) -> None:
    call = await row.prepare(world, world.read_key)
    status, text = await status_of(world.app, world.read_key, row, call)
    assert (200 <= status < 300) if row.key else (status == 403), f"key: {status} {text}"


async def _bound_key(row: Row, world: World) -> None:
    """A key that may do everything, but only with one other knowledge base."""
    if row.least in ("signed-in", "in-person"):
        return
    client = world.clients["bound_key"]
    call = await row.prepare(world, world.owner)
    status, text = await status_of(world.app, client, row, call)
    if 200 <= status < 300:
        about_ids = row.stranger is not None or row.method != "GET"
        assert row.bound or not about_ids, f"a bound key passes: {status} {text}"
        assert not any(shown in text for shown in call.shows), f"a bound key sees {call.shows}"
    else:
        assert status in (403, 404), f"a bound key: {status} {text}"


async def _cross_site(row: Row, world: World) -> None:
    """A change with the owner's cookie that another site's page sends, or without the CSRF token."""
    if row.method in ("GET", "HEAD"):
        return
    client = world.administrator
    call: Call = await row.prepare(world, client)
    for headers in ({"X-CSRF-Token": "wrong"}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil"}):
        forged = replace(call, headers=call.headers | headers, shows=())
        status, text = await status_of(world.app, client, row, forged)
        assert status == 403, f"{headers}: {status} {text}"
        assert "csrf-failed" in text
