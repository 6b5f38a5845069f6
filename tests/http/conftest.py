"""The whole application over a migrated database, with a person of each kind signed in.

`world` is made once a test module: a first workspace with a viewer, an editor and an owner, a second one
with a stranger who owns it, an administrator, the local operator and a read-only key of the first workspace.
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
from argon2 import PasswordHasher
from fastapi import FastAPI
from tests.http.world import World, make_world

from refdesk.accounts import Passwords, use_passwords
from refdesk.kit.settings import Settings
from refdesk.server import create_app


@pytest.fixture(scope="session", autouse=True)
def cheap_passwords() -> None:
    """Argon2 with next to no cost: its own test uses the real parameters."""
    use_passwords(Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)))


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings(data_dir=tmp_path_factory.mktemp("data"), embedding_threads=1)


@pytest.fixture(scope="module")
async def app(settings: Settings, database_url: str) -> AsyncIterator[FastAPI]:
    """The application with its services running; no administrator yet."""
    made = create_app(settings, database_url=database_url)
    async with made.router.lifespan_context(made):
        yield made


@pytest.fixture(scope="module")
async def world(app: FastAPI, settings: Settings) -> AsyncIterator[World]:
    async with AsyncExitStack() as stack:
        yield await make_world(app, settings, stack)
