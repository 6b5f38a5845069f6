"""What a crawl reads from a page."""

import gzip

import pytest

from refdesk.knowledge.parsing import ParseOptions
from refdesk.knowledge.parsing.html import Html
from refdesk.knowledge.sources.errors import SelectorInvalid
from refdesk.knowledge.sources.pages import WebPage, check_selector, read_page
from refdesk.knowledge.sources.sitemaps import locations

ADDRESS = "http://e.com/docs/a"


def read(
    body: str | bytes, *, charset: str | None = None, selector: str | None = None, **headers: str
) -> WebPage:
    data = body if isinstance(body, bytes) else body.encode()
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return read_page(data, ADDRESS, names, charset, selector)


def test_links_are_whole_addresses_each_once_without_those_not_to_be_followed() -> None:
    page = read(
        "<base href='/docs/x/'><a href=b>1</a><a href='b#c'>2</a><a rel='x nofollow' href=c>3</a>"
        "<area href=d><link rel=next href=e><link rel=stylesheet href=f.css><a href='mailto:a@b'>4</a>"
        "<meta http-equiv=Refresh content='0; URL=g'>"
    )
    assert page.links == tuple(f"http://e.com/docs/x/{name}" for name in "bdeg")


@pytest.mark.parametrize(
    ("head", "headers", "noindex", "nofollow"),
    [
        ("<meta name=robots content='NOINDEX, follow'>", {}, True, False),
        ("<meta name=robots content=none>", {}, True, True),
        ("<meta name=refdesk content=nofollow>", {}, False, True),
        ("<meta name=otherbot content=noindex>", {}, False, False),
        ("", {"x_robots_tag": "noindex"}, True, False),
        ("", {"x_robots_tag": "otherbot: noindex, nofollow"}, False, False),
        ("", {"x_robots_tag": "Refdesk: noindex"}, True, False),
        ("", {"x_robots_tag": "unavailable_after: 25 Jun 2030, noindex"}, True, False),
    ],
)
def test_what_a_page_says_to_robots(
    head: str, headers: dict[str, str], noindex: bool, nofollow: bool
) -> None:
    page = read(f"<head>{head}</head><p>words</p><a href=b>b</a>", **headers)
    assert (page.noindex, page.nofollow) == (noindex, nofollow)
    assert (page.problem is not None) == noindex
    assert page.links == (() if nofollow else ("http://e.com/docs/b",))


def test_the_canonical_address_stands_in_the_page_or_its_header() -> None:
    assert read("<link rel=canonical href=/docs/b><p>x").canonical == "http://e.com/docs/b"
    assert read("<p>x", link='<http://e.com/docs/c>; rel="canonical"').canonical == "http://e.com/docs/c"
    assert read("<p>x").canonical is None


def test_a_selector_restricts_the_content_to_the_outermost_fits_and_keeps_the_head() -> None:
    page = read(
        "<html lang=en><head><title>T</title><meta name=author content=A></head><body><nav>menu</nav>"
        "<div class=m>one <div class=m>inner</div></div><p>between</p><div class=m>two</div></body>",
        selector="div.m",
    )
    parsed = Html().parse(page.content, "a.html", ParseOptions())
    assert parsed.text.split() == ["one", "inner", "two"]
    assert (parsed.meta["title"], parsed.meta["author"]) == ("T", "A")


def test_a_selector_that_fits_nothing_is_a_problem_of_the_page_whose_links_lead_on() -> None:
    page = read("<p>x</p><a href=b>b</a>", selector="#main")
    assert page.problem is not None
    assert page.problem.code == "page-without-text"
    assert page.links == ("http://e.com/docs/b",)


@pytest.mark.parametrize("selector", ["", "!!", "p:foo(", "a[", "p >"])
def test_selectors_that_cannot_be_read_are_refused(selector: str) -> None:
    with pytest.raises(SelectorInvalid):
        check_selector(selector)


def test_the_digest_tells_words_and_structure_from_tokens_and_navigation() -> None:
    def digest(body: str) -> bytes:
        return read(f"<title>T</title><main><h2>A</h2>{body}<p>{'word ' * 40}</p></main>").digest

    same = digest("<p id=a>text</p>")
    assert digest("<p   id=b data-token=9>text </p><script>1</script><!-- x -->") == same
    assert digest("<p>texts</p>") != same
    assert digest("<h3>text</h3>") != same


@pytest.mark.parametrize(
    ("data", "charset"),
    [
        ("<p>中文网页的内容</p>".encode("gb18030"), "gbk"),
        ("<meta charset=gb2312><p>中文网页的内容</p>".encode("gb18030"), None),
        ("<p>中文网页的内容</p>".encode(), "iso-8859-1"),  # the header is wrong
        ("<meta charset=gbk><p>中文网页的内容</p>".encode(), None),  # and so is the page
        ("<p>中文网页的内容</p>".encode("utf-16"), "utf-8"),
    ],
)
def test_the_content_is_utf8_whatever_was_declared(data: bytes, charset: str | None) -> None:
    assert "中文网页的内容" in read(data, charset=charset).content.decode()


def test_sitemaps_of_every_form_give_their_addresses() -> None:
    xml = (
        b'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
        b"<url><loc> http://e.com/a </loc><lastmod>2026-01-01</lastmod></url>"
        b'<url><loc>http://e.com/b?x=1&amp;y=2</loc><image:image xmlns:image="i"><image:loc>http://e.com/p.png'
        b"</image:loc></image:image></url></urlset>"
    )
    assert list(locations(xml)) == [(False, "http://e.com/a"), (False, "http://e.com/b?x=1&y=2")]
    assert list(locations(gzip.compress(xml))) == list(locations(xml))
    index = b"<sitemapindex><sitemap><loc>http://e.com/s1.xml</loc></sitemap></sitemapindex>"
    assert list(locations(index)) == [(True, "http://e.com/s1.xml")]
    assert list(locations(b"\xef\xbb\xbfhttp://e.com/a\nnothing\nhttp://e.com/b\n")) == [
        (False, "http://e.com/a"),
        (False, "http://e.com/b"),
    ]


def test_a_sitemap_with_entities_or_damage_gives_what_is_plain_in_it() -> None:
    hostile = (
        b'<!DOCTYPE u [<!ENTITY x SYSTEM "file:///etc/passwd">]><urlset><url><loc>http://e.com/a</loc></url>'
        b"<url><loc>http://e.com/&x;</loc></url></urlset>"
    )
    found = [address for _, address in locations(hostile)]
    assert found[0] == "http://e.com/a"
    assert not any("root:" in address for address in found)
    cut = b"<urlset><url><loc>http://e.com/a</loc></url><url><loc>http"
    assert next(locations(cut)) == (False, "http://e.com/a")
    assert list(locations(b"\x1f\x8bnot gzip")) == []
