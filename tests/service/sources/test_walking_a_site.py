"""Walking a local site: what is found, in which order, and what is left alone."""

import asyncio
import gzip
import time

import pytest
from tests.service.sources.conftest import Reader

from refdesk.testing.web_site import Page, WebSite, html


def links(*paths: str) -> str:
    return "".join(f'<a href="{path}">to {path}</a> ' for path in paths)


async def test_pages_below_the_start_are_found_once_and_become_documents(
    reader: Reader, site: WebSite
) -> None:
    site.page(
        "/docs/", "<p>Start of the docs.</p>" + links("a", "b?utm_source=x#top", "/blog/", "mailto:x@y")
    )
    site.page("/docs/a", "<p>All about A.</p>" + links("/docs/", "b", "a#self", "deep/c"))
    site.page("/docs/b", "<p>All about B.</p>" + links("a"))
    site.page("/docs/deep/c", "<p>All about C.</p>")
    site.page("/blog/", "<p>Not ours.</p>")
    source = await reader.crawl(site.url + "/docs/")
    assert (source.state, source.error) == ("idle", None)
    assert (source.counts.found, source.counts.added, source.counts.failed) == (4, 4, 0)
    assert sorted(site.paths()) == ["/docs/", "/docs/a", "/docs/b", "/docs/deep/c"]
    assert await reader.names(source.id) == ["∕docs∕", "∕docs∕a", "∕docs∕b", "∕docs∕deep∕c"]
    assert "All about C." in await reader.text(source.id)
    rows = await reader.desk.rows(
        "SELECT meta->>'source_url', state FROM documents WHERE source_id = :id ORDER BY 1", id=source.id
    )
    assert [row[0] for row in rows] == [
        site.url + path for path in ("/docs/", "/docs/a", "/docs/b", "/docs/deep/c")
    ]
    assert {row[1] for row in rows} == {"ready"}
    assert site.requests[0].path == "/robots.txt"
    assert site.requests[1].headers["user-agent"].startswith("Refdesk/")


async def test_depth_and_page_limits_hold(reader: Reader, site: WebSite) -> None:
    for number in range(20):
        site.page(f"/p{number}", f"<p>Page number {number}.</p>" + links(f"/p{number + 1}", "/side"))
    site.page("/side", "<p>The side.</p>")
    deep = await reader.crawl(site.url + "/p0", scope="host", depth=2)
    assert sorted(await reader.items(deep.id)) == ["p0", "p1", "p2", "side"]
    await reader.forget(deep.id)
    short = await reader.crawl(site.url + "/p0", scope="host", depth=50, max_pages=5)
    assert len(await reader.names(short.id)) == 5
    await reader.forget(short.id)
    alone = await reader.crawl(site.url + "/p0", scope="host", depth=0)
    assert list(await reader.items(alone.id)) == ["p0"]


async def test_robots_are_obeyed_and_their_delay_is_kept(reader: Reader, site: WebSite) -> None:
    site.pages["/robots.txt"] = Page(
        b"User-agent: *\nDisallow: /\n\nUser-agent: refdesk\nDisallow: /private\nAllow: /private/open\n"
        b"Crawl-delay: 0.2\n"
    )
    site.page("/", "<p>Start.</p>" + links("/a", "/private/x", "/private/open"))
    for path in ("/a", "/private/x", "/private/open"):
        site.page(path, f"<p>Text of {path}</p>")
    began = time.monotonic()
    source = await reader.crawl(site.url + "/", concurrency=8)
    assert time.monotonic() - began >= 0.4
    assert "/private/x" not in site.paths()
    items = await reader.items(source.id)
    assert items["private/x"] == ("skipped", "page-not-wanted")
    assert items["private/open"] == ("added", None)


async def test_a_start_page_that_robots_forbid_fails_the_run(reader: Reader, site: WebSite) -> None:
    site.pages["/robots.txt"] = Page(b"User-agent: *\nDisallow: /\n")
    site.page("/", "<p>Start.</p>")
    source = await reader.crawl(site.url + "/")
    assert source.state == "failed"
    assert source.error is not None
    assert source.error.code == "site-forbids"
    assert site.paths() == []


@pytest.mark.parametrize("status", [500, 503, 429])
async def test_robots_that_cannot_be_read_allow_nothing(reader: Reader, site: WebSite, status: int) -> None:
    site.pages["/robots.txt"] = Page(b"", status=status)
    site.page("/", "<p>Start.</p>")
    source = await reader.crawl(site.url + "/")
    assert source.error is not None
    assert source.error.code == "site-unreachable"
    assert site.paths() == []


async def test_sitemaps_lead_to_pages_that_nothing_links_to(reader: Reader, site: WebSite) -> None:
    site.pages["/robots.txt"] = Page(f"Sitemap: {site.url}/maps/index.xml\n".encode())
    index = "".join(f"<sitemap><loc>{site.url}/maps/{n}.xml.gz</loc></sitemap>" for n in (1, 2))
    site.pages["/maps/index.xml"] = Page(
        f"<sitemapindex>{index}</sitemapindex>".encode(), content_type="text/xml"
    )
    for number, path in ((1, "/docs/a"), (2, "/elsewhere")):
        packed = gzip.compress(f"<urlset><url><loc>{site.url}{path}</loc></url></urlset>".encode())
        site.pages[f"/maps/{number}.xml.gz"] = Page(packed, content_type="application/gzip")
    site.page("/docs/", "<p>Start without links.</p>")
    site.page("/docs/a", "<p>Only in the sitemap.</p>")
    source = await reader.crawl(site.url + "/docs/")
    assert set(await reader.items(source.id)) == {"docs/", "docs/a"}
    await reader.forget(source.id)
    without = await reader.crawl(site.url + "/docs/", use_sitemap=False)
    assert set(await reader.items(without.id)) == {"docs/"}


async def test_circles_and_growing_addresses_end(reader: Reader, site: WebSite) -> None:
    site.page("/", "<p>Start.</p>" + links("/r1", "/grow/x"))
    site.redirect("/r1", "/r2")
    site.redirect("/r2", "/r1")
    for depth in range(1, 30):
        site.page("/grow" + "/x" * depth, f"<p>Level {depth}.</p>" + links("/grow" + "/x" * (depth + 1)))
    source = await reader.crawl(site.url + "/", depth=50)
    items = await reader.items(source.id)
    assert items["r1"] == ("failed", "too-many-redirects")
    assert sum(key.startswith("grow") for key in items) == 3


async def test_redirects_lead_to_one_document_and_never_out_of_the_site(
    reader: Reader, site: WebSite
) -> None:
    site.redirect("/docs", "/docs/", 301)
    site.page("/docs/", "<p>Start.</p>" + links("old", "new", "away", "up"))
    site.redirect("/docs/old", "new")
    site.page("/docs/new", "<p>The new page.</p>")
    site.redirect("/docs/away", "http://example.org/")
    site.redirect("/docs/up", "/secret")
    source = await reader.crawl(site.url + "/docs")
    items = await reader.items(source.id)
    assert items["docs/away"] == ("skipped", "redirect-refused")
    assert items["docs/up"] == ("skipped", "redirect-refused")
    assert len(await reader.names(source.id)) == 2
    assert "/secret" not in site.paths()


async def test_pages_say_whether_they_are_imported_and_followed(reader: Reader, site: WebSite) -> None:
    site.page("/", "<p>Start.</p>" + links("/hidden", "/dead-end") + '<a rel="nofollow" href="/never">n</a>')
    site.page(
        "/hidden", html("h", "<p>Hidden.</p>" + links("/beyond"), '<meta name="robots" content="noindex">')
    )
    site.page("/beyond", "<p>Beyond.</p>")
    site.page(
        "/dead-end", html("d", "<p>End.</p>" + links("/never"), '<meta name="robots" content="nofollow">')
    )
    site.page("/never", "<p>Never.</p>")
    source = await reader.crawl(site.url + "/")
    items = await reader.items(source.id)
    assert items["hidden"] == ("skipped", "page-not-wanted")
    assert items["beyond"] == items["dead-end"] == ("added", None)
    assert "never" not in items


async def test_a_page_is_imported_under_its_canonical_address_once(reader: Reader, site: WebSite) -> None:
    def canonical(path: str) -> str:
        return f'<link rel="canonical" href="{path}">'

    site.page("/", "<p>Start.</p>" + links("/a?view=1", "/a?view=2", "/print/b", "/x", "/y", "/broken"))
    for view in (1, 2):
        site.page(f"/a?view={view}", html("A", "<p>Page A.</p>", canonical("/a")))
    site.page("/a", html("A", "<p>Page A.</p>", canonical("/a")))
    site.page("/print/b", html("B", "<p>Page B for printing.</p>", canonical("/b")))
    site.page("/b", html("B", "<p>Page B.</p>"))
    site.page("/x", html("X", "<p>Page X.</p>", canonical("/y")))  # a circle
    site.page("/y", html("Y", "<p>Page Y.</p>", canonical("/x")))
    site.page("/broken", html("W", "<p>Page W.</p>", canonical("/nowhere")))
    source = await reader.crawl(site.url + "/", concurrency=1)
    assert await reader.names(source.id) == ["A", "B", "W", "Y", "∕"]
    assert "Page B." in await reader.text(source.id)
    items = await reader.items(source.id)
    assert items["print/b"] == ("skipped", "page-not-wanted")
    assert items["a"] == ("added", None)


async def test_two_addresses_with_one_content_make_one_document(reader: Reader, site: WebSite) -> None:
    site.page("/", "<p>Start.</p>" + links("/a", "/copy"))
    same = html("Same", "<p>The very same page.</p>")
    site.page("/a", same)
    site.page("/copy", same)
    source = await reader.crawl(site.url + "/", concurrency=1)
    assert len(await reader.names(source.id)) == 2


async def test_linked_documents_are_imported_and_pictures_are_not_fetched(
    reader: Reader, site: WebSite
) -> None:
    site.page("/", "<p>Start.</p>" + links("/notes.md", "/data", "/logo.png", "/film", "/app.zip"))
    site.pages["/notes.md"] = Page("# 标题\n\n笔记的内容。".encode(), content_type="text/plain")
    site.pages["/data"] = Page(
        b"name,price\nlamp,3\n",
        content_type="text/csv",
        headers={
            "Content-Disposition": "attachment; filename*=UTF-8''%E4%BB%B7%E6%A0%BC.csv; filename=\"p.csv\""
        },
    )
    site.pages["/film"] = Page(b"\0" * 1000, content_type="video/mp4")
    source = await reader.crawl(site.url + "/")
    assert len(await reader.names(source.id)) == 3
    assert "笔记的内容" in await reader.text(source.id)
    items = await reader.items(source.id)
    assert items["film"] == ("skipped", "page-kind-unwanted")
    assert "logo.png" not in items
    assert "app.zip" not in items
    await reader.forget(source.id)
    pages_only = await reader.crawl(site.url + "/", include_files=False)
    assert len(await reader.names(pages_only.id)) == 1


async def test_a_selector_and_patterns_choose_the_content(reader: Reader, site: WebSite) -> None:
    body = "<div class=ad>Buy now.</div><div id=text><p>The text of {}.</p></div>"
    site.page("/", body.format("start") + links("/docs/a", "/docs/old/b", "/blog/c"))
    for path in ("/docs/a", "/docs/old/b", "/blog/c"):
        site.page(path, body.format(path))
    source = await reader.crawl(site.url + "/", selector="#text", include=["/docs/*"], exclude=["*/old/*"])
    text = await reader.text(source.id)
    assert "The text of /docs/a." in text
    assert "Buy now" not in text
    assert set(await reader.items(source.id)) == {"", "docs/a"}


async def test_a_page_in_another_encoding_than_it_says_is_read(reader: Reader, site: WebSite) -> None:
    site.page("/", "<p>Start.</p>" + links("/gbk", "/wrong"))
    site.page("/gbk", "<p>国标编码的网页。</p>".encode("gb18030"), content_type="text/html; charset=GBK")
    site.page("/wrong", "<p>其实是统一码的网页。</p>".encode(), content_type="text/html; charset=ISO-8859-1")
    source = await reader.crawl(site.url + "/")
    text = await reader.text(source.id)
    assert "国标编码的网页。" in text
    assert "其实是统一码的网页。" in text


async def test_each_page_fails_for_itself_with_its_reason(reader: Reader, site: WebSite) -> None:
    async def endless():
        while True:
            yield b"<p>more</p>"
            await asyncio.sleep(0.05)

    async def huge():
        while True:
            yield b"x" * 1_000_000

    reader.base = await reader.desk.base(max_file_bytes=5_000_000)
    bomb = gzip.compress(b"0" * 6_000_000, 9)
    site.page(
        "/",
        "<p>Start.</p>" + links("/slow", "/huge", "/bomb", "/odd", "/error", "/teapot", "/script", "/good"),
    )
    site.pages["/slow"] = Page(endless)
    site.pages["/huge"] = Page(huge)
    site.pages["/bomb"] = Page(bomb, headers={"Content-Encoding": "gzip"})
    site.pages["/odd"] = Page(b"??", headers={"Content-Encoding": "br"})
    site.pages["/error"] = Page(b"", status=500)
    site.pages["/teapot"] = Page(b"", status=418)
    site.page("/script", "<div id=app></div><script>render()</script>")
    site.page("/good", "<p>Good.</p>")
    began = time.monotonic()
    source = await reader.crawl(site.url + "/", concurrency=8)
    assert time.monotonic() - began < 10
    assert source.state == "idle"
    items = await reader.items(source.id)
    assert items.pop("") == items.pop("good") == ("added", None)
    assert items == {
        "slow": ("failed", "page-timeout"),
        "huge": ("failed", "page-too-large"),
        "bomb": ("failed", "page-too-large"),
        "odd": ("failed", "page-encoding-unknown"),
        "error": ("failed", "page-status"),
        "teapot": ("failed", "page-status"),
        "script": ("skipped", "page-without-text"),
    }
    assert site.paths().count("/error") == 3, "tried again twice"
    assert source.counts.failed == 6


async def test_a_document_says_when_its_page_was_published(reader: Reader, site: WebSite) -> None:
    head = '<meta property="article:published_time" content="2025-03-01T08:00:00+00:00">'
    site.page("/", html("Start", "<p>Start.</p>", head))
    source = await reader.crawl(site.url + "/")
    rows = await reader.desk.rows(
        "SELECT found_meta->>'published_at' FROM documents WHERE source_id = :id", id=source.id
    )
    assert rows[0][0].startswith("2025-03-01")
