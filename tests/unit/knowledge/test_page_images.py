"""Drawing pages: only so many wait."""

import asyncio
from typing import Any

import pytest

from refdesk.accounts import Scope
from refdesk.kit.ids import new_id
from refdesk.knowledge import page_images
from refdesk.knowledge.errors import DrawingBusy
from refdesk.knowledge.tables import Blob, Document


async def test_who_comes_when_enough_wait_is_told_to_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = asyncio.Event()

    async def load(*_: Any) -> bytes:
        await go_on.wait()
        raise LookupError

    monkeypatch.setattr(page_images.blobs, "load", load)
    database: Any = None

    async def draw() -> bytes:
        document = Document(id=new_id(), kind="pdf")
        return await page_images.render(database, Scope.system(new_id()), document, Blob(id=new_id()), 1, 1.0)

    most = page_images.MOST_AT_ONCE + page_images.MOST_WAITING
    drawing = [asyncio.create_task(draw()) for _ in range(most)]
    await asyncio.sleep(0)
    with pytest.raises(DrawingBusy) as caught:
        await draw()
    assert caught.value.details == {"retry_after_s": page_images.RETRY_AFTER_S}
    go_on.set()
    outcomes = await asyncio.gather(*drawing, return_exceptions=True)
    assert all(isinstance(outcome, LookupError) for outcome in outcomes)
    with pytest.raises(LookupError):  # the places are free again
        await draw()
