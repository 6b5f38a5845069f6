"""The database schema and its history (Alembic). `upgrade` is what `serve` and the tests call."""

import asyncio
from functools import lru_cache

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, pool

from refdesk.kit.database import async_url

__all__ = ["config_for", "current_revision", "head_revision", "upgrade"]


def config_for(url: str) -> Config:
    """An Alembic configuration for the database at `url`."""
    config = Config()
    config.set_main_option("script_location", "refdesk:migrations")
    config.attributes["url"] = async_url(url)
    return config


@lru_cache(maxsize=1)
def head_revision() -> str:
    """The newest revision of this version of the code."""
    head = ScriptDirectory.from_config(config_for("postgresql://")).get_current_head()
    if head is None:
        raise RuntimeError("the package holds no migrations")
    return head


def current_revision(url: str) -> str | None:
    """The revision the database is at; None for an empty one."""
    engine = create_engine(async_url(url), poolclass=pool.NullPool)
    with engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()


async def upgrade(url: str) -> None:
    """Bring the database to the newest revision; several starters at once wait for one another."""
    await asyncio.to_thread(command.upgrade, config_for(url), "head")
