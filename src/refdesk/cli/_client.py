"""How every command reaches Refdesk: always over its HTTP interface, so that all ways behave alike.

With `--server` (or `REFDESK_SERVER`) a server elsewhere and an API key. Otherwise the local operator of the
data folder: a running `refdesk serve` if there is one, else the same application inside this process over
the database, which is started and migrated for the time of the command.
"""

import asyncio
import json
import locale
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, cast
from uuid import UUID

import httpx
import typer

from refdesk.cli._console import report_error
from refdesk.cli._settings import load_settings
from refdesk.kit.errors import AppError
from refdesk.kit.logs import configure_logs
from refdesk.kit.operator_key import load_operator_key
from refdesk.kit.settings import Settings

if TYPE_CHECKING:
    # The product takes seconds to import; a command that talks to a running server needs none of it.
    from fastapi import FastAPI

ServerOption = Annotated[
    str | None, typer.Option("--server", envvar="REFDESK_SERVER", help="Address of a Refdesk server.")
]
ApiKeyOption = Annotated[
    str | None, typer.Option("--api-key", envvar="REFDESK_API_KEY", help="API key for --server.")
]
WorkspaceOption = Annotated[
    str | None, typer.Option("--workspace", envvar="REFDESK_WORKSPACE", help="Workspace, by id or name.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]

# Uploads and answers take their time; a server that does not even accept the connection does not.
_TIMEOUT = httpx.Timeout(600.0, connect=10.0)
_PAGE = 500
# Written by `refdesk serve` while it answers: {"pid", "address"}, the address on this machine.
SERVER_FILE = "server.json"


class RequestFailed(AppError):
    """What the server answered, as an error of this process, under the server's own code and status."""

    @classmethod
    def from_answer(cls, status: int, problem: Mapping[str, Any]) -> "RequestFailed":
        code = str(problem.get("code") or "http-error")
        title = str(problem.get("title") or f"The server answered with status {status}.")
        # The code is an attribute of the class of an error, so each code is a class.
        error: RequestFailed = type(cls.__name__, (cls,), {"code": code, "status": status})(title)
        error.hint_text = problem.get("hint")
        error.details = problem.get("details") or {}
        return error


class ServerUnreachable(AppError):
    """The server given by --server does not answer."""

    code = "server-unreachable"
    status = 503
    message = "The server does not answer."
    hint = "Check --server (REFDESK_SERVER)."


class InvalidArgument(AppError):
    """What the command was given cannot be used; ends with 2."""

    code = "invalid-argument"
    status = 422
    message = "An argument is not valid."


@dataclass
class Client:
    """The interface as a command uses it. `app` is set if the application runs in this process, where no
    worker does: whoever waits for a job must run one. `as_json`: nothing but the result may be printed."""

    http: httpx.AsyncClient
    settings: Settings | None = None
    app: "FastAPI | None" = None
    database_url: str | None = None
    as_json: bool = False

    @property
    def in_process(self) -> bool:
        return self.app is not None

    @property
    def public_address(self) -> str | None:
        """Where people reach the server, without a slash at the end; None if that is not known here."""
        if self.settings is not None and self.settings.public_url:
            return self.settings.public_url.rstrip("/")
        return None if self.in_process else str(self.http.base_url).rstrip("/")

    async def get(self, path: str, **query: Any) -> Any:
        return await self.request("GET", path, params=query)

    async def post(self, path: str, body: Any = None, **more: Any) -> Any:
        return await self.request("POST", path, json=body, **more)

    async def patch(self, path: str, body: Any) -> Any:
        return await self.request("PATCH", path, json=body)

    async def put(self, path: str, body: Any = None) -> Any:
        return await self.request("PUT", path, json=body)

    async def delete(self, path: str) -> Any:
        return await self.request("DELETE", path)

    async def request(self, method: str, path: str, **more: Any) -> Any:
        """The answer's JSON (None if empty). Raises `RequestFailed`, `ServerUnreachable`, `InvalidArgument`
        (what is sent is not text)."""
        try:
            response = await self.http.request(method, path, **more)
        except UnicodeEncodeError as error:
            # A word of the command line that is not text in its encoding holds its bytes as surrogates.
            raise InvalidArgument("What was given holds characters that cannot be read.") from error
        except httpx.TransportError as error:
            raise ServerUnreachable(address=str(self.http.base_url), reason=str(error)) from error
        return answer(response)

    async def download(self, path: str, *, method: str = "GET") -> bytes:
        """A small file. Raises as `request` does."""
        try:
            response = await self.http.request(method, path)
        except httpx.TransportError as error:
            raise ServerUnreachable(address=str(self.http.base_url), reason=str(error)) from error
        if not response.is_success:
            answer(response)
        return response.content

    async def download_to(self, path: str, target: Path) -> None:
        """Stream a file into one of this machine. Raises as `request` does."""
        try:
            async with self.http.stream("GET", path) as response:
                if not response.is_success:
                    await response.aread()
                    answer(response)
                with target.open("wb") as file:
                    async for data in response.aiter_bytes():
                        file.write(data)
        except httpx.TransportError as error:
            raise ServerUnreachable(address=str(self.http.base_url), reason=str(error)) from error

    async def all(self, path: str, **query: Any) -> list[Any]:
        """All items of a list, over its pages."""
        items: list[Any] = []
        cursor: str | None = None
        while True:
            page = await self.get(path, limit=_PAGE, **({"cursor": cursor} if cursor else {}), **query)
            items += page["items"]
            cursor = page["next_cursor"]
            if cursor is None:
                return items


def answer(response: httpx.Response) -> Any:
    """The JSON of a response that was read; raises `RequestFailed` for a problem document."""
    if response.is_success:
        return response.json() if response.content else None
    try:
        problem: Any = response.json()
    except json.JSONDecodeError:
        problem = None
    if not isinstance(problem, dict):
        raise RequestFailed.from_answer(response.status_code, {})
    raise RequestFailed.from_answer(response.status_code, cast("Mapping[str, Any]", problem))


@asynccontextmanager
async def open_session(
    server: str | None, api_key: str | None, workspace: str | None
) -> AsyncGenerator[Client]:
    """A client for the time of the block, acting in `workspace` (an id or a name) or the default one.

    The embedded database, where it must be started, runs in this thread's context: on the main thread only.
    """
    async with AsyncExitStack() as stack:
        if server is not None:
            client = await _remote(stack, server, api_key)
        elif api_key is not None:
            # Without a server the command would act as the operator, who may do more than the key.
            raise InvalidArgument("An API key needs the address of a server.", hint="Give --server too.")
        else:
            settings = load_settings()
            client = await _running(stack, settings) or await _in_process(stack, settings)
        if workspace is not None:
            client.http.headers["X-Workspace-ID"] = await _workspace_id(client, workspace)
        yield client


async def _remote(stack: AsyncExitStack, server: str, api_key: str | None) -> Client:
    if not server.startswith(("http://", "https://")):
        raise InvalidArgument("--server must start with http:// or https://.")
    if not api_key:
        raise InvalidArgument("--server needs an API key.", hint="Give --api-key or REFDESK_API_KEY.")
    headers = _headers(api_key)
    http = httpx.AsyncClient(base_url=server, headers=headers, timeout=_TIMEOUT)
    return Client(await stack.enter_async_context(http))


async def _running(stack: AsyncExitStack, settings: Settings) -> Client | None:
    """The server that `refdesk serve` named in the data folder, if it really answers to this operator."""
    try:
        running = json.loads((settings.data_dir / SERVER_FILE).read_text())
        address = running["address"]
        # After a kill -9 the file stays and its port may be anybody's: who is dead gets no operator's key.
        os.kill(int(running["pid"]), 0)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    headers = _headers(load_operator_key(settings.data_dir))
    http = httpx.AsyncClient(base_url=str(address), headers=headers, timeout=_TIMEOUT)
    await stack.enter_async_context(http)
    try:
        found = (await http.get("/api/v1/session", timeout=5.0)).is_success
    except (httpx.TransportError, httpx.InvalidURL):
        return None
    return Client(http, settings) if found else None


async def _in_process(stack: AsyncExitStack, settings: Settings) -> Client:
    from refdesk import migrations
    from refdesk.kit.embedded_postgres import running_database
    from refdesk.server import create_app

    configure_logs(settings.model_copy(update={"log_level": "warning"}))
    url = stack.enter_context(running_database(settings))
    await migrations.upgrade(url)
    app = create_app(settings, database_url=url)
    await stack.enter_async_context(app.router.lifespan_context(app))
    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    headers = _headers(load_operator_key(settings.data_dir))
    http = httpx.AsyncClient(
        transport=transport, base_url="http://127.0.0.1", headers=headers, timeout=_TIMEOUT
    )
    return Client(await stack.enter_async_context(http), settings, app, url)


def _headers(token: str) -> dict[str, str]:
    language = os.environ.get("LC_ALL") or os.environ.get("LANG") or locale.getlocale()[0] or "en"
    return {
        "Authorization": f"Bearer {token}",
        "Accept-Language": language.split(".")[0].replace("_", "-"),
    }


async def _workspace_id(client: Client, wanted: str) -> str:
    try:
        return str(UUID(wanted))
    except ValueError:
        pass
    found = [item for item in await client.all("/api/v1/workspaces") if item["name"] == wanted]
    if len(found) != 1:
        how_many = "There is no workspace" if not found else "There are several workspaces"
        raise InvalidArgument(f"{how_many} with the name {wanted}.", hint="Give its id.")
    return str(found[0]["id"])


def run[T](command: Callable[[], Awaitable[T]], *, as_json: bool) -> T:
    """Run a command's coroutine; an error is printed with its code and hint and ends the process with 1, or
    with 2 where the input was at fault (status 400, 413, 415, 422)."""

    async def main() -> T:
        return await command()

    try:
        return asyncio.run(main())
    except AppError as error:
        fail(error, as_json=as_json)


def fail(error: AppError, *, as_json: bool) -> NoReturn:
    """Print the error and end with its exit code."""
    report_error(error, as_json=as_json)
    raise typer.Exit(2 if error.status in (400, 413, 415, 422) else 1)
