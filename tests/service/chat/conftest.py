"""A small indexed library, run managers over it, and a chat model that does what a test tells it."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
from tests.service.chat.doubles import Desk, FakeGateway

from refdesk.accounts import Scope
from refdesk.accounts.scope import Role
from refdesk.accounts.tables import User
from refdesk.kit.database import Database
from refdesk.kit.ids import new_id
from refdesk.kit.settings import Settings
from refdesk.testing.library import Library, ShelvedBase

GATEWAY_TEXT = (
    "标准版最多支持 100 个并发连接，企业版最多支持 500 个并发连接。"
    "连接空闲超过 300 秒会被自动断开。超过上限的请求会返回错误码 ERR-4290。"
)
RESET_TEXT = (
    "To reset the router to factory settings, hold the reset button for 10 seconds. "
    "The default password is printed on the label underneath the device."
)


@pytest.fixture(scope="module")
async def library(database: Database) -> Library:
    return await Library(database, Settings()).open()


@pytest.fixture(scope="module")
async def base(library: Library) -> ShelvedBase:
    made = await library.base()
    await library.add(made, [GATEWAY_TEXT], titles=("网关", "连接限制"))
    await library.add(made, [RESET_TEXT], titles=("Router manual", "Reset"))
    return made


@pytest.fixture(scope="module")
async def scope(library: Library) -> Scope:
    """A member of the library's workspace."""
    return await add_member(library)


async def add_member(library: Library) -> Scope:
    user_id = new_id()
    async with library.database.transaction() as session:
        session.add(User(id=user_id, email=f"{user_id}@example.org", name="Member"))
    return Scope(workspace_id=library.workspace_id, user_id=user_id, role=Role.VIEWER, via="session")


@pytest.fixture
async def desk(library: Library, base: ShelvedBase) -> AsyncIterator[Desk]:
    """A started run manager without a language model; `desk.connect(completer)` gives it one."""
    async with AsyncExitStack() as stack:
        gateway = FakeGateway(base.embedder)
        made = Desk(library.database, gateway, library.retriever, Settings(), base.id)
        await made.open(stack)
        yield made
