"""Adding, splitting, merging, reverting, and the same done to many paragraphs."""

import contextlib
import random
from typing import Any
from uuid import UUID

import pytest

from refdesk.kit.errors import NotFound
from refdesk.knowledge import Paragraphs, paragraph_repository
from refdesk.knowledge.errors import (
    NoNextParagraph,
    NotEdited,
    ParagraphChanged,
    ParagraphTooLong,
    SplitOffsetInvalid,
)
from refdesk.knowledge.jobs import index_paragraphs
from refdesk.knowledge.paragraph_structure import ParagraphStructure
from refdesk.knowledge.schemas import (
    AddedParagraph,
    DocumentView,
    ParagraphMerge,
    ParagraphUpdate,
    ParagraphView,
)
from refdesk.testing.desk import Desk, markdown


async def ready(desk: Desk, paragraphs: int = 4) -> DocumentView:
    base = await desk.base()
    return await desk.process(await desk.file(base.id, markdown(paragraphs)))


async def listed(desk: Desk, document_id: UUID) -> list[ParagraphView]:
    async with desk.database.transaction() as session:
        page = await Paragraphs(session, desk.scope).page(
            document_id, limit=500, cursor=None, around=None, q=None
        )
        return list(page.items)


async def do(desk: Desk, name: str, *arguments: Any, **options: Any) -> Any:
    """One call of `ParagraphStructure` or `Paragraphs` in a transaction of its own."""
    async with desk.database.transaction() as session:
        structure = ParagraphStructure(session, desk.scope)
        owner = structure if hasattr(structure, name) else structure.paragraphs
        return await getattr(owner, name)(*arguments, **options)


async def indexed(desk: Desk, document_id: UUID) -> None:
    await index_paragraphs(desk.context, str(desk.workspace_id), str(document_id))
    shown = await listed(desk, document_id)
    assert all(paragraph.is_indexed for paragraph in shown)
    rows = await desk.rows(
        "SELECT DISTINCT paragraph_id FROM index_entries WHERE document_id = :id", id=document_id
    )
    assert {row[0] for row in rows} == {paragraph.id for paragraph in shown}


async def test_added_paragraphs_stand_where_they_were_put(desk: Desk) -> None:
    document = await ready(desk, 3)
    one, two, three = await listed(desk, document.id)
    last = await do(desk, "add", document.id, AddedParagraph(content="at the end"))
    behind = await do(desk, "add", document.id, AddedParagraph(content="behind one", after=one.id))
    first = await do(desk, "add", document.id, AddedParagraph(content="in front", after=None))
    shown = await listed(desk, document.id)
    assert [p.id for p in shown] == [first.id, one.id, behind.id, two.id, three.id, last.id]
    assert [p.position for p in shown] == list(range(6))
    view = await desk.view(document.id)
    assert view.paragraph_count == 6
    assert view.character_count == sum(len(p.content) for p in shown)
    await indexed(desk, document.id)


async def test_many_additions_in_one_place_keep_their_order_and_write_few_rows(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = await ready(desk, 3)
    one, *_ = await listed(desk, document.id)
    anchor, added = one.id, []
    for number in range(30):
        made = await do(desk, "add", document.id, AddedParagraph(content=f"added {number}", after=anchor))
        added.append(made.id)
        anchor = made.id
    shown = await listed(desk, document.id)
    assert [p.id for p in shown][1:31] == added
    assert [p.position for p in shown] == list(range(33))
    monkeypatch.setattr(paragraph_repository, "MAX_POSITION", 100)
    made = await do(desk, "add", document.id, AddedParagraph(content="no room left", after=None))
    again = await listed(desk, document.id)
    assert [p.id for p in again] == [made.id, *(p.id for p in shown)]


async def test_a_paragraph_cut_in_two_keeps_all_text_and_can_be_joined_again(desk: Desk) -> None:
    document = await ready(desk)
    one, two, *_ = await listed(desk, document.id)
    space = one.content.index(" tells")
    pair = await do(desk, "split", one.id, space, one.revision)
    assert (pair.first.id, pair.first.content) == (one.id, one.content[:space])
    assert pair.second.content == one.content[space + 1 :]
    assert pair.second.title == one.title
    assert [p.position for p in (pair.first, pair.second)] == [0, 1]
    assert (await listed(desk, document.id))[2].id == two.id
    await indexed(desk, document.id)
    joined = await do(desk, "merge", one.id, ParagraphMerge(separator=" "))
    assert (joined.content, joined.is_edited, joined.source) == (one.content, False, None)
    assert [p.position for p in await listed(desk, document.id)] == list(range(4))
    assert (await desk.view(document.id)).character_count == document.character_count
    await indexed(desk, document.id)


async def test_cutting_where_one_half_would_be_empty_is_refused(desk: Desk) -> None:
    document = await ready(desk, 1)
    (one,) = await listed(desk, document.id)
    for offset in (0, len(one.content), 90_000):
        with pytest.raises(SplitOffsetInvalid):
            await do(desk, "split", one.id, offset, None)


async def test_joining_takes_over_questions_and_heading_and_tells_the_end(desk: Desk) -> None:
    document = await ready(desk, 2)
    one, two = await listed(desk, document.id)
    await do(desk, "add", document.id, AddedParagraph(content="asked", questions=["Why?"], after=one.id))
    joined = await do(desk, "merge", one.id, ParagraphMerge())
    assert joined.content == f"{one.content}\n\nasked"
    assert [question.content for question in joined.questions] == ["Why?"]
    whole = await do(desk, "merge", one.id, ParagraphMerge())
    assert whole.content == f"{one.content}\n\nasked\n\n{two.title}\n\n{two.content}"
    with pytest.raises(NoNextParagraph):
        await do(desk, "merge", one.id, ParagraphMerge())
    await indexed(desk, document.id)
    assert (await desk.view(document.id)).paragraph_count == 1


async def test_joining_what_would_be_too_long_or_has_changed_is_refused(desk: Desk) -> None:
    document = await ready(desk, 2)
    one, two = await listed(desk, document.id)
    with pytest.raises(ParagraphChanged):
        await do(desk, "merge", one.id, ParagraphMerge(next_revision=two.revision + 1))
    await do(desk, "update", two.id, ParagraphUpdate(content="x" * 100_000))
    with pytest.raises(ParagraphTooLong):
        await do(desk, "merge", one.id, ParagraphMerge())


async def test_an_edit_can_be_taken_back(desk: Desk) -> None:
    document = await ready(desk, 1)
    (one,) = await listed(desk, document.id)
    with pytest.raises(NotEdited):
        await do(desk, "revert", one.id)
    edited = await do(desk, "update", one.id, ParagraphUpdate(title="Mine", content="My words."))
    assert edited.source is not None
    assert (edited.source.title, edited.source.content) == (one.title, one.content)
    with pytest.raises(ParagraphChanged):
        await do(desk, "revert", one.id, one.revision)
    back = await do(desk, "revert", one.id, edited.revision)
    assert (back.title, back.content, back.is_edited, back.source) == (one.title, one.content, False, None)
    assert (await desk.view(document.id)).character_count == document.character_count


async def test_writing_by_hand_what_the_file_says_is_no_edit(desk: Desk) -> None:
    document = await ready(desk, 1)
    (one,) = await listed(desk, document.id)
    await do(desk, "update", one.id, ParagraphUpdate(content="My words."))
    same = await do(desk, "update", one.id, ParagraphUpdate(content=one.content))
    assert not same.is_edited


async def test_adding_what_was_deleted_takes_the_deletion_back(desk: Desk) -> None:
    document = await ready(desk, 3)
    one, two, _ = await listed(desk, document.id)
    await do(desk, "delete", two.id)
    removed = await desk.rows("SELECT removed_origins FROM documents WHERE id = :id", id=document.id)
    assert len(removed[0][0]) == 1
    body = AddedParagraph(title=two.title, content=two.content, after=one.id)
    back = await do(desk, "add", document.id, body)
    assert (back.position, back.is_edited) == (1, False)
    removed = await desk.rows("SELECT removed_origins FROM documents WHERE id = :id", id=document.id)
    assert removed == [([],)]


async def test_actions_are_done_to_all_or_none(desk: Desk) -> None:
    document, other = await ready(desk), await ready(desk, 1)
    ids = [paragraph.id for paragraph in await listed(desk, document.id)]
    (foreign,) = await listed(desk, other.id)
    with pytest.raises(NotFound) as refusal:
        await do(desk, "act", document.id, [*ids, foreign.id], "delete")
    assert refusal.value.details["paragraph_ids"] == [str(foreign.id)]
    assert await do(desk, "act", document.id, ids[:3], "deactivate") == 3
    assert await do(desk, "act", document.id, ids, "deactivate") == 1
    flags = await desk.rows("SELECT is_active FROM index_entries WHERE document_id = :id", id=document.id)
    assert flags == [(False,)] * 4
    assert await do(desk, "act", document.id, ids[:2], "activate") == 2
    assert await do(desk, "act", document.id, ids[2:], "delete") == 2
    shown = await listed(desk, document.id)
    assert [(p.id, p.is_active) for p in shown] == [(ids[0], True), (ids[1], True)]
    view = await desk.view(document.id)
    assert (view.paragraph_count, view.progress_total) == (2, 2)
    await indexed(desk, document.id)


async def test_places_are_without_gaps_whatever_is_done_in_whatever_order(desk: Desk) -> None:
    chance = random.Random(7)
    document = await ready(desk, 5)
    expected = [p.id for p in await listed(desk, document.id)]
    for _ in range(40):
        place = chance.randrange(len(expected))
        target = expected[place]
        match chance.choice(["add", "split", "merge", "delete"]):
            case "add":
                made = await do(desk, "add", document.id, AddedParagraph(content="two words", after=target))
                expected.insert(place + 1, made.id)
            case "delete" if len(expected) > 1:
                await do(desk, "delete", target)
                del expected[place]
            case "merge" if place + 1 < len(expected):
                await do(desk, "merge", target, ParagraphMerge())
                del expected[place + 1]
            case "split":
                with contextlib.suppress(SplitOffsetInvalid):
                    pair = await do(desk, "split", target, 5, None)
                    expected.insert(place + 1, pair.second.id)
            case _:
                continue
        shown = await listed(desk, document.id)
        assert [p.id for p in shown] == expected
        assert [p.position for p in shown] == list(range(len(expected)))
    view, shown = await desk.view(document.id), await listed(desk, document.id)
    assert view.paragraph_count == len(shown)
    assert view.character_count == sum(len(p.content) for p in shown)
    await indexed(desk, document.id)
