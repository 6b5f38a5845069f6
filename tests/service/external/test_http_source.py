"""Any service that answers with JSON: what is sent, how the reply is read, where it may not go."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import orjson
import pytest

from refdesk.kit.http import AddressRefused
from refdesk.retrieval.external import (
    GuardedSource,
    SourceAuthentication,
    SourceBadAnswer,
    SourceConfigInvalid,
    SourceContext,
    SourceTimeout,
    SourceUnreachable,
    open_source,
)
from refdesk.retrieval.external.adapters.http import at, filled
from refdesk.retrieval.external.words import asked_words
from refdesk.testing.source_conformance import CORPUS, SourceConformance

CONFIG = {
    "params": {"lang": "zh"},
    "body": {"q": "{query}", "page": {"size": "{top_k}", "note": "for {query}: {top_k}"}, "exact": True},
    "results": "data.hits",
    "fields": {
        "id": "doc.key", "title": "doc.names[0]", "text": "body", "score": "rank", "url": "doc.link",
        "metadata": "doc.facts",
    },
}  # fmt: skip


@dataclass
class Service:
    """A small search service on 127.0.0.1 that counts words; `answer` replaces what it would say."""

    url: str = ""
    seen: list[tuple[str, dict[str, str], Any]] = field(default_factory=list[tuple[str, dict[str, str], Any]])
    answer: tuple[int, bytes] | None = None
    delay_s: float = 0.0

    def reply(self, body: Any) -> tuple[int, bytes]:
        if self.answer is not None:
            return self.answer
        words = asked_words(body["q"])
        told = [word.lower() for word in (*words.spaced, *words.unspaced)]
        hits: list[Any] = []
        for document in CORPUS:
            text = f"{document.title} {document.text}".lower()
            held = sum(word in text for word in told)
            if held:
                doc = {
                    "key": document.id, "names": [document.title], "link": document.url,
                    "facts": {**document.metadata, "nested": {}},
                }  # fmt: skip
                hits.append({"doc": doc, "body": document.text, "rank": held / len(told)})
        hits.sort(key=lambda hit: -hit["rank"])
        return 200, orjson.dumps({"data": {"hits": hits[: body["page"]["size"]]}})

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                headers: dict[str, str] = {}
                while (header := await reader.readline()).strip():
                    name, _, value = header.decode("latin-1").partition(":")
                    headers[name.strip().lower()] = value.strip()
                content = await reader.readexactly(int(headers.get("content-length", 0)))
                body = orjson.loads(content) if content else None
                self.seen.append((line.decode().strip(), headers, body))
                await asyncio.sleep(self.delay_s)
                status, answer = self.reply(body)
                location = "Location: http://127.0.0.1:1/\r\n" if status == 302 else ""
                writer.write(
                    f"HTTP/1.1 {status} X\r\n{location}Content-Length: {len(answer)}\r\n\r\n".encode()
                )
                writer.write(answer)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


@pytest.fixture
async def service() -> AsyncIterator[Service]:
    service = Service()
    server = await asyncio.start_server(service.serve, "127.0.0.1", 0)
    service.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/search"
    yield service
    server.close()


type Opening = Callable[..., Awaitable[GuardedSource]]


@pytest.fixture
async def opening(service: Service) -> AsyncIterator[Opening]:
    opened: list[GuardedSource] = []

    async def open_it(*, timeout_s: float = 5.0, secret: str | None = None, **changes: Any) -> GuardedSource:
        context = SourceContext(timeout_s=timeout_s, allow_private=True)
        opened.append(await open_source("http", {"url": service.url, **CONFIG, **changes}, secret, context))
        return opened[-1]

    yield open_it
    for source in opened:
        await source.close()


class TestHttpSource(SourceConformance):
    @pytest.fixture
    async def source(self, opening: Opening) -> GuardedSource:
        return await opening()


async def test_the_request_is_the_template_with_values_in_it(service: Service, opening: Opening) -> None:
    source = await opening(secret="abc", headers={"X-Tenant": "9"})
    await source.search('a "{top_k}" & b', 4)
    line, headers, body = service.seen[0]
    assert line.startswith("POST /search?lang=zh ")
    assert headers["authorization"] == "Bearer abc"
    assert headers["x-tenant"] == "9"
    assert body == {
        "q": 'a "{top_k}" & b',
        "page": {"size": 4, "note": 'for a "{top_k}" & b: 4'},
        "exact": True,
    }


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ((401, b"{}"), SourceAuthentication),
        ((500, b"{}"), SourceBadAnswer),
        ((302, b""), SourceBadAnswer),
        ((200, b"<html>"), SourceBadAnswer),
        ((200, b'{"data": {"hits": {"0": 1}}}'), SourceBadAnswer),
        ((200, b'{"data": {"hits": [{"rank": 1}]}}'), SourceBadAnswer),
        ((200, b"[" * 100_000), SourceBadAnswer),
    ],
)
async def test_an_answer_of_no_use_is_an_error(
    service: Service, opening: Opening, answer: tuple[int, bytes], expected: type[Exception]
) -> None:
    service.answer = answer
    with pytest.raises(expected):
        await (await opening()).search("travel")


async def test_more_than_was_asked_for_is_cut_and_scores_are_bounded(
    service: Service, opening: Opening
) -> None:
    hits = [{"doc": {"key": n}, "body": "x", "rank": n * 10 - 5} for n in range(20)]
    service.answer = (200, orjson.dumps({"data": {"hits": hits}}))
    found = await (await opening()).search("travel", 3)
    assert [(hit.doc_id, hit.score) for hit in found] == [("1", 1.0), ("2", 1.0), ("0", 0.0)]


async def test_a_slow_service_ends_at_the_deadline(service: Service, opening: Opening) -> None:
    service.delay_s = 5.0
    with pytest.raises(SourceTimeout):
        await (await opening(timeout_s=0.3)).search("travel")


async def test_a_service_that_is_not_there_is_told(opening: Opening) -> None:
    with pytest.raises(SourceUnreachable):
        await (await opening(url="http://127.0.0.1:9/")).search("travel")


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1/", "http://10.0.0.1/", "http://169.254.169.254/latest", "http://[::1]/"]
)
async def test_inner_addresses_are_refused(url: str) -> None:
    source = await open_source("http", {"url": url}, None, SourceContext(timeout_s=2.0))
    with pytest.raises(AddressRefused):
        await source.search("travel")
    await source.close()


@pytest.mark.parametrize(
    "changes",
    [
        {"url": "ftp://example.org"},
        {"url": "http://name:word@example.org/"},
        {"headers": {"X-A": "b\r\nX-Evil: 1"}},
        {"auth_header": "Bad Name"},
        {"unknown": 1},
    ],
)
async def test_settings_that_do_not_fit_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(SourceConfigInvalid):
        await open_source("http", {"url": "http://example.org", **changes}, None, SourceContext())


def test_templates_and_paths() -> None:
    values: dict[str, str | int] = {"query": "{top_k}", "top_k": 2}
    assert filled(["{query}", {"a": "{top_k}", "b": "x{top_k}"}, 5], values) == [
        "{top_k}",
        {"a": 2, "b": "x2"},
        5,
    ]
    assert at({"a": [{"b": 1}]}, "a[0].b") == 1
    assert at({"a": [{"b": 1}]}, "a[3].b") is None
    assert at({"a": 1}, "a.b") is None
    assert at([1], "") == [1]
