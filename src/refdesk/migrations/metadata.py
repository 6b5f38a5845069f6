"""The metadata of all rooms' tables, gathered for Alembic by importing each `tables` module."""

import importlib
from typing import Any

from refdesk.kit.database import Base

_TABLE_MODULES = (
    "refdesk.accounts.tables",
    "refdesk.gateway.tables",
    "refdesk.gateway.caching.tables",
    "refdesk.gateway.limits.tables",
    "refdesk.gateway.usage.tables",
    "refdesk.gateway.films.tables",
    "refdesk.gateway.routing.tables",
    "refdesk.knowledge.tables",
    "refdesk.knowledge.access.tables",
    "refdesk.knowledge.terms.tables",
    "refdesk.knowledge.graph.tables",
    "refdesk.knowledge.indexing.tables",
    "refdesk.retrieval.external.tables",
    "refdesk.retrieval.routing.tables",
    "refdesk.tools.tables",
    "refdesk.tools.stored.tables",
    "refdesk.skills.tables",
    "refdesk.chat.tables",
    "refdesk.chat.agent.tables",
    "refdesk.chat.workdir.tables",
    "refdesk.chat.pending.tables",
    "refdesk.chat.remembering.tables",
    "refdesk.chat.intents.tables",
    "refdesk.apps.tables",
    "refdesk.evaluation.tables",
    "refdesk.evaluation.comparing.tables",
)

for _module in _TABLE_MODULES:
    importlib.import_module(_module)

metadata = Base.metadata


def is_compared(_object: Any, name: str | None, kind: str, _reflected: bool, _compare_to: Any) -> bool:
    """Whether Alembic compares a thing with the models: not the queue's tables and the partitions."""
    return not (
        kind == "table" and (name or "").startswith(("procrastinate_", "index_entries", "route_centroids"))
    )
