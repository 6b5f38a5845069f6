"""Rows of the access table: tools over the Model Context Protocol, skills, working directories."""

import httpx
from tests.http.access_asking import application
from tests.http.access_calls import Call, Row
from tests.http.world import World


async def tools_of_application(world: World, client: httpx.AsyncClient) -> Call:
    return Call(
        path=(await application(world, client)).path,
        json={"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}},
        headers={"Host": "127.0.0.1", "Accept": "application/json, text/event-stream"},
    )


AGENT = (Row("POST", "/apps/{application_id}/mcp", "viewer", tools_of_application, 404),)
