"""What a row of the access table is made of, and how one of its requests is made."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any, Literal

import httpx
from fastapi import FastAPI
from tests.http.world import World

Least = Literal["anyone", "signed-in", "in-person", "viewer", "editor", "owner", "administrator"]
ROLES = ("viewer", "editor", "owner", "administrator")


@dataclass(frozen=True)
class Call:
    """One request to a row's path. `shows` are texts that the answer holds for members only."""

    path: dict[str, Any] = field(default_factory=dict[str, Any])
    query: dict[str, Any] = field(default_factory=dict[str, Any])
    json: Any = None
    files: Any = None
    headers: dict[str, str] = field(default_factory=dict[str, str])
    shows: tuple[str, ...] = ()
    content: bytes | None = None


# Makes what the request is about, afresh for each request, in the first workspace. The client is the
# caller's own, for things that belong to whoever made them.
Prepare = Callable[[World, httpx.AsyncClient], Awaitable[Call]]


async def nothing(_world: World, _client: httpx.AsyncClient) -> Call:
    return Call()


@dataclass(frozen=True)
class Row:
    """Who gets what from one operation.

    `least` is the lowest role that succeeds. `stranger` is what a member of another workspace gets for the
    first workspace's ids from within their own workspace: 404, or None where there are no ids and the answer
    must be a success that shows nothing of the first workspace. `foreign` prepares a request of the stranger
    that mixes their own things with the first workspace's, and must get 404 (or 422, as for an unknown id).
    `private` things are for whoever made them alone. `key` tells whether a read-only key succeeds,
    `bound` whether a key bound to something else does. `refused` prepares a request that fails for everybody,
    for rows that are open to anyone.
    """

    method: str
    path: str
    least: Least
    prepare: Prepare = nothing
    stranger: int | None = None
    key: bool = False
    bound: bool = False
    in_workspace: bool = True
    private: bool = False
    streams: bool = False
    refused: Prepare | None = None
    foreign: Prepare | None = None
    always_open: str = ""

    @property
    def name(self) -> str:
        return f"{self.method} {self.path}"

    def admits(self, role: str) -> bool:
        if self.least in ("anyone", "signed-in", "in-person"):
            return True
        return ROLES.index(role) >= ROLES.index(self.least)


async def status_of(
    app: FastAPI, client: httpx.AsyncClient, row: Row, call: Call, **headers: str
) -> tuple[int, str]:
    """Status and text of the answer. A stream is left as soon as it has begun, its text is empty."""
    request = client.build_request(
        row.method,
        row.path.format_map(call.path),
        params=call.query,
        headers=call.headers | headers,
        **_body_of(call),
    )
    if row.streams:
        return await _beginning(app, request), ""
    cookies = httpx.Cookies(client.cookies)
    response = await client.send(request)
    client.cookies = cookies  # whoever signed in or out here, the client stays who it was
    return response.status_code, response.text


def _body_of(call: Call) -> dict[str, Any]:
    if call.content is not None:
        return {"content": call.content}
    return {"json": call.json, "files": call.files}


async def _beginning(app: FastAPI, request: httpx.Request) -> int:
    begun = asyncio.Event()
    status = 0
    sent = False

    async def receive() -> MutableMapping[str, Any]:
        nonlocal sent
        if not sent:
            sent = True
            return {"type": "http.request", "body": request.read(), "more_body": False}
        await begun.wait()
        return {"type": "http.disconnect"}

    async def send(message: MutableMapping[str, Any]) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]
            begun.set()

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": request.url.scheme,
        "path": request.url.path,
        "raw_path": request.url.raw_path.split(b"?")[0],
        "query_string": request.url.query,
        "root_path": "",
        "headers": [(name.lower(), value) for name, value in request.headers.raw],
        "client": ("127.0.0.1", 1),
        "server": (request.url.host, 80),
    }
    async with asyncio.timeout(30):
        await app(scope, receive, send)
    return status
