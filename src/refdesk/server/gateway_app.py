"""The gateway alone (`refdesk gateway`): models, their doors and their administration, no knowledge.

The same database, accounts and keys as the whole application; several of these may run beside it.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial

import structlog
from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import JSONResponse
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from refdesk import __version__
from refdesk.accounts import RecentCallers, SetupGate, scope_of_key
from refdesk.gateway import ChatLane, Gateway, openai_router
from refdesk.kit.database import Database
from refdesk.kit.master_keys import load_cipher
from refdesk.kit.settings import Settings
from refdesk.kit.web import DatabaseDep
from refdesk.server import health, metrics, problems, secret_keys
from refdesk.server.middleware import BodyLimit, RequestContext
from refdesk.server.wiring import GATEWAY_ROUTERS

log = structlog.get_logger(__name__)
router = APIRouter(tags=["status"])


@router.get("/health", operation_id="getGatewayHealth", summary="The gateway answers, and what it stands on")
async def get_health(request: Request, database: DatabaseDep) -> JSONResponse:
    """200 while calls can be made: without the database from what is in memory, if that was ever read."""
    gateway: Gateway = request.app.state.gateway
    try:
        async with database.transaction() as session:
            await session.execute(text("SELECT 1"))
        reachable = True
    except (SQLAlchemyError, OSError):
        reachable = False
    status = "ok" if reachable else "degraded"
    body = {"status": status, "version": __version__, "database": "ok" if reachable else "unreachable"}
    return JSONResponse(body | {"up_to_date": gateway.routing.snapshot.is_fresh})


def create_gateway_app(settings: Settings, *, database_url: str) -> FastAPI:
    """The application over a migrated database. Services live from its start to its end."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
        database = Database(
            database_url, pool_size=settings.database_pool_size, application_name="refdesk-gateway"
        )
        cipher = load_cipher(settings)
        gateway = Gateway(settings, database, cipher)
        app.state.settings, app.state.database = settings, database
        app.state.cipher, app.state.gateway = cipher, gateway
        app.state.recent_callers = RecentCallers(partial(scope_of_key, database), everywhere=True)
        await gateway.start()
        try:
            yield
        finally:
            await app.state.recent_callers.close()
            await gateway.close()
            await database.close()

    app = FastAPI(
        title="Refdesk model gateway",
        version=__version__,
        summary="Any model, governed.",
        openapi_url="/api/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    problems.install(app)
    # The one added last runs first.
    app.add_middleware(ChatLane, by_name=True)
    app.add_middleware(SetupGate)
    app.add_middleware(BodyLimit, max_bytes=settings.max_request_bytes)
    app.add_middleware(RequestContext)
    app.include_router(router)
    app.include_router(health.router)
    app.include_router(metrics.router)
    app.include_router(secret_keys.router)
    app.include_router(openai_router)
    for one in GATEWAY_ROUTERS:
        app.include_router(one)
    return app
