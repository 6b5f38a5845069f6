"""Run by Alembic: one connection, one advisory lock, one transaction for all revisions."""

from alembic import context
from sqlalchemy import create_engine, pool, text

from refdesk.migrations.metadata import is_compared, metadata

LOCK_KEY = 4_927_311_604


def run() -> None:
    engine = create_engine(context.config.attributes["url"], poolclass=pool.NullPool)
    with engine.connect() as connection:
        context.configure(
            connection=connection,
            target_metadata=metadata,
            include_object=is_compared,
        )
        with context.begin_transaction():
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK_KEY})
            context.run_migrations()


run()
