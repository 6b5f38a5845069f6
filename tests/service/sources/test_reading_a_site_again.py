"""Reading a site again: what changed is renewed, what is gone goes, and a site that is down costs nothing."""

import asyncio
import time
from collections.abc import AsyncIterator
from uuid import UUID

import pytest
from tests.service.sources.conftest import Reader

from refdesk.knowledge import Documents, Paragraphs
from refdesk.knowledge.schemas import ParagraphUpdate
from refdesk.knowledge.sources import Sources
from refdesk.knowledge.sources import website as website_module
from refdesk.knowledge.sources.errors import SourceBusy
from refdesk.knowledge.sources.jobs import remove_source, schedule_sources
from refdesk.knowledge.sources.schemas import SourceUpdate, SyncRequest, WebsiteConfig
from refdesk.knowledge.sources.website import WebsiteRun
from refdesk.testing.web_site import Page, WebSite, html


class Killed(BaseException):
    """What no part of a run may catch."""


def links(*paths: str) -> str:
    return "".join(f'<a href="{path}">to {path}</a> ' for path in paths)


def sections(path: str, *texts: str) -> bytes:
    return html(path, "".join(f"<h2>Part {n}</h2><p>{text}</p>" for n, text in enumerate(texts)))


@pytest.fixture
def pages(site: WebSite) -> WebSite:
    """A start page and four others."""
    paths = [f"/p{number}" for number in range(4)]
    site.page("/", "<p>Start.</p>" + links(*paths))
    for path in paths:
        site.page(path, sections(path, f"First text of {path}.", f"Second text of {path}."))
    return site


async def versions(reader: Reader, source_id: UUID) -> dict[str, int]:
    rows = await reader.desk.rows(
        "SELECT meta->>'source_url', version FROM documents WHERE source_id = :id AND deleted_at IS NULL",
        id=source_id,
    )
    return {url.rsplit("/", 1)[-1]: version for url, version in rows}


async def test_an_unchanged_page_is_not_touched(reader: Reader, pages: WebSite) -> None:
    pages.pages["/p0"].etag = '"one"'
    pages.pages["/p1"].headers["Last-Modified"] = "Wed, 01 Oct 2025 10:00:00 GMT"
    source = await reader.crawl(pages.url + "/")
    before = await reader.desk.rows(
        "SELECT id, updated_at FROM documents WHERE source_id = :id", id=source.id
    )
    calls = len(reader.desk.embedder.calls)
    pages.requests.clear()
    # What differs with every answer is no change.
    pages.pages["/p2"].body = pages.pages["/p2"].body.replace(b"<main>", b"<script>t=9</script><main>")  # type: ignore[union-attr]
    again = await reader.again(source.id)
    assert (again.counts.unchanged, again.counts.changed, again.counts.added) == (5, 0, 0)
    after = await reader.desk.rows("SELECT id, updated_at FROM documents WHERE source_id = :id", id=source.id)
    assert sorted(after) == sorted(before)
    assert len(reader.desk.embedder.calls) == calls
    asked = {request.path: request.headers for request in pages.requests}
    assert asked["/p0"]["if-none-match"] == '"one"'
    assert asked["/p1"]["if-modified-since"] == "Wed, 01 Oct 2025 10:00:00 GMT"


async def test_links_of_a_page_that_has_not_changed_are_still_followed(reader: Reader, site: WebSite) -> None:
    site.page("/", "<p>Start.</p>" + links("/a"), etag='"start"')
    site.page("/a", "<p>Text of A.</p>")
    source = await reader.crawl(site.url + "/")
    site.page("/a", "<p>New text of A.</p>")
    again = await reader.again(source.id)
    assert (again.counts.changed, again.counts.unchanged, again.counts.removed) == (1, 1, 0)


async def test_a_changed_page_becomes_a_version_in_which_only_what_changed_is_embedded(
    reader: Reader, pages: WebSite
) -> None:
    source = await reader.crawl(pages.url + "/")
    calls = len(reader.desk.embedder.calls)
    pages.page("/p1", sections("/p1", "First text of /p1.", "Quite another text."))
    again = await reader.again(source.id)
    assert (again.counts.changed, again.counts.unchanged) == (1, 4)
    assert await versions(reader, source.id) == {"": 1, "p0": 1, "p1": 2, "p2": 1, "p3": 1}
    embedded = [text for call in reader.desk.embedder.calls[calls:] for text in call]
    assert len(embedded) == 1
    assert "Quite another text." in embedded[0]
    assert "Quite another text." in await reader.text(source.id)


async def test_manual_edits_survive(reader: Reader, pages: WebSite) -> None:
    source = await reader.crawl(pages.url + "/")
    rows = await reader.desk.rows(
        "SELECT p.id FROM paragraphs p JOIN documents d ON d.id = p.document_id"
        " WHERE d.source_id = :id AND p.content LIKE '%First text of /p1%'",
        id=source.id,
    )
    async with reader.desk.database.transaction() as session:
        edit = ParagraphUpdate(content="What a person wrote.")
        await Paragraphs(session, reader.desk.scope).update(rows[0][0], edit)
    pages.page("/p1", sections("/p1", "First text of /p1.", "A changed second text."))
    await reader.again(source.id)
    text = await reader.text(source.id)
    assert "What a person wrote." in text
    assert "A changed second text." in text
    assert "First text of /p1." not in text


async def test_a_page_that_vanished_takes_its_document_along(reader: Reader, pages: WebSite) -> None:
    source = await reader.crawl(pages.url + "/")
    del pages.pages["/p1"]
    pages.pages["/p2"] = Page(b"", status=410)
    pages.page("/", "<p>Start.</p>" + links("/p0", "/p1", "/p2"))  # and /p3 is not linked any more
    again = await reader.again(source.id)
    assert again.state == "idle"
    assert again.counts.removed == 3
    assert await reader.names(source.id) == ["∕", "∕p0"]
    pages.page("/p1", sections("/p1", "Back again."))
    assert (await reader.again(source.id)).counts.added == 1


async def test_a_page_that_fails_keeps_its_document(reader: Reader, pages: WebSite) -> None:
    source = await reader.crawl(pages.url + "/")
    pages.pages["/p1"] = Page(b"", status=500)
    pages.pages["/p2"] = Page(b"", status=403)
    again = await reader.again(source.id)
    assert (again.state, again.counts.failed, again.counts.removed) == ("idle", 2, 0)
    assert len(await reader.names(source.id)) == 5


async def test_a_site_that_is_down_changes_nothing(reader: Reader, pages: WebSite) -> None:
    source = await reader.crawl(pages.url + "/")
    kept = dict(pages.pages)
    pages.pages.clear()
    gone = await reader.again(source.id)
    assert gone.state == "failed"
    assert gone.error is not None
    assert gone.error.code == "site-unreachable"
    assert len(await reader.names(source.id)) == 5
    for page in kept.values():
        pages.pages.update({path: Page(b"", status=503) for path in kept if page})
    assert (await reader.again(source.id)).state == "failed"
    pages.pages.update(kept)
    assert (await reader.again(source.id)).counts.unchanged == 5


async def test_a_site_that_breaks_in_the_middle_is_given_up(reader: Reader, site: WebSite) -> None:
    paths = [f"/p{number}" for number in range(30)]
    site.page("/", "<p>Start.</p>" + links(*paths))
    for path in paths:
        site.page(path, sections(path, f"Text of {path}."))
    source = await reader.crawl(site.url + "/")
    for path in paths[5:]:
        site.pages[path] = Page(b"", status=502)
    site.requests.clear()
    again = await reader.again(source.id)
    assert again.error is not None
    assert again.error.code == "site-failing"
    assert len(site.paths()) < 60
    assert len(await reader.names(source.id)) == 31


async def test_more_than_half_is_only_removed_when_told_so(reader: Reader, site: WebSite) -> None:
    paths = [f"/p{number}" for number in range(9)]
    site.page("/", "<p>Start.</p>" + links(*paths))
    for path in paths:
        site.page(path, sections(path, f"Text of {path}."))
    source = await reader.crawl(site.url + "/")
    site.page("/", "<p>Under maintenance.</p>")
    again = await reader.again(source.id)
    assert again.error is not None
    assert again.error.code == "too-much-vanished"
    assert len(await reader.names(source.id)) == 10
    told = await reader.again(source.id, allow_mass_removal=True)
    assert (told.state, told.counts.removed) == ("idle", 9)
    assert await reader.names(source.id) == ["∕"]


async def test_a_limit_that_cut_the_walk_short_removes_only_what_is_really_gone(
    reader: Reader, pages: WebSite
) -> None:
    source = await reader.crawl(pages.url + "/")
    async with reader.desk.database.transaction() as session:
        config = WebsiteConfig(url=pages.url + "/", max_pages=2)
        await Sources(session, reader.desk.scope).update(source.id, SourceUpdate(config=config))
    del pages.pages["/p3"]
    again = await reader.again(source.id)
    assert again.counts.removed == 1
    assert len(await reader.names(source.id)) == 4


async def test_a_document_that_a_person_deleted_stays_deleted_until_told(
    reader: Reader, pages: WebSite
) -> None:
    source = await reader.crawl(pages.url + "/")
    rows = await reader.desk.rows(
        "SELECT id FROM documents WHERE source_id = :id AND name = '∕p1'", id=source.id
    )
    async with reader.desk.database.transaction() as session:
        await Documents(session, reader.desk.scope).delete(rows[0][0])
    for _ in range(2):
        again = await reader.again(source.id)
        assert (again.counts.skipped, again.counts.added) == (1, 0)
    assert (await reader.items(source.id))["p1"] == ("skipped", "deleted-here")
    assert (await reader.again(source.id, restore_deleted=True)).counts.added == 1


async def test_a_run_that_was_killed_goes_on_where_it_was(
    reader: Reader, pages: WebSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    source_id = await reader.add(pages.url + "/", concurrency=1)
    original = WebsiteRun.record
    recorded = 0

    async def dies(self: WebsiteRun, outcome: object) -> bool:
        nonlocal recorded
        recorded += 1
        if recorded == 4:
            raise Killed
        return await original(self, outcome)  # type: ignore[arg-type]

    monkeypatch.setattr(WebsiteRun, "record", dies)
    with pytest.raises(Killed):
        await WebsiteRun(reader.desk.context, reader.desk.scope, source_id).run()
    monkeypatch.undo()
    assert (await reader.view(source_id)).state == "running"
    assert pages.paths() == ["/", "/p0", "/p1", "/p2"]
    pages.requests.clear()
    source = await reader.read(source_id)
    assert (source.state, source.counts.added) == ("idle", 5)
    assert pages.paths() == ["/p2", "/p3"], "what was recorded is not fetched again"


async def test_a_cancel_takes_effect_within_seconds_and_keeps_what_is_there(
    reader: Reader, site: WebSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(website_module, "WATCH_S", 0.2)

    begun = asyncio.Event()

    async def slow() -> AsyncIterator[bytes]:
        begun.set()
        yield b"<p>a"
        await asyncio.sleep(30)

    site.page("/", "<p>Start.</p>" + links("/slow"))
    site.pages["/slow"] = Page(slow)
    source_id = await reader.add(site.url + "/")
    running = asyncio.create_task(reader.read(source_id))
    async with asyncio.timeout(10):
        await begun.wait()
    with pytest.raises(SourceBusy):
        async with reader.desk.database.transaction() as session:
            await Sources(session, reader.desk.scope).sync(source_id, SyncRequest())
    async with reader.desk.database.transaction() as session:
        await Sources(session, reader.desk.scope).cancel(source_id)
    began = time.monotonic()
    source = await running
    assert time.monotonic() - began < 5
    assert source.state == "cancelled"
    assert await reader.names(source_id) == ["∕"]


async def test_sources_are_read_when_their_time_has_come(reader: Reader, pages: WebSite) -> None:
    source = await reader.crawl(pages.url + "/")
    assert source.next_run_at is None
    async with reader.desk.database.transaction() as session:
        changed = await Sources(session, reader.desk.scope).update(source.id, SourceUpdate(interval_hours=24))
    assert changed.next_run_at is not None
    await schedule_sources(reader.desk.context)
    assert (await reader.view(source.id)).state == "idle", "not yet"
    await reader.desk.rows("UPDATE sources SET next_run_at = now() WHERE id = :id RETURNING id", id=source.id)
    jobs = await reader.desk.jobs("sync-source")
    await schedule_sources(reader.desk.context)
    assert (await reader.view(source.id)).state == "queued"
    assert await reader.desk.jobs("sync-source") >= jobs
    read = await reader.read(source.id)
    assert read.state == "idle"
    assert read.next_run_at is not None


@pytest.mark.parametrize("keep", [True, False])
async def test_a_deleted_source_takes_its_documents_along_unless_told(
    reader: Reader, pages: WebSite, keep: bool
) -> None:
    source = await reader.crawl(pages.url + "/")
    ids = await reader.desk.rows("SELECT id FROM documents WHERE source_id = :id", id=source.id)
    async with reader.desk.database.transaction() as session:
        await Sources(session, reader.desk.scope).delete(source.id, keep_documents=keep)
    await remove_source(reader.desk.context, str(reader.desk.workspace_id), str(source.id))
    left = await reader.desk.rows(
        "SELECT id FROM documents WHERE knowledge_base_id = :id AND deleted_at IS NULL", id=reader.base.id
    )
    assert len(left) == (len(ids) if keep else 0)
    assert await reader.desk.count("sources") == 0


async def test_a_base_with_no_room_left_says_so_at_the_pages(reader: Reader, pages: WebSite) -> None:
    reader.base = await reader.desk.base(max_documents=3)
    source = await reader.crawl(pages.url + "/", concurrency=1)
    assert (source.counts.added, source.counts.failed) == (3, 2)
    assert (await reader.items(source.id))["p3"] == ("failed", "document-limit-reached")


async def test_a_long_run_lets_others_have_their_turn_and_goes_on(
    reader: Reader, pages: WebSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(website_module, "WATCH_S", 0.1)
    monkeypatch.setattr(website_module, "TURN_S", 0.3)
    source_id = await reader.add(pages.url + "/", delay_ms=150)
    turns, source = 1, await reader.read(source_id)
    while source.state == "running" and turns < 12:
        turns, source = turns + 1, await reader.read(source_id)
    assert turns > 1, "documents waited to be processed"
    assert (source.state, source.counts.added) == ("idle", 5)
    assert pages.paths().count("/") == 1, "what was recorded is not fetched again"
