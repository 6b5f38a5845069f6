"""An answer tells that documents of its bases are still on their way, found or not."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
from sqlalchemy import update
from tests.service.chat.conftest import GATEWAY_TEXT
from tests.service.chat.doubles import Desk, FakeGateway

from refdesk.accounts import Scope
from refdesk.kit.settings import Settings
from refdesk.knowledge.tables import Document
from refdesk.testing.library import Library


@pytest.fixture
async def busy_desk(library: Library) -> AsyncIterator[Desk]:
    """A base of its own with one document that is ready and two that are not."""
    base = await library.base()
    await library.add(base, [GATEWAY_TEXT], titles=("网关", "连接限制"))
    for state in ("queued", "indexing"):
        added = await library.add(base, ["Nothing of interest."], is_indexed=False)
        async with library.database.transaction() as session:
            await session.execute(update(Document).where(Document.id == added.id).values(state=state))
    async with AsyncExitStack() as stack:
        made = Desk(library.database, FakeGateway(base.embedder), library.retriever, Settings(), base.id)
        await made.open(stack)
        yield made


async def test_an_answer_warns_of_documents_on_their_way(busy_desk: Desk, scope: Scope) -> None:
    run = await busy_desk.answer(scope, "标准版最多支持多少个并发连接？")
    assert run["retrieval"]["found"] is True
    assert run["retrieval"]["unready"] == 2
    told = {warning["code"]: warning["message"] for warning in run["warnings"]}
    assert told["still-indexing"] == "还有 2 份文档正在处理，其内容可能未被找到。"


async def test_an_answer_that_found_nothing_warns_as_well(busy_desk: Desk, scope: Scope) -> None:
    run = await busy_desk.answer(scope, "Which wine goes with salmon?")
    assert run["retrieval"]["found"] is False
    told = {warning["code"]: warning["message"] for warning in run["warnings"]}
    assert told["still-indexing"].startswith("2 documents are still being read or indexed")


async def test_no_warning_where_all_is_ready(desk: Desk, scope: Scope) -> None:
    run = await desk.answer(scope, "How do I reset the router?")
    assert run["retrieval"]["unready"] == 0
    assert "still-indexing" not in {warning["code"] for warning in run["warnings"]}
