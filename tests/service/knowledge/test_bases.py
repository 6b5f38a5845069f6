"""Bases, structured documents, paragraphs: the services on a real database."""

import asyncio

import pytest

from refdesk.accounts import Scope
from refdesk.kit.errors import CursorInvalid, NotFound
from refdesk.knowledge import Documents, KnowledgeBases, Paragraphs
from refdesk.knowledge.errors import (
    DocumentLimitReached,
    KnowledgeBaseModelFixed,
    NameTaken,
    NoOriginal,
    ParagraphChanged,
)
from refdesk.knowledge.schemas import (
    KnowledgeBaseCreate,
    KnowledgeBaseUpdate,
    NewDocument,
    NewParagraph,
    ParagraphUpdate,
)
from refdesk.testing.desk import Desk, markdown


def draft(count: int = 3, name: str = "notes") -> NewDocument:
    paragraphs = [NewParagraph(title=f"T{n}", content=f"Paragraph {n} of {name}.") for n in range(count)]
    return NewDocument(name=name, paragraphs=paragraphs)


async def test_a_name_is_unique_in_its_workspace_also_when_two_take_it_at_once(desk: Desk) -> None:
    async def create() -> None:
        async with desk.database.transaction() as session:
            bases = KnowledgeBases(session, desk.scope, desk.settings)
            await bases.create(KnowledgeBaseCreate(name="Same"), desk.gateway)

    outcomes = await asyncio.gather(*(create() for _ in range(4)), return_exceptions=True)
    assert sum(outcome is None for outcome in outcomes) == 1
    assert sum(isinstance(outcome, NameTaken) for outcome in outcomes) == 3


async def test_bases_are_listed_by_name_page_by_page(desk: Desk) -> None:
    names = [f"Library {letter}" for letter in "DBAC"]
    for name in names:
        async with desk.database.transaction() as session:
            bases = KnowledgeBases(session, desk.scope, desk.settings)
            await bases.create(KnowledgeBaseCreate(name=name), desk.gateway)
    seen: list[str] = []
    cursor = None
    async with desk.database.transaction() as session:
        bases = KnowledgeBases(session, desk.scope, desk.settings)
        while True:
            page = await bases.page(limit=3, cursor=cursor, q="library")
            seen += [base.name for base in page.items]
            assert page.total == 4
            cursor = page.next_cursor
            if cursor is None:
                break
    assert seen == sorted(names)


async def test_the_embedding_model_is_fixed_once_there_are_documents(desk: Desk) -> None:
    base = await desk.base()
    async with desk.database.transaction() as session:
        await Documents(session, desk.scope).create(base.id, [draft()])
    async with desk.database.transaction() as session:
        with pytest.raises(KnowledgeBaseModelFixed):
            await KnowledgeBases(session, desk.scope, desk.settings).update(
                base.id, KnowledgeBaseUpdate(embedding_model_id=base.id), desk.gateway
            )


async def test_structured_documents_are_saved_together_and_indexed(desk: Desk) -> None:
    base = await desk.base(max_documents=2)
    async with desk.database.transaction() as session:
        with pytest.raises(DocumentLimitReached) as refusal:
            await Documents(session, desk.scope).create(base.id, [draft(), draft(), draft()])
    assert refusal.value.details["limit"] == "max_documents"
    async with desk.database.transaction() as session:
        made = await Documents(session, desk.scope).create(base.id, [draft(3, "一"), draft(2, "two")])
    assert [item.name for item in made.items] == ["一", "two"]
    for item in made.items:
        done = await desk.process(item.id)
        assert (done.state, done.progress_done) == ("ready", item.paragraph_count)
    async with desk.database.transaction() as session:
        with pytest.raises(NoOriginal):
            await Documents(session, desk.scope).original(made.items[0].id)
        counts = (await KnowledgeBases(session, desk.scope, desk.settings).view(base.id)).counts
    assert (counts.documents, counts.paragraphs, counts.states) == (2, 5, {"ready": 2})


async def test_two_additions_at_once_do_not_pass_the_limit_together(desk: Desk) -> None:
    base = await desk.base(max_documents=3)

    async def create() -> None:
        async with desk.database.transaction() as session:
            await Documents(session, desk.scope).create(base.id, [draft(1), draft(1)])

    outcomes = await asyncio.gather(*(create() for _ in range(3)), return_exceptions=True)
    assert sum(outcome is None for outcome in outcomes) == 1


async def test_paragraphs_can_be_read_from_the_middle_in_both_directions(desk: Desk) -> None:
    base = await desk.base()
    document = await desk.process(await desk.file(base.id, markdown(25)))
    async with desk.database.transaction() as session:
        paragraphs = Paragraphs(session, desk.scope)
        everything = await paragraphs.page(document.id, limit=100, cursor=None, around=None, q=None)
        target = everything.items[13]
        page = await paragraphs.page(document.id, limit=10, cursor=None, around=target.id, q=None)
        assert [item.position for item in page.items] == list(range(8, 18))
        back = await paragraphs.page(document.id, limit=10, cursor=page.previous_cursor, around=None, q=None)
        assert [item.position for item in back.items][:8] == list(range(8))
        assert back.previous_cursor is None
        onward = await paragraphs.page(document.id, limit=10, cursor=page.next_cursor, around=None, q=None)
        assert [item.position for item in onward.items] == list(range(18, 25))
        assert onward.next_cursor is None
        found = await paragraphs.page(document.id, limit=10, cursor=None, around=None, q="ERR-0007")
        assert [item.position for item in found.items] == [7]
        with pytest.raises(CursorInvalid):
            await paragraphs.page(document.id, limit=10, cursor="-1", around=None, q=None)


async def test_an_edit_of_an_older_revision_is_refused(desk: Desk) -> None:
    base = await desk.base()
    document = await desk.process(await desk.file(base.id, markdown(1)))
    async with desk.database.transaction() as session:
        paragraphs = Paragraphs(session, desk.scope)
        (item,) = (await paragraphs.page(document.id, limit=1, cursor=None, around=None, q=None)).items
        await paragraphs.update(item.id, ParagraphUpdate(content="first", revision=item.revision))
        with pytest.raises(ParagraphChanged):
            await paragraphs.update(item.id, ParagraphUpdate(content="second", revision=item.revision))


async def test_an_inactive_paragraph_is_out_of_the_index_at_once(desk: Desk) -> None:
    base = await desk.base()
    document = await desk.process(await desk.file(base.id, markdown(2)))
    async with desk.database.transaction() as session:
        paragraphs = Paragraphs(session, desk.scope)
        page = await paragraphs.page(document.id, limit=2, cursor=None, around=None, q=None)
        await paragraphs.update(page.items[0].id, ParagraphUpdate(is_active=False))
    flags = await desk.rows(
        "SELECT e.is_active FROM index_entries e JOIN paragraphs p ON p.id = e.paragraph_id"
        " WHERE e.document_id = :id ORDER BY p.position",
        id=document.id,
    )
    assert [row[0] for row in flags] == [False, True]


async def test_another_workspace_finds_none_of_it(desk: Desk, another_desk) -> None:
    base = await desk.base()
    document = await desk.process(await desk.file(base.id, markdown(1)))
    (paragraph,) = await desk.rows("SELECT id FROM paragraphs WHERE document_id = :id", id=document.id)
    stranger = (await another_desk()).scope
    async with desk.database.transaction() as session:
        for attempt in (
            lambda: KnowledgeBases(session, stranger, desk.settings).view(base.id),
            lambda: KnowledgeBases(session, stranger, desk.settings).delete(base.id),
            lambda: Documents(session, stranger).view(document.id),
            lambda: Documents(session, stranger).delete(document.id),
            lambda: Documents(session, stranger).original(document.id),
            lambda: Documents(session, stranger).create(base.id, [draft()]),
            lambda: Paragraphs(session, stranger).view(paragraph[0]),
            lambda: Paragraphs(session, stranger).delete(paragraph[0]),
            lambda: Paragraphs(session, stranger).page(
                document.id, limit=1, cursor=None, around=None, q=None
            ),
        ):
            with pytest.raises(NotFound):
                await attempt()


async def test_a_key_bound_to_one_base_reaches_no_other(desk: Desk) -> None:
    mine, other = await desk.base(), await desk.base()
    document = await desk.process(await desk.file(other.id, markdown(1)))
    bound = Scope(
        workspace_id=desk.workspace_id,
        user_id=None,
        role=desk.scope.role,
        via="api_key",
        resource=("knowledge_base", mine.id),
    )
    async with desk.database.transaction() as session:
        assert (await KnowledgeBases(session, bound, desk.settings).view(mine.id)).id == mine.id
        with pytest.raises(Exception, match="bound"):
            await KnowledgeBases(session, bound, desk.settings).view(other.id)
        with pytest.raises(NotFound):
            await Documents(session, bound).view(document.id)
        page = await KnowledgeBases(session, bound, desk.settings).page(limit=10, cursor=None, q=None)
        assert [base.id for base in page.items] == [mine.id]
