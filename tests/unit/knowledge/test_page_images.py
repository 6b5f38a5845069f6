"""Drawing pages: only so many wait, and a file that is open is not loaded again."""

import asyncio
import io
import struct
from typing import Any

import pypdfium2
import pytest

from refdesk.accounts import Scope
from refdesk.kit.ids import new_id
from refdesk.kit.settings import Settings
from refdesk.knowledge import page_drawers, page_images
from refdesk.knowledge.errors import DrawingBusy, NoSuchPage
from refdesk.knowledge.parsing import CorruptFile
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
        return await page_images.render(
            database, Scope.system(new_id()), Settings(), document, "pdf", Blob(id=new_id()), 1, 1.0
        )

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


def pdf(*widths: float) -> bytes:
    document = pypdfium2.PdfDocument.new()
    for width in widths:
        document.new_page(width, 50)
    buffer = io.BytesIO()
    document.save(buffer)
    document.close()
    return buffer.getvalue()


async def test_pages_of_an_open_file_are_drawn_without_loading_it_again() -> None:
    loaded: list[str] = []

    def load_of(name: str, data: bytes) -> Any:
        async def load() -> tuple[bytes, str | None]:
            loaded.append(name)
            return data, None

        return load

    async def width(name: str, data: bytes, number: int) -> int:
        drawer = await page_drawers.drawer_of(name, load_of(name, data))
        png = await drawer.draw(number, 2.0)
        return int(struct.unpack("!I", png[16:20])[0])

    widths = [await width("a", pdf(10, 20, 30), number) for number in (1, 3, 2)]
    assert (widths, loaded) == ([20, 60, 40], ["a"])
    both = await asyncio.gather(*(width("a", b"", number) for number in (1, 2)))
    assert (both, loaded) == ([20, 40], ["a"])
    for number in range(page_drawers.MOST_OPEN):
        assert await width(f"other {number}", pdf(15), 1) == 30
    assert await width("a", pdf(12), 1) == 24, "it gave way to the others and was opened anew"
    page_drawers.close_all()


async def test_a_missing_page_and_a_broken_file_are_told() -> None:
    async def load() -> tuple[bytes, str | None]:
        return pdf(10), None

    async def broken() -> tuple[bytes, str | None]:
        return b"%PDF-1.7 nothing", None

    drawer = await page_drawers.drawer_of("one page", load)
    with pytest.raises(NoSuchPage):
        await drawer.draw(2, 1.0)
    assert await drawer.draw(1, 1.0)
    with pytest.raises(CorruptFile):
        await (await page_drawers.drawer_of("broken", broken)).draw(1, 1.0)
    page_drawers.close_all()
