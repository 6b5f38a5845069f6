"""Web addresses: one spelling a page, and which belong to a site."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refdesk.knowledge.sources.addresses import Territory, is_same_page, is_trap, normalised


@pytest.mark.parametrize(
    ("address", "base", "expected"),
    [
        ("HTTP://Example.COM:80/a/./b/../c%7e%2f?b=2&a=1&utm_source=x#f", None, "http://example.com/a/c~%2F?a=1&b=2"),
        ("../x?y", "http://e.com/a/b/c", "http://e.com/a/x?y"),
        ("//o.com/中文 页", "https://e.com/", "https://o.com/%E4%B8%AD%E6%96%87%20%E9%A1%B5"),
        ("/a;jsessionid=12?x=1&PHPSESSID=2", "http://e.com/p", "http://e.com/a?x=1"),
        ("http://中国.cn", None, "http://xn--fiqs8s.cn/"),
        ("https://e.com:443/", None, "https://e.com/"),
        ("https://e.com:8443/", None, "https://e.com:8443/"),
        ("http://[::1]:8000/x", None, "http://[::1]:8000/x"),
        ("/..//../a/..", "http://e.com/q", "http://e.com/"),
        ("?page=2", "http://e.com/list?page=1", "http://e.com/list?page=2"),
        ("mailto:x@example.org", "http://e.com/", None),
        ("javascript:void(0)", "http://e.com/", None),
        ("http://user:secret@e.com/", None, None),
        ("http://e.com:x/", None, None),
        ("ftp://e.com/", None, None),
        ("file:///etc/passwd", None, None),
        ("", "http://e.com/", None),
        ("http://e.com/" + "a" * 3000, None, None),
    ],
)  # fmt: skip
def test_an_address_has_one_spelling(address: str, base: str | None, expected: str | None) -> None:
    assert normalised(address, base) == expected


@given(st.text(max_size=80), st.sampled_from(["http://e.com/a/b", "https://[::1]:9/x?y#z", "http://e.com"]))
def test_normalising_again_changes_nothing(address: str, base: str) -> None:
    once = normalised(address, base)
    assert once is None or normalised(once) == once


def test_a_site_is_the_folder_of_its_start_page() -> None:
    site = Territory("https://e.com/docs/index.html")
    assert site.holds("https://e.com/docs/a/b")
    assert site.holds("http://e.com/docs/a")
    assert not site.holds("https://e.com/blog/")
    assert not site.holds("https://other.com/docs/a")
    assert not site.holds("https://e.com:8443/docs/a")


def test_a_start_page_without_a_slash_means_the_folder_of_that_name() -> None:
    site = Territory("https://e.com/docs")
    assert site.holds("https://e.com/docs/a")
    assert not site.holds("https://e.com/docs-old/a")
    assert not site.holds("https://e.com/other")


def test_where_the_links_lead_tells_a_page_from_a_folder() -> None:
    start = Territory("https://e.com/guide/intro")
    assert not start.settled(["https://e.com/guide/intro/first"]).holds("https://e.com/guide/setup")
    as_page = start.settled(["https://e.com/guide/setup", "https://e.com/guide/introduction"])
    assert as_page.holds("https://e.com/guide/setup")
    assert not as_page.holds("https://e.com/blog")


def test_patterns_take_in_and_leave_out() -> None:
    site = Territory("https://e.com/", "host", include=("/docs/*", "*print=1"), exclude=("*/old/*",))
    assert site.holds("https://e.com/docs/a")
    assert site.holds("https://e.com/x?print=1")
    assert site.holds("https://e.com/"), "the start page is read whatever the patterns say"
    assert not site.holds("https://e.com/blog")
    assert not site.holds("https://e.com/docs/old/a")


def test_spellings_of_one_page_are_told_from_other_pages() -> None:
    assert is_same_page("http://e.com/a/", "https://e.com/a/index.html?x=1")
    assert not is_same_page("http://e.com/a", "http://e.com/b")


def test_growing_addresses_are_traps() -> None:
    assert is_trap("http://e.com/a/b/a/b/a/b/a/b")
    assert not is_trap("http://e.com/en/en/guide/en")
