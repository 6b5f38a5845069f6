"""The process-wide objects and how they depend on each other; used by the server and by the worker."""

from dataclasses import dataclass

from refdesk import accounts, apps, chat, evaluation, gateway, knowledge, retrieval, skills, tools
from refdesk.apps import ApplicationAnswers, StoredProfiles
from refdesk.chat import RunManager
from refdesk.gateway import Gateway
from refdesk.kit.crypto import Cipher
from refdesk.kit.database import Database
from refdesk.kit.master_keys import load_cipher
from refdesk.kit.settings import Settings
from refdesk.retrieval import Retriever
from refdesk.tools import ApplicationSource, ToolService
from refdesk.tools.databases import DatabaseSource

# What the gateway needs to run alone, in the order of the interface's documentation.
GATEWAY_ROUTERS = (
    *accounts.routers,
    gateway.router,
    gateway.trying_router,
    gateway.films_router,
    gateway.descriptors_router,
    gateway.invoking_router,
    gateway.routing_router,
    gateway.limits_router,
    gateway.usage_router,
    gateway.caching_router,
)
# Every room with routes.
ROUTERS = (
    *GATEWAY_ROUTERS,
    *knowledge.routers,
    retrieval.router,
    retrieval.external_router,
    *tools.routers,
    *skills.routers,
    *chat.routers,
    *apps.routers,
    evaluation.router,
    evaluation.comparison_router,
    evaluation.comparing_router,
    evaluation.calibration_router,
)


@dataclass(frozen=True, slots=True)
class Services:
    """What outlives a request or a job."""

    settings: Settings
    database: Database
    cipher: Cipher
    gateway: Gateway
    retriever: Retriever
    tools: ToolService

    async def close(self) -> None:
        await self.tools.close()
        await self.gateway.close()
        await self.database.close()


def build_services(settings: Settings, database_url: str, *, application_name: str) -> Services:
    """Make the services; nothing is connected or loaded yet."""
    database = Database(
        database_url, pool_size=settings.database_pool_size, application_name=application_name
    )
    cipher = load_cipher(settings)
    model_gateway = Gateway(settings, database, cipher)
    retriever = Retriever(database, model_gateway, settings)
    tool_service = ToolService(database, settings, cipher)
    tool_service.add_source(DatabaseSource(database, model_gateway, settings, cipher))
    return Services(settings, database, cipher, model_gateway, retriever, tool_service)


def build_runs(services: Services) -> RunManager:
    """The runs of a process that answers questions, with applications among the tools of others. To be
    started after the services and stopped before them."""
    runs = RunManager(
        services.database,
        services.gateway,
        services.retriever,
        services.settings,
        StoredProfiles(),
        services.tools,
    )
    services.tools.add_source(ApplicationSource(ApplicationAnswers(services.database, runs)))
    return runs
