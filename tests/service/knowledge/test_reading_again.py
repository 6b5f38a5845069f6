"""What limits cut short is read again when somebody sends the file once more."""

from typing import Any

import pytest
from sqlalchemy import update

from refdesk.knowledge.parsed_texts import is_worth_keeping
from refdesk.knowledge.parsing import ParseWarning
from refdesk.knowledge.tables import Document
from refdesk.testing.desk import Desk

TEXT = b"## Light\n\nThe lamp of the harbour burns every night.\n"


async def cut_short(desk: Desk, warnings: list[dict[str, Any]]) -> Any:
    """A document that is ready and has these warnings."""
    document = await desk.process(await desk.file((await desk.base()).id, TEXT))
    async with desk.database.transaction() as session:
        await session.execute(update(Document).where(Document.id == document.id).values(warnings=warnings))
    return document


@pytest.mark.parametrize("code", ["ocr-incomplete", "ocr-skipped"])
async def test_the_same_file_is_read_again_where_its_reading_was_cut_short(desk: Desk, code: str) -> None:
    document = await cut_short(desk, [{"code": code, "message": "Too slow.", "page": 1}])
    await desk.replace(document.id, TEXT)
    assert (await desk.view(document.id)).state == "queued"
    done = await desk.process(document.id)
    assert (done.state, done.warnings, done.paragraph_count) == ("ready", [], 1)


@pytest.mark.parametrize(("code", "reason"), [("low-confidence", "upload"), ("ocr-incomplete", "sync")])
async def test_other_warnings_and_syncs_leave_the_same_file_alone(desk: Desk, code: str, reason: str) -> None:
    document = await cut_short(desk, [{"code": code, "message": "Look at it.", "page": 1}])
    await desk.replace(document.id, TEXT, reason=reason)
    assert (await desk.view(document.id)).state == "ready"


def test_a_reading_that_was_cut_short_is_not_kept() -> None:
    assert is_worth_keeping((), 0.1, is_draft=True)
    assert not is_worth_keeping((), 0.1, is_draft=False)
    late = (ParseWarning("ocr-incomplete", "Read in part.", 1),)
    assert not is_worth_keeping(late, 99.0, is_draft=True)
