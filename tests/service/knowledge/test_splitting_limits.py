"""A text or pattern that splitting cannot cope with fails its own document, with the stage named."""

from typing import Any

import pytest

from refdesk.kit.database import Database
from refdesk.kit.settings import Settings
from refdesk.knowledge import Documents, SplitOptions
from refdesk.knowledge.schemas import DocumentUpdate
from refdesk.testing.desk import Desk, make_desk, markdown

# Counting its tokens takes seconds and 500 MB, reading it neither.
_PATHOLOGICAL = ("字" * 400 + "\n\n").encode() * 15_000
_BY_TOKENS: dict[str, Any] = {"profile": "compact"}


async def _desk(database: Database, **limits: Any) -> Desk:
    return await make_desk(database, Settings(index_batch_size=4, **limits))


@pytest.mark.parametrize(
    ("limits", "code"),
    [({"split_timeout_s": 0.4}, "split-timeout"), ({"parse_memory_bytes": 320 * 1024**2}, "split-memory")],
)
async def test_a_text_beyond_a_limit_fails_at_splitting_and_the_next_file_is_read(
    database: Database, limits: dict[str, Any], code: str
) -> None:
    desk = await _desk(database, **limits)
    base = await desk.base()
    document_id = await desk.file(base.id, _PATHOLOGICAL, "a.txt", **_BY_TOKENS)
    failed = await desk.process(document_id)
    assert failed.state == "failed"
    assert failed.error is not None
    assert (failed.error.code, failed.error.stage) == (code, "splitting")
    assert failed.error.reason
    assert failed.error.hint
    assert (await desk.process(await desk.file(base.id, markdown(2)))).state == "ready"


async def test_a_catastrophic_pattern_fails_the_document_and_other_settings_bring_it_in(
    database: Database,
) -> None:
    desk = await _desk(database)
    base = await desk.base()
    data = ("a" * 40 + "b\n\n").encode()
    document_id = await desk.file(base.id, data, "a.txt", patterns=[r"^(a|aa)+$"])
    failed = await desk.process(document_id)
    assert failed.error is not None
    assert (failed.error.code, failed.error.stage) == ("pattern-too-slow", "splitting")
    async with desk.database.transaction() as session:
        body = DocumentUpdate(split_settings=SplitOptions())
        await Documents(session, desk.scope).update(document_id, body)
    assert (await desk.process(document_id)).state == "ready"


async def test_splitting_a_preview_again_has_the_same_limits(database: Database) -> None:
    desk = await _desk(database)
    base = await desk.base()
    document_id = await desk.file(base.id, _PATHOLOGICAL, "a.txt")
    await desk.rows("UPDATE documents SET is_draft = true WHERE id = :id RETURNING id", id=document_id)
    assert (await desk.process(document_id)).state == "draft"
    async with desk.database.transaction() as session:
        body = DocumentUpdate(split_settings=SplitOptions(**_BY_TOKENS))
        await Documents(session, desk.scope).update(document_id, body)
    hurried = Desk(
        desk.database, Settings(index_batch_size=4, split_timeout_s=0.2), desk.workspace_id, desk.embedder
    )
    failed = await hurried.process(document_id)
    assert failed.error is not None
    assert (failed.error.code, failed.error.stage) == ("split-timeout", "splitting")
