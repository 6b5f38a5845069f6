"""An edit that the file disagrees with waits until somebody decides: it stays, or the file wins."""

from uuid import UUID

import pytest
from tests.service.knowledge.test_versions import (
    PARTS,
    edit,
    listed,
    ready,
    replaced,
    require_complete_index,
)

from refdesk.kit.ids import new_id
from refdesk.knowledge.edit_conflicts import EditConflicts
from refdesk.knowledge.errors import NoEditConflict
from refdesk.knowledge.jobs import index_paragraphs
from refdesk.knowledge.paragraph_structure import ParagraphStructure
from refdesk.knowledge.schemas import ConflictDecision, DocumentView
from refdesk.testing.desk import Desk

NEWER = {
    **PARTS,
    "Light": PARTS["Light"].replace("morning", "dawn"),
    "Sound": PARTS["Sound"].replace("fog", "mist"),
}


async def in_conflict(desk: Desk) -> tuple[UUID, list[UUID]]:
    """A document with two edits whose places say something else in the newer file."""
    document = await ready(desk)
    ids = [paragraph.id for paragraph in (await listed(desk, document.id))[:2]]
    for paragraph_id in ids:
        await edit(desk, paragraph_id, content=f"My own words {paragraph_id}.")
    done = await replaced(desk, document.id, NEWER)
    assert [set(warning.paragraph_ids) for warning in done.warnings] == [set(ids)]
    return document.id, ids


async def decide(desk: Desk, document_id: UUID, keep: str, ids: list[UUID] | None = None) -> DocumentView:
    body = ConflictDecision.model_validate({"keep": keep, "paragraph_ids": ids})
    async with desk.database.transaction() as session:
        return await EditConflicts(session, desk.scope).resolve(document_id, body)


async def test_mine_stay_and_the_warning_goes_for_good(desk: Desk) -> None:
    document_id, _ = await in_conflict(desk)
    view = await decide(desk, document_id, "mine")
    assert (view.warnings, view.needs_attention) == ([], False)
    shown = await listed(desk, document_id)
    assert all(paragraph.is_edited and "My own" in paragraph.content for paragraph in shown[:2])
    again = await replaced(desk, document_id, {**NEWER, "Boats": "No boats any more."})
    assert again.warnings == []


async def test_theirs_are_taken_and_indexed(desk: Desk) -> None:
    document_id, _ = await in_conflict(desk)
    view = await decide(desk, document_id, "theirs")
    assert view.warnings == []
    shown = await listed(desk, document_id)
    assert [(p.content, p.is_edited) for p in shown[:2]] == [(NEWER["Light"], False), (NEWER["Sound"], False)]
    await index_paragraphs(desk.context, str(desk.workspace_id), str(document_id))
    await require_complete_index(desk, document_id)


async def test_each_can_be_decided_by_itself(desk: Desk) -> None:
    document_id, ids = await in_conflict(desk)
    view = await decide(desk, document_id, "theirs", ids[:1])
    assert [warning.paragraph_ids for warning in view.warnings] == [ids[1:]]
    with pytest.raises(NoEditConflict):
        await decide(desk, document_id, "mine", [*ids])
    with pytest.raises(NoEditConflict):
        await decide(desk, document_id, "mine", [new_id()])
    assert (await decide(desk, document_id, "mine")).warnings == []
    with pytest.raises(NoEditConflict):
        await decide(desk, document_id, "mine")


async def test_the_halves_of_a_paragraph_become_one_again(desk: Desk) -> None:
    document = await ready(desk)
    light = (await listed(desk, document.id))[0]
    async with desk.database.transaction() as session:
        await ParagraphStructure(session, desk.scope).split(light.id, 20, None)
    await replaced(desk, document.id, NEWER)
    await decide(desk, document.id, "theirs")
    shown = await listed(desk, document.id)
    assert [paragraph.content for paragraph in shown] == list(NEWER.values())
    await index_paragraphs(desk.context, str(desk.workspace_id), str(document.id))
    await require_complete_index(desk, document.id)
