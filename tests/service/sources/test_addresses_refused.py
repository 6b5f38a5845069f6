"""A crawl never reaches where it may not, whatever names and redirects say."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

import aiohappyeyeballs
import pytest
from tests.service.sources.conftest import Reader

from refdesk.kit.errors import AppError
from refdesk.kit.http import AddressRefused, system_resolver
from refdesk.kit.settings import Settings
from refdesk.knowledge.sources.errors import PageUnreachable, TooManyRedirects
from refdesk.knowledge.sources.fetching import Fetcher
from refdesk.testing.web_site import WebSite, web_site

PUBLIC = "93.184.216.34"


class Names:
    """A resolver whose answers differ from one question to the next; the last one stays."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.asked = 0

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked += 1
        answer = self.answers[min(self.asked, len(self.answers)) - 1]
        if not answer:
            raise OSError("unknown")
        return answer.split()


def fetcher(*answers: str, private: bool = False) -> Fetcher:
    settings = Settings(crawl_private_addresses=private, crawl_page_timeout_s=2.0)
    return Fetcher(settings, max_bytes=1000, resolver=Names(*answers))


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "10.0.0.1", "169.254.169.254", "0.0.0.0", "224.0.0.1"),
        *("::1", "::ffff:10.0.0.1", "::7f00:1", "fd00::1"),
    ],
)
async def test_a_name_that_means_a_private_address_is_refused(address: str) -> None:
    async with fetcher(address) as http:
        with pytest.raises(AddressRefused) as refused:
            await http.fetch("http://innocent.example/")
    assert "REFDESK_CRAWL_PRIVATE_ADDRESSES" in str(refused.value.hint_text)


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.1", "0x7f000001", "2130706433", "[::1]", "[::ffff:7f00:1]"]
)
async def test_no_spelling_of_a_private_address_passes(host: str, site: WebSite) -> None:
    async with Fetcher(Settings(), max_bytes=1000) as http:
        with pytest.raises(AppError) as refused:
            await http.fetch(f"http://{host}:{site.port}/")
    assert refused.value.code in ("address-refused", "page-unreachable")
    assert site.requests == []


async def test_metadata_services_are_refused_even_where_private_addresses_are_allowed() -> None:
    async with fetcher("169.254.169.254", private=True) as http:
        with pytest.raises(AddressRefused):
            await http.fetch("http://metadata.example/")


async def test_the_connection_goes_to_the_address_that_was_judged(site: WebSite) -> None:
    """DNS rebinding: a second question would be answered differently, so none may be asked."""
    names = Names("127.0.0.1", "203.0.113.7")
    settings = Settings(crawl_private_addresses=True, crawl_page_timeout_s=2.0)
    site.page("/", "<p>Start.</p>")
    async with Fetcher(settings, max_bytes=1000, resolver=names) as http:
        answer = await http.fetch(f"http://rebinding.example:{site.port}/")
    assert (answer.status, names.asked) == (200, 1)
    assert site.requests[0].headers["host"] == f"rebinding.example:{site.port}"


async def test_a_name_is_judged_again_for_every_new_connection(site: WebSite) -> None:
    site.redirect("/", f"http://other.example:{site.port}/next")
    settings = Settings(crawl_private_addresses=True, crawl_page_timeout_s=2.0)
    async with Fetcher(settings, max_bytes=1000, resolver=Names("127.0.0.1", "169.254.169.254")) as http:
        with pytest.raises(AddressRefused):
            await http.fetch(f"http://first.example:{site.port}/")
    assert [request.path for request in site.requests] == ["/"]


@pytest.mark.parametrize(
    "target", ["http://169.254.169.254/latest/meta-data/", "http://[fe80::1]/", "http://100.100.100.200/"]
)
async def test_a_redirect_to_a_link_local_address_is_refused(site: WebSite, target: str) -> None:
    site.redirect("/", target)
    async with Fetcher(Settings(crawl_private_addresses=True), max_bytes=1000) as http:
        with pytest.raises(AddressRefused):
            await http.fetch(site.url + "/")


@pytest.mark.parametrize(
    "target", ["file:///etc/passwd", "ftp://e.com/", "http://user:pw@127.0.0.1/", "gopher://x"]
)
async def test_a_redirect_to_another_scheme_is_refused(site: WebSite, target: str) -> None:
    site.redirect("/", target)
    async with Fetcher(Settings(crawl_private_addresses=True), max_bytes=1000) as http:
        with pytest.raises(AppError) as refused:
            await http.fetch(site.url + "/")
    assert refused.value.code == "redirect-refused"


async def test_long_chains_of_redirects_end(site: WebSite) -> None:
    for number in range(20):
        site.redirect(f"/{number}", f"/{number + 1}")
    async with Fetcher(Settings(crawl_private_addresses=True), max_bytes=1000) as http:
        with pytest.raises(TooManyRedirects):
            await http.fetch(site.url + "/0")
    assert len(site.requests) == 11


async def test_a_name_that_is_not_known_is_a_page_out_of_reach() -> None:
    async with fetcher("") as http:
        with pytest.raises(PageUnreachable):
            await http.fetch("http://nowhere.example/")


async def test_a_run_over_a_site_on_a_private_address_changes_nothing_unless_allowed(
    reader: Reader, site: WebSite
) -> None:
    site.page("/", "<p>Start.</p>")
    reader.desk.settings = Settings()
    source = await reader.crawl(site.url + "/")
    assert source.state == "failed"
    assert source.error is not None
    assert source.error.code == "address-refused"
    assert "robots" not in source.error.reason
    assert "REFDESK_CRAWL_PRIVATE_ADDRESSES" in str(source.error.hint)
    assert site.requests == []


@pytest.fixture
async def inner() -> AsyncIterator[WebSite]:
    """Another server on this machine, which nobody outside may reach through the crawl."""
    async with web_site() as found:
        found.page("/", "<p>Inside.</p>")
        yield found


class PublicNames:
    """Names of the web have a public address, all others are what the system says."""

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        return [PUBLIC] if host.endswith(".example") else await system_resolver(host, port)


@pytest.fixture
def on_the_web(site: WebSite, monkeypatch: pytest.MonkeyPatch) -> str:
    """The site as if it stood on the web: whoever is let through to its public address lands there."""

    original = aiohappyeyeballs.start_connection

    async def detour(addr_infos: list[Any], *, socket_factory: Any, **more: Any) -> Any:
        for info in addr_infos:
            socket_factory(info).close()  # judged by where it claims to go
        return await original(
            [(*info[:4], ("127.0.0.1", info[4][1])) if info[4][0] == PUBLIC else info for info in addr_infos],
            **more,
        )

    monkeypatch.setattr(aiohappyeyeballs, "start_connection", detour)
    return f"http://public.example:{site.port}"


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "localhost", "[::ffff:127.0.0.1]", "0x7f.1"])
async def test_a_public_site_cannot_send_the_crawl_to_this_machine(
    site: WebSite, inner: WebSite, on_the_web: str, host: str
) -> None:
    site.redirect("/", f"http://{host}:{inner.port}/")
    async with Fetcher(Settings(), max_bytes=1000, resolver=PublicNames()) as http:
        with pytest.raises(AppError) as refused:
            await http.fetch(on_the_web + "/")
    assert refused.value.code == "address-refused"
    assert [request.path for request in site.requests] == ["/"]
    assert inner.requests == []


async def test_a_run_over_a_public_site_reports_pages_that_lead_to_this_machine(
    reader: Reader, site: WebSite, inner: WebSite, on_the_web: str
) -> None:
    site.page("/", "<p>Start.</p> <a href='/in'>in</a> <a href='/good'>good</a>")
    site.page("/good", "<p>Good.</p>")
    site.redirect("/in", f"http://127.0.0.1:{inner.port}/")
    reader.desk.settings = Settings()
    source = await reader.read(await reader.add(on_the_web + "/"), PublicNames())
    assert source.state != "failed"
    items = await reader.items(source.id)
    assert items["in"][1] in ("address-refused", "redirect-refused")
    assert items["good"][1] is None
    assert "Good" in await reader.text(source.id)
    assert "Inside" not in await reader.text(source.id)
    assert inner.requests == []
