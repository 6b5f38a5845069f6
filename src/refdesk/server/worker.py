"""The worker process: the same services as the server, jobs instead of requests."""

from refdesk.chat import RunManager
from refdesk.gateway import Gateway
from refdesk.jobs import JobContext, run_worker
from refdesk.kit.errors import Unavailable
from refdesk.kit.settings import Settings
from refdesk.retrieval import Retriever
from refdesk.server.wiring import build_runs, build_services
from refdesk.tools import ToolService


async def run_worker_process(
    settings: Settings, *, database_url: str | None = None, until_idle: bool = False, sole: bool = False
) -> None:
    """Run jobs until cancelled, or with `until_idle` until none waits. For `sole` see `run_worker`."""
    url = database_url
    if url is None and settings.database_url is not None:
        url = settings.database_url.get_secret_value()
    if url is None:
        raise Unavailable("No database address was given.", hint="Start with `refdesk serve`.")
    services = build_services(settings, url, application_name="refdesk-worker")
    runs = build_runs(services)
    context = JobContext(
        settings=settings,
        database=services.database,
        services={
            Gateway: services.gateway,
            Retriever: services.retriever,
            ToolService: services.tools,
            RunManager: runs,
        },
    )
    try:
        await services.gateway.start()
        await services.tools.start()
        await runs.start()
        await run_worker(context, concurrency=settings.worker_concurrency, until_idle=until_idle, sole=sole)
    finally:
        await runs.stop()
        await services.close()
