"""A first workspace, a second one, and a signed-in client of each kind of person: see `World`."""

from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
from fastapi import FastAPI

from refdesk.accounts import issue_setup_token, load_operator_key
from refdesk.kit.database import Database
from refdesk.kit.settings import Settings

BASE_URL = "http://refdesk.test"
PASSWORD = "a long enough password"


@dataclass
class World:
    """Who is there. Every client acts in the first workspace, the stranger's in the second."""

    app: FastAPI
    database: Database
    data_dir: Path
    stack: AsyncExitStack
    workspace_id: UUID = field(default_factory=lambda: UUID(int=0))
    other_workspace_id: UUID = field(default_factory=lambda: UUID(int=0))
    clients: dict[str, httpx.AsyncClient] = field(default_factory=dict[str, httpx.AsyncClient])
    user_ids: dict[str, UUID] = field(default_factory=dict[str, UUID])
    model_url: str | None = None
    mcp_url: str | None = None
    _names: int = 0

    @property
    def nobody(self) -> httpx.AsyncClient:
        return self.clients["nobody"]

    @property
    def stranger(self) -> httpx.AsyncClient:
        return self.clients["stranger"]

    @property
    def viewer(self) -> httpx.AsyncClient:
        return self.clients["viewer"]

    @property
    def editor(self) -> httpx.AsyncClient:
        return self.clients["editor"]

    @property
    def owner(self) -> httpx.AsyncClient:
        return self.clients["owner"]

    @property
    def administrator(self) -> httpx.AsyncClient:
        return self.clients["administrator"]

    @property
    def operator(self) -> httpx.AsyncClient:
        return self.clients["operator"]

    @property
    def read_key(self) -> httpx.AsyncClient:
        return self.clients["read_key"]

    def email(self, name: str) -> str:
        return f"{name}@example.org"

    def new_name(self, kind: str) -> str:
        """A name that nothing else has."""
        self._names += 1
        return f"{kind} {self._names}"

    async def client(self, **headers: str) -> httpx.AsyncClient:
        """A client without credentials, closed with the module."""
        transport = httpx.ASGITransport(app=self.app)
        client = httpx.AsyncClient(transport=transport, base_url=BASE_URL, headers=headers, timeout=60)
        return await self.stack.enter_async_context(client)

    async def sign_in(self, email: str, password: str = PASSWORD) -> httpx.AsyncClient:
        client = await self.client()
        session = ok(await client.post("/api/v1/session", json={"email": email, "password": password}))
        client.headers["X-CSRF-Token"] = session["csrf_token"]
        return client

    async def invite(self, by: httpx.AsyncClient, name: str, role: str) -> UUID:
        """A new person with a password, in the workspace of `by`."""
        body = {"email": self.email(name), "name": name, "role": role}
        invited = ok(await by.post("/api/v1/invitations", json=body))
        token = invited["link"].rsplit("/", 1)[1]
        path = f"/api/v1/invitations/{token}/redeem"
        ok(await (await self.client()).post(path, json={"password": PASSWORD}))
        return UUID(invited["user"]["id"])

    async def make_key(self, by: httpx.AsyncClient, *scopes: str, **more: Any) -> httpx.AsyncClient:
        """A client with a new API key."""
        body = {"name": self.new_name("key"), "scopes": list(scopes), **more}
        made = ok(await by.post("/api/v1/api-keys", json=body))
        return await self.client(Authorization=f"Bearer {made['secret']}")


def ok(response: httpx.Response) -> Any:
    """The body of a response that must be a success."""
    assert response.is_success, f"{response.request.method} {response.request.url}: {response.text}"
    return response.json() if response.content else None


def problem(response: httpx.Response, status: int, code: str) -> Any:
    """The problem document of a response that must have failed so."""
    assert (response.status_code, response.json().get("code")) == (status, code), response.text
    return response.json()


async def make_world(app: FastAPI, settings: Settings, stack: AsyncExitStack) -> World:
    world = World(app=app, database=app.state.database, data_dir=settings.data_dir, stack=stack)
    async with world.database.transaction() as session:
        token = await issue_setup_token(session)
    first = {"token": token, "email": world.email("administrator"), "name": "A", "password": PASSWORD}
    nobody = world.clients["nobody"] = await world.client()
    setup = ok(await (await world.client()).post("/api/v1/setup", json=first))
    world.workspace_id = UUID(setup["workspace_id"])
    world.user_ids["administrator"] = UUID(setup["user"]["id"])
    administrator = world.clients["administrator"] = await world.sign_in(first["email"])
    other = ok(await administrator.post("/api/v1/workspaces", json={"name": "Other"}))
    world.other_workspace_id = UUID(other["id"])
    for name in ("viewer", "editor", "owner", "stranger"):
        workspace_id = world.other_workspace_id if name == "stranger" else world.workspace_id
        administrator.headers["X-Workspace-ID"] = str(workspace_id)
        role = "owner" if name == "stranger" else name
        world.user_ids[name] = await world.invite(administrator, name, role)
        world.clients[name] = await world.sign_in(world.email(name))
    administrator.headers["X-Workspace-ID"] = str(world.workspace_id)
    world.clients["operator"] = await world.client(
        Authorization=f"Bearer {load_operator_key(settings.data_dir)}"
    )
    world.clients["read_key"] = await world.make_key(world.owner, "read")
    everything = ("read", "ask", "write", "manage")
    elsewhere = {"kind": "knowledge_base", "id": await _elsewhere(world)}
    world.clients["bound_key"] = await world.make_key(world.owner, *everything, resource=elsewhere)
    assert not nobody.cookies
    return world


async def _elsewhere(world: World) -> str:
    """A knowledge base of the first workspace that nothing else is about."""
    made = ok(await world.owner.post("/api/v1/knowledge-bases", json={"name": "Elsewhere"}))
    return str(made["id"])
