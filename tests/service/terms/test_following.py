"""The index follows the term base: what is written anew, what is not, and that nothing is lost between."""

import asyncio
from uuid import UUID

import pytest
from tests.service.terms.conftest import TermDesk

from refdesk.knowledge.jobs import index_paragraphs
from refdesk.knowledge.questions import Questions
from refdesk.knowledge.schemas import AttachedQuestions
from refdesk.knowledge.terms import TermRepository, reindexing

CLOUD = "云枢三号控制器连续报错时请联系值班人员。"
PLAIN = [f"第{n}段讲的是食堂的开放时间和菜单。" for n in range(12)]


async def entry_ids(shelf: TermDesk) -> dict[UUID, set[UUID]]:
    rows = await shelf.desk.rows(
        "SELECT paragraph_id, id FROM index_entries WHERE knowledge_base_id = :base", base=shelf.base_id
    )
    found: dict[UUID, set[UUID]] = {}
    for paragraph_id, entry_id in rows:
        found.setdefault(paragraph_id, set()).add(entry_id)
    return found


async def test_only_paragraphs_with_the_word_are_written_anew_and_none_is_embedded(shelf: TermDesk) -> None:
    await shelf.add(*PLAIN, CLOUD, "雲樞三號的說明書。", "K8S 集群")
    before, embedded = await entry_ids(shelf), len(shelf.desk.embedder.calls)
    await shelf.term("云枢三号")
    assert (await shelf.page()).progress.is_current is False
    assert await shelf.desk.jobs("reindex-terms") == 1
    await shelf.follow()
    after = await entry_ids(shelf)
    assert before.keys() == after.keys()
    changed = [key for key in before if before[key] != after[key]]
    assert len(changed) == 2  # the one in traditional characters is another spelling of the word
    assert len(shelf.desk.embedder.calls) == embedded
    progress = (await shelf.page()).progress
    assert (progress.is_current, progress.done, progress.total) == (True, 2, 2)


async def test_statistics_stay_those_of_the_entries(shelf: TermDesk) -> None:
    await shelf.add(*PLAIN, CLOUD, CLOUD + "云枢三号")
    term_id = await shelf.term("云枢三号", "YS-3")
    await shelf.follow()
    await shelf.check_statistics()
    await shelf.delete(term_id)
    await shelf.follow()
    await shelf.check_statistics()
    rows = await shelf.desk.rows(
        "SELECT held, traces FROM term_states WHERE knowledge_base_id = :base", base=shelf.base_id
    )
    assert rows == [([], [])]


async def test_a_word_finds_what_it_found_while_the_index_is_still_behind(shelf: TermDesk) -> None:
    await shelf.add(*PLAIN, CLOUD)
    assert (await shelf.texts("云枢三号"))[0] == CLOUD
    await shelf.term("云枢三号", "YS-3")
    assert (await shelf.texts("云枢三号"))[0] == CLOUD
    assert await shelf.texts("YS-3") == []
    await shelf.follow()
    assert (await shelf.texts("云枢三号"))[0] == CLOUD
    assert await shelf.texts("YS-3") == [CLOUD]


async def test_what_comes_in_after_the_change_has_the_word_at_once(shelf: TermDesk) -> None:
    await shelf.term("云枢三号", "YS-3")
    await shelf.follow()
    await shelf.add(*PLAIN, CLOUD)
    assert await shelf.texts("YS-3") == [CLOUD]
    assert (await shelf.page()).progress.is_current


async def test_an_interrupted_run_goes_on_where_it_stopped(
    shelf: TermDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    await shelf.add(*(f"{CLOUD} {n}" for n in range(9)))
    await shelf.term("云枢三号", "YS-3")
    monkeypatch.setattr(reindexing, "WRITTEN_AT_ONCE", 2)
    monkeypatch.setattr(reindexing, "BATCHES_A_TURN", 2)
    await shelf.follow()
    progress = (await shelf.page()).progress
    assert (progress.is_current, progress.done, progress.total) == (False, 4, 9)
    assert await shelf.desk.jobs("reindex-terms") >= 1
    first = await entry_ids(shelf)
    await shelf.follow()
    second = await entry_ids(shelf)
    assert sum(first[key] != second[key] for key in first) == 4
    await shelf.follow()
    progress = (await shelf.page()).progress
    assert (progress.is_current, progress.done, progress.total) == (True, 9, 9)
    assert len(await shelf.texts("YS-3")) == 5


async def test_a_change_in_the_middle_begins_anew_and_leaves_no_trace(
    shelf: TermDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    await shelf.add(*(f"{CLOUD} {n}" for n in range(6)), *PLAIN)
    monkeypatch.setattr(reindexing, "WRITTEN_AT_ONCE", 2)
    monkeypatch.setattr(reindexing, "BATCHES_A_TURN", 2)
    first = await shelf.term("云枢三号", "YS-3")
    await shelf.follow()
    await shelf.delete(first)
    await shelf.term("食堂", "canteen")
    for _ in range(10):
        await shelf.follow()
    assert (await shelf.page()).progress.is_current
    held = await shelf.desk.rows(
        "SELECT held, traces FROM term_states WHERE knowledge_base_id = :base", base=shelf.base_id
    )
    assert held == [(["canteen", "食堂"], ["canteen", "食堂"])]
    assert await shelf.texts("YS-3") == []
    assert len(await shelf.texts("canteen")) == 5
    await shelf.check_statistics()


async def test_documents_indexed_while_terms_change_end_with_the_last_terms(shelf: TermDesk) -> None:
    """Writers and the job at once: every paragraph with the word must have it in the end."""
    texts = [f"{CLOUD} 记录{n}" for n in range(8)]

    async def change() -> None:
        for n in range(4):
            term_id = await shelf.term("云枢三号", f"YS-{n}")
            await asyncio.sleep(0.05)
            if n < 3:
                await shelf.delete(term_id)

    async with asyncio.TaskGroup() as group:
        group.create_task(change())
        for n in range(4):
            group.create_task(shelf.add(*texts, title=f"Part {n}"))
        for _ in range(5):
            group.create_task(shelf.follow())
    await shelf.follow()
    result = await shelf.search("YS-3", top_n=50)
    assert len(result.hits) == 32
    await shelf.check_statistics()


async def test_attached_questions_follow_or_are_embedded_anew(shelf: TermDesk) -> None:
    document_id = await shelf.add(CLOUD)
    rows = await shelf.desk.rows("SELECT id FROM paragraphs WHERE document_id = :d", d=document_id)
    questions = [
        "云枢三号怎么重启",
        "重启之后怎么办",
        "云枢三号重启怎么",
    ]  # the last has the terms of the first
    async with shelf.desk.database.transaction() as session:
        await Questions(session, shelf.desk.scope).attach(rows[0][0], AttachedQuestions(contents=questions))
    await index_paragraphs(shelf.desk.context, str(shelf.desk.workspace_id), str(document_id))
    await shelf.term("云枢三号", "YS-3")
    await shelf.follow()
    await index_paragraphs(shelf.desk.context, str(shelf.desk.workspace_id), str(document_id))
    entries = await shelf.desk.rows(
        "SELECT kind FROM index_entries WHERE document_id = :d ORDER BY kind", d=document_id
    )
    assert [row[0] for row in entries] == [0, 2, 2, 2]
    assert await shelf.texts("YS-3") == [CLOUD]
    await shelf.check_statistics()


async def test_a_base_without_terms_has_no_state(shelf: TermDesk) -> None:
    await shelf.add(*PLAIN)
    async with shelf.desk.database.transaction() as session:
        assert await TermRepository(session, shelf.desk.scope).state(shelf.base_id) is None
    await shelf.follow()
    assert (await shelf.page()).progress.is_current
