"""The metadata of all rooms' tables, gathered for Alembic by importing each `tables` module."""

import importlib

from refdesk.kit.database import Base

_TABLE_MODULES = (
    "refdesk.accounts.tables",
    "refdesk.gateway.tables",
    "refdesk.knowledge.tables",
    "refdesk.knowledge.indexing.tables",
    "refdesk.chat.tables",
    "refdesk.apps.tables",
)

for _module in _TABLE_MODULES:
    importlib.import_module(_module)

metadata = Base.metadata
