"""The migrations make exactly what the models describe."""

from typing import Any

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import create_engine, make_url, pool

from refdesk import migrations
from refdesk.kit.database import async_url, libpq_url
from refdesk.migrations.metadata import is_compared, metadata


# The index entries have pgvector's types and no model; SQLAlchemy reads them before they are left out.
@pytest.mark.filterwarnings("ignore:Did not recognize type:sqlalchemy.exc.SAWarning")
def test_models_and_migrations_do_not_differ(database_url: str) -> None:
    engine = create_engine(async_url(database_url), poolclass=pool.NullPool)
    with engine.connect() as connection:
        options = {"include_object": is_compared, "compare_type": True}
        context = MigrationContext.configure(connection, opts=options)
        difference: Any = compare_metadata(context, metadata)
    assert difference == []


async def test_an_empty_database_is_brought_to_the_newest_revision(database_server_url: str) -> None:
    name = "refdesk_test_from_nothing"
    with psycopg.connect(database_server_url, autocommit=True) as server:
        server.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        server.execute(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'")
        url = make_url(database_server_url).set(database=name)
        address = libpq_url(url.render_as_string(hide_password=False))
        try:
            assert migrations.current_revision(address) is None
            await migrations.upgrade(address)
            assert migrations.current_revision(address) == migrations.head_revision()
            await migrations.upgrade(address)  # nothing is left to do
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")
