"""The application factory."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial

from fastapi import FastAPI

from refdesk import __version__
from refdesk.accounts import Admissions, RecentCallers, SetupGate, scope_of_key
from refdesk.apps import McpDoor
from refdesk.gateway import ChatLane
from refdesk.kit.errors import Unavailable
from refdesk.kit.settings import Settings
from refdesk.server import health, metrics, pages, problems, secret_keys
from refdesk.server.middleware import BodyLimit, RequestContext
from refdesk.server.wiring import ROUTERS, build_runs, build_services


def create_app(settings: Settings, *, database_url: str | None = None) -> FastAPI:
    """The web application over the database at `database_url` (default: the settings' own).

    The database must be migrated. Services live from the application's start to its end.
    """
    url = database_url
    if url is None and settings.database_url is not None:
        url = settings.database_url.get_secret_value()
    if url is None:
        raise Unavailable("No database address was given.", hint="Start with `refdesk serve`.")

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
        services = build_services(settings, url, application_name="refdesk-server")
        app.state.settings = settings
        app.state.database = services.database
        app.state.cipher = services.cipher
        app.state.gateway = services.gateway
        app.state.retriever = services.retriever
        app.state.tools = services.tools
        app.state.recent_callers = RecentCallers(partial(scope_of_key, services.database), everywhere=False)
        app.state.admissions = Admissions()
        app.state.runs = build_runs(services)
        await services.gateway.start()
        await services.tools.start()
        await app.state.runs.start()
        app.state.mcp = McpDoor(services.database, services.retriever, app.state.runs)
        await app.state.mcp.start()
        try:
            yield
        finally:
            await app.state.mcp.stop()
            await app.state.runs.stop()
            await app.state.recent_callers.close()
            await services.close()

    app = FastAPI(
        title="Refdesk",
        version=__version__,
        summary="Ask your documents; every answer shows where it stands.",
        openapi_url="/api/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    problems.install(app)
    # The one added last runs first.
    app.add_middleware(ChatLane, by_name=False)
    app.add_middleware(SetupGate)
    app.add_middleware(BodyLimit, max_bytes=settings.max_request_bytes)
    app.add_middleware(RequestContext)
    app.include_router(health.router)
    app.include_router(metrics.router)
    app.include_router(secret_keys.router)
    for router in ROUTERS:
        app.include_router(router)
    pages.install(app)
    return app
