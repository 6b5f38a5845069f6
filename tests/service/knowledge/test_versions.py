"""A document's file is replaced: what stays, what goes, what can be read of it afterwards."""

import random
from typing import Any
from uuid import UUID

import pytest

from refdesk.kit.errors import NotFound
from refdesk.knowledge import Documents, Paragraphs
from refdesk.knowledge.errors import VersionIsCurrent
from refdesk.knowledge.indexing import IndexWriter
from refdesk.knowledge.jobs import index_paragraphs, remove_document_job
from refdesk.knowledge.paragraph_structure import ParagraphStructure
from refdesk.knowledge.schemas import (
    AddedParagraph,
    DocumentUpdate,
    DocumentView,
    NewDocument,
    NewParagraph,
    ParagraphMerge,
    ParagraphUpdate,
    ParagraphView,
    SplitOptions,
)
from refdesk.knowledge.versions import restore
from refdesk.knowledge.versions.reading import Versions
from refdesk.testing.desk import Desk

PARTS = {
    "Light": "The lamp of the harbour burns every night until the morning.",
    "Sound": "A bell on the pier rings whenever the fog comes in from the sea.",
    "Ropes": "Ropes are inspected twice a year by the master of the boats.",
    "Boats": "Every boat has a number, a name and a place at the long pier.",
}


def file_of(parts: dict[str, str]) -> bytes:
    return "\n".join(f"## {title}\n\n{text}\n" for title, text in parts.items()).encode()


async def ready(desk: Desk, parts: dict[str, str] = PARTS) -> DocumentView:
    base = await desk.base()
    return await desk.process(await desk.file(base.id, file_of(parts)))


async def replaced(desk: Desk, document_id: UUID, parts: dict[str, str], **options: Any) -> DocumentView:
    await desk.replace(document_id, file_of(parts), **options)
    done = await desk.process(document_id)
    assert (done.state, done.error) == ("ready", None)
    return done


async def listed(desk: Desk, document_id: UUID) -> list[ParagraphView]:
    async with desk.database.transaction() as session:
        page = await Paragraphs(session, desk.scope).page(
            document_id, limit=500, cursor=None, around=None, q=None
        )
        return list(page.items)


async def edit(desk: Desk, paragraph_id: UUID, **fields: Any) -> None:
    async with desk.database.transaction() as session:
        await Paragraphs(session, desk.scope).update(paragraph_id, ParagraphUpdate(**fields))


def embedded(desk: Desk) -> list[str]:
    return [text for call in desk.embedder.calls for text in call]


async def require_complete_index(desk: Desk, document_id: UUID) -> None:
    """Every paragraph is indexed at its revision and nothing else is."""
    shown = await listed(desk, document_id)
    assert all(paragraph.is_indexed for paragraph in shown)
    rows = await desk.rows(
        "SELECT DISTINCT paragraph_id FROM index_entries WHERE document_id = :id", id=document_id
    )
    assert {row[0] for row in rows} == {paragraph.id for paragraph in shown}
    marks = await desk.rows("SELECT count(*) FROM indexed_paragraphs WHERE document_id = :id", id=document_id)
    assert marks == [(len(shown),)]
    assert [paragraph.position for paragraph in shown] == list(range(len(shown)))


async def test_what_is_unchanged_keeps_its_id_and_is_not_embedded_again(desk: Desk) -> None:
    document = await ready(desk)
    before = {paragraph.title: paragraph for paragraph in await listed(desk, document.id)}
    desk.embedder.calls.clear()
    changed = {"New": "A notice that was not there before.", **PARTS, "Sound": "The bell is gone."}
    done = await replaced(desk, document.id, changed, name="second.md")
    assert (done.version, done.name, done.paragraph_count) == (2, "second.md", 5)
    after = {paragraph.title: paragraph for paragraph in await listed(desk, document.id)}
    assert list(after) == list(changed)
    for title in ("Light", "Ropes", "Boats"):
        assert after[title].id == before[title].id
        assert after[title].revision == before[title].revision
    assert after["Sound"].id != before["Sound"].id
    assert len(embedded(desk)) == 2, "only what is new"
    await require_complete_index(desk, document.id)


async def test_edits_questions_flags_and_deletions_are_carried_over(desk: Desk) -> None:
    document = await ready(desk)
    before = {paragraph.title: paragraph for paragraph in await listed(desk, document.id)}
    await edit(desk, before["Light"].id, content="My own words about the lamp.")
    await edit(desk, before["Ropes"].id, is_active=False)
    async with desk.database.transaction() as session:
        await Paragraphs(session, desk.scope).delete(before["Boats"].id)
        await ParagraphStructure(session, desk.scope).add(
            document.id,
            AddedParagraph(content="Added by hand.", questions=["Who added it?"], after=before["Light"].id),
        )
    done = await replaced(desk, document.id, {**PARTS, "Sound": "The bell rings at noon."})
    after = await listed(desk, document.id)
    assert [(p.title, p.content) for p in after] == [
        ("Light", "My own words about the lamp."),
        ("", "Added by hand."),
        ("Sound", "The bell rings at noon."),
        ("Ropes", PARTS["Ropes"]),
    ]
    assert (after[0].id, after[0].is_edited) == (before["Light"].id, True)
    assert [question.content for question in after[1].questions] == ["Who added it?"]
    assert not after[3].is_active
    assert done.warnings == []
    active = await desk.rows(
        "SELECT is_active FROM index_entries WHERE paragraph_id = :id", id=before["Ropes"].id
    )
    assert active == [(False,)]
    await require_complete_index(desk, document.id)


async def test_an_edit_whose_source_changed_is_kept_and_reported_until_somebody_decides(desk: Desk) -> None:
    document = await ready(desk)
    light = (await listed(desk, document.id))[0]
    await edit(desk, light.id, content="My own words.")
    newer = PARTS["Light"].replace("morning", "dawn")
    done = await replaced(desk, document.id, {**PARTS, "Light": newer})
    (warning,) = done.warnings
    assert (warning.code, warning.paragraph_ids) == ("edit-conflict", [light.id])
    assert done.needs_attention
    shown = (await listed(desk, document.id))[0]
    assert (shown.content, shown.source) != ("My own words.", None)
    assert shown.source is not None
    assert shown.source.content == newer
    still = await replaced(desk, document.id, {**PARTS, "Light": newer, "Boats": "No boats any more."})
    assert [w.code for w in still.warnings] == ["edit-conflict"], "nobody has decided yet"
    async with desk.database.transaction() as session:
        reverted = await Paragraphs(session, desk.scope).revert(light.id)
    assert (reverted.content, reverted.is_edited, reverted.source) == (newer, False, None)
    assert (await desk.view(document.id)).warnings == []


async def test_an_edited_paragraph_that_is_gone_from_the_file_is_reported_and_can_be_read(desk: Desk) -> None:
    document = await ready(desk)
    light = (await listed(desk, document.id))[0]
    await edit(desk, light.id, title="Mine", content="My own words.")
    rest = {title: text for title, text in PARTS.items() if title != "Light"}
    done = await replaced(desk, document.id, rest)
    (warning,) = done.warnings
    assert (warning.code, warning.paragraph_ids) == ("edit-lost", [light.id])
    async with desk.database.transaction() as session:
        past = await Paragraphs(session, desk.scope).view(light.id)
    assert (past.content, past.is_current, past.version) == ("My own words.", False, 1)


async def test_a_paragraph_that_is_gone_is_answered_from_the_version_that_had_it(desk: Desk) -> None:
    document = await ready(desk)
    sound = (await listed(desk, document.id))[1]
    for number in range(2, 5):
        await replaced(desk, document.id, {**PARTS, "Sound": f"The bell of version {number} is new."})
    async with desk.database.transaction() as session:
        paragraphs = Paragraphs(session, desk.scope)
        past = await paragraphs.view(sound.id)
        assert (past.version, past.is_current, past.content) == (1, False, PARTS["Sound"])
        assert (past.title, past.position) == ("Sound", 1)
        versions = Versions(session, desk.scope)
        second = await versions.paragraphs(document.id, 2, limit=10, cursor=None)
        seen = await paragraphs.view(second.items[1].id)
        assert (seen.version, seen.content) == (2, "The bell of version 2 is new.")
        page = await versions.page(document.id, limit=2, cursor=None)
        assert [(v.number, v.is_current) for v in page.items] == [(4, True), (3, False)]
        assert page.total == 4
        rest = await versions.page(document.id, limit=2, cursor=page.next_cursor)
        assert [v.number for v in rest.items] == [2, 1]
        first, blob = await versions.original(document.id, 1)
        assert (first.name, blob.size) == ("a.md", len(file_of(PARTS)))
        with pytest.raises(NotFound):
            await versions.paragraphs(document.id, 9, limit=10, cursor=None)


async def test_a_paragraph_deleted_by_hand_is_answered_where_a_snapshot_has_it(desk: Desk) -> None:
    document = await ready(desk)
    light, sound, *_ = await listed(desk, document.id)
    await replaced(desk, document.id, {**PARTS, "Boats": "No boats any more."})
    async with desk.database.transaction() as session:
        await Paragraphs(session, desk.scope).delete(light.id)
    async with desk.database.transaction() as session:
        past = await Paragraphs(session, desk.scope).view(light.id)
        assert (past.content, past.version) == (PARTS["Light"], 1)
        present = await Paragraphs(session, desk.scope).view(sound.id)
        assert (present.is_current, present.version) == (True, 2)


async def test_a_version_comes_back_with_its_ids_edits_and_questions(desk: Desk) -> None:
    document = await ready(desk)
    assert document.extracted_chars
    report = (document.extracted_chars, document.kept_chars, document.removed_chars, document.ocr_pages)
    light, *_ = await listed(desk, document.id)
    await edit(desk, light.id, content="My own words.")
    await index_paragraphs(desk.context, str(desk.workspace_id), str(document.id))
    first = [(p.id, p.title, p.content, p.is_edited) for p in await listed(desk, document.id)]
    await replaced(desk, document.id, {"Other": "Nothing is as it was.", "Ropes": PARTS["Ropes"]})
    async with desk.database.transaction() as session:
        await restore(session, desk.scope, document.id, 1)
    desk.embedder.calls.clear()
    done = await desk.process(document.id)
    assert (done.state, done.version, done.paragraph_count) == ("ready", 3, 4)
    assert (done.extracted_chars, done.kept_chars, done.removed_chars, done.ocr_pages) == report
    assert [(p.id, p.title, p.content, p.is_edited) for p in await listed(desk, document.id)] == first
    assert len(embedded(desk)) == 3, "the one that was still there is not embedded again"
    await require_complete_index(desk, document.id)
    async with desk.database.transaction() as session:
        versions = await Versions(session, desk.scope).page(document.id, limit=10, cursor=None)
    assert [(v.number, v.reason) for v in versions.items] == [(3, "rollback"), (2, "upload"), (1, "upload")]


async def test_the_file_that_comes_back_is_the_one_of_that_version(desk: Desk) -> None:
    document = await ready(desk)
    await replaced(desk, document.id, {"Other": "Nothing is as it was."})
    async with desk.database.transaction() as session:
        await restore(session, desk.scope, document.id, 1)
    await desk.process(document.id)
    async with desk.database.transaction() as session:
        _, blob = await Documents(session, desk.scope).original(document.id)
    assert blob.size == len(file_of(PARTS))


async def test_a_new_file_that_cannot_be_read_leaves_the_present_version_in_place(desk: Desk) -> None:
    document = await ready(desk)
    ids = [paragraph.id for paragraph in await listed(desk, document.id)]
    await desk.replace(document.id, b"%PDF-1.7\n1 0 obj\n<<", name="broken.pdf")
    failed = await desk.process(document.id)
    assert (failed.state, failed.version, failed.name) == ("failed", 1, "a.md")
    assert [paragraph.id for paragraph in await listed(desk, document.id)] == ids
    await edit(desk, ids[0], content="edited meanwhile")
    await index_paragraphs(desk.context, str(desk.workspace_id), str(document.id))
    await require_complete_index(desk, document.id)
    assert (await desk.view(document.id)).state == "failed"
    async with desk.database.transaction() as session:
        await restore(session, desk.scope, document.id, 1)
    done = await desk.process(document.id)
    assert (done.state, done.version, done.error) == ("ready", 1, None)
    assert await desk.count("blobs") == 1
    async with desk.database.transaction() as session:
        with pytest.raises(VersionIsCurrent):
            await restore(session, desk.scope, document.id, 1)


async def test_a_file_that_arrives_while_another_one_is_read_takes_its_place(desk: Desk) -> None:
    document = await ready(desk)
    await desk.replace(document.id, file_of({"Second": "The second file."}))
    await desk.replace(document.id, file_of({"Third": "The third file."}))
    done = await desk.process(document.id)
    assert (done.version, done.paragraph_count) == (2, 1)
    assert [p.title for p in await listed(desk, document.id)] == ["Third"]
    assert await desk.count("blobs") == 2, "the file that nobody read is gone"


async def test_the_same_file_again_makes_no_version(desk: Desk) -> None:
    document = await ready(desk)
    await desk.replace(document.id, file_of(PARTS), name="renamed.md")
    view = await desk.view(document.id)
    assert (view.state, view.version, view.name) == ("ready", 1, "renamed.md")


async def test_other_split_settings_make_a_version_and_keep_what_did_not_move(desk: Desk) -> None:
    long = {**PARTS, "Long": " ".join(f"Sentence {n} of the long part." for n in range(40))}
    document = await ready(desk, long)
    before = {p.title: p.id for p in await listed(desk, document.id)}
    settings = SplitOptions(limit=200)
    async with desk.database.transaction() as session:
        await Documents(session, desk.scope).update(document.id, DocumentUpdate(split_settings=settings))
    desk.embedder.calls.clear()
    done = await desk.process(document.id)
    assert (done.version, done.split_settings.limit) == (2, 200)
    after = await listed(desk, document.id)
    assert [p.id for p in after[:4]] == list(before.values())[:4]
    assert len(after) > 5
    assert len(embedded(desk)) == len(after) - 4
    await require_complete_index(desk, document.id)
    async with desk.database.transaction() as session:
        await restore(session, desk.scope, document.id, 1)
    back = await desk.process(document.id)
    assert (back.version, back.split_settings.limit, back.paragraph_count) == (3, None, 5)


async def test_a_document_of_paragraphs_has_a_version_and_can_take_a_file(desk: Desk) -> None:
    base = await desk.base()
    texts = [NewParagraph(title=title, content=text) for title, text in PARTS.items()]
    async with desk.database.transaction() as session:
        made = await Documents(session, desk.scope).create(
            base.id, [NewDocument(name="notes", paragraphs=texts)]
        )
    document = await desk.process(made.items[0].id)
    ids = [p.id for p in await listed(desk, document.id)]
    assert await desk.count("document_versions") == 1
    await replaced(desk, document.id, PARTS, name="notes.md")
    assert [p.id for p in await listed(desk, document.id)] == ids


async def test_what_differs_between_two_versions_can_be_read(desk: Desk) -> None:
    document = await ready(desk)
    rest = {title: text for title, text in PARTS.items() if title != "Ropes"}
    newer = PARTS["Light"].replace("every night", "on dark nights")
    await replaced(desk, document.id, {**rest, "Light": newer, "New": "A notice that is new."})
    async with desk.database.transaction() as session:
        compared = await Versions(session, desk.scope).diff(document.id, 1, 2, limit=10, cursor=None)
    assert compared.counts.model_dump() == {
        "added": 1,
        "removed": 1,
        "changed": 1,
        "moved": 0,
        "unchanged": 2,
    }
    changed = next(item for item in compared.items if item.kind == "changed")
    assert [(part.op, part.text) for part in changed.parts] == [
        ("equal", "The lamp of the harbour burns "),
        ("delete", "every night "),
        ("insert", "on dark nights "),
        ("equal", "until the morning."),
    ]
    one = [item.kind for item in compared.items]
    async with desk.database.transaction() as session:
        first = await Versions(session, desk.scope).diff(document.id, 1, 2, limit=1, cursor=None)
        rest_of_it = await Versions(session, desk.scope).diff(
            document.id, 1, 2, limit=5, cursor=first.next_cursor
        )
    assert [item.kind for item in (*first.items, *rest_of_it.items)] == one


class Killed(BaseException):
    """The process ends here, for all the run can do about it."""


async def test_a_kill_between_snapshot_and_rows_leaves_all_or_nothing(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = await ready(desk)
    before = await listed(desk, document.id)
    await desk.replace(document.id, file_of({**PARTS, "Sound": "The bell is gone."}))
    original = IndexWriter.remove_paragraphs

    async def remove_then_die(self: IndexWriter, ids: Any) -> None:
        await original(self, ids)
        raise Killed

    monkeypatch.setattr(IndexWriter, "remove_paragraphs", remove_then_die)
    with pytest.raises(Killed):
        await desk.process(document.id)
    monkeypatch.undo()
    assert [p.id for p in await listed(desk, document.id)] == [p.id for p in before]
    assert (await desk.view(document.id)).version == 1
    done = await desk.process(document.id)
    assert (done.state, done.version) == ("ready", 2)
    await require_complete_index(desk, document.id)


async def test_removal_takes_all_versions_and_their_files(desk: Desk) -> None:
    document = await ready(desk)
    await replaced(desk, document.id, {"Other": "Nothing is as it was."})
    await replaced(desk, document.id, {"Third": "And again something else."})
    assert await desk.count("blobs") == 3
    async with desk.database.transaction() as session:
        await Documents(session, desk.scope).delete(document.id)
    await remove_document_job(desk.context, str(desk.workspace_id), str(document.id))
    tables = ("documents", "document_versions", "past_paragraphs", "paragraphs", "blobs", "index_entries")
    assert {table: await desk.count(table) for table in tables} == dict.fromkeys(tables, 0)


async def test_whatever_people_and_files_do_nothing_is_lost_or_doubled(desk: Desk) -> None:
    """Random work on paragraphs, then a random new file, twelve times over, on one document."""
    chance = random.Random(20261130)
    words = ("lamp", "bell", "rope", "boat", "fog", "pier", "dawn", "night", "灯塔", "港口", "船只")

    def sentence() -> str:
        return " ".join(chance.choice(words) for _ in range(chance.randint(4, 14))) + "."

    parts = {f"Part {n}": sentence() for n in range(12)}
    document = await ready(desk, parts)
    for round_number in range(12):
        for _ in range(chance.randint(0, 5)):
            shown = await listed(desk, document.id)
            target = chance.choice(shown)
            async with desk.database.transaction() as session:
                paragraphs, structure = (
                    Paragraphs(session, desk.scope),
                    ParagraphStructure(session, desk.scope),
                )
                match chance.choice(["edit", "delete", "merge", "split", "add", "hide"]):
                    case "edit":
                        await paragraphs.update(target.id, ParagraphUpdate(content=f"{sentence()} (mine)"))
                    case "delete" if len(shown) > 3:
                        await paragraphs.delete(target.id)
                    case "merge" if target.position + 1 < len(shown):
                        await structure.merge(target.id, ParagraphMerge())
                    case "split":
                        await structure.split(target.id, len(target.content) // 2, None)
                    case "add":
                        await structure.add(
                            document.id, AddedParagraph(content=f"{sentence()} (added)", after=target.id)
                        )
                    case _:
                        await paragraphs.update(target.id, ParagraphUpdate(is_active=not target.is_active))
        before = await listed(desk, document.id)
        for title in chance.sample(sorted(parts), 2):
            if len(parts) > 6 and chance.random() < 0.3:
                del parts[title]
            elif chance.random() < 0.5:
                parts[title] = sentence()
        parts[f"New {round_number}"] = sentence()
        done = await replaced(desk, document.id, parts)
        after = await listed(desk, document.id)
        await require_complete_index(desk, document.id)
        assert done.paragraph_count == len(after)
        assert done.character_count == sum(len(p.content) for p in after)
        kept = {p.id: p for p in after}
        lost = {key for w in done.warnings if w.code == "edit-lost" for key in w.paragraph_ids}
        for paragraph in before:
            if paragraph.is_edited:
                assert paragraph.id in kept or paragraph.id in lost
            elif parts.get(paragraph.title) == paragraph.content:
                assert kept[paragraph.id].content == paragraph.content
        plain = [(p.title, p.content) for p in after if not p.is_edited]
        assert len(plain) == len(set(plain))
        assert all(parts.get(title) == content for title, content in plain)
