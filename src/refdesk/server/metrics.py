"""`/metrics` for Prometheus: for administrators, and for whoever has the token of the settings.

Each process tells of itself; what it shares with others (queues, runs, jobs) is read from the database, and
left out while that is away.
"""

from hmac import compare_digest

from fastapi import APIRouter, Request, Response
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from refdesk import __version__
from refdesk.accounts import bearer_token, require_administrator
from refdesk.gateway import Gateway, gateway_families, queue_families
from refdesk.jobs import pending_jobs
from refdesk.kit.prometheus import CONTENT_TYPE, Family, exposition
from refdesk.kit.settings import Settings
from refdesk.kit.web import DatabaseDep

router = APIRouter(tags=["status"])


@router.get(
    "/metrics",
    operation_id="getMetrics",
    summary="Figures of this process for Prometheus; with the token of the settings or as an administrator",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
async def get_metrics(request: Request, database: DatabaseDep) -> Response:
    settings: Settings = request.app.state.settings
    wanted, given = settings.metrics_token, bearer_token(request)
    has_token = (
        wanted is not None
        and given is not None
        and compare_digest(given.encode(), wanted.get_secret_value().encode())
    )
    if not has_token:
        await require_administrator(request)
    gateway: Gateway = request.app.state.gateway
    build = Family("refdesk_build_info", "gauge", "1; the version is in the label.")
    build.add(1, version=__version__)
    reachable = Family("refdesk_database_up", "gauge", "Whether the database answered just now.")
    families = [build, reachable, *gateway_families(gateway)]
    runs = Family("refdesk_runs", "gauge", "Answers that wait or are being written, in all processes.")
    jobs = Family("refdesk_jobs", "gauge", "Jobs of the background that are due or run.")
    try:
        async with database.transaction() as session:
            shared = await queue_families(session, gateway)
            counted = await session.execute(
                text("SELECT state, count(*) FROM runs WHERE state IN ('queued', 'running') GROUP BY state")
            )
            active = {str(state): int(count) for state, count in counted}
            pending = await pending_jobs(session)
    except (SQLAlchemyError, OSError):
        reachable.add(0)
    else:
        reachable.add(1)
        for state in ("queued", "running"):
            runs.add(active.get(state, 0), state=state)
        for state, status in (("queued", "todo"), ("running", "doing")):
            jobs.add(pending.get(status, 0), state=state)
        families += [*shared, runs, jobs]
    return Response(exposition(families), media_type=CONTENT_TYPE)
