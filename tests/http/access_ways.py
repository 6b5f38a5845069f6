"""Every way in which documents can be told of over HTTP, as one caller after the other goes them.

A way names the operations of the access table that it goes; `test_access_property` fails for an operation
that is gone by no way and is not excused in `access_excuses`.
"""

import asyncio
import io
import json
import random
import zipfile
from collections.abc import AsyncIterator, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

import httpx
from tests.http.access_play import API, COMMON, MISSING, Kept, Play
from tests.http.world import ok

BASE = f"{API}/knowledge-bases/{{knowledge_base_id}}"
DOCUMENT = f"{API}/documents/{{document_id}}"
PARAGRAPH = f"{API}/paragraphs/{{paragraph_id}}"
SET = f"{API}/test-sets/{{test_set_id}}"
RUN = f"{API}/runs/{{run_id}}"


@dataclass(frozen=True)
class Told:
    """What a way told. `whole`: all that is visible must be in it. `total`: how many things it counts, and
    how many there are for the caller."""

    where: str
    text: str
    whole: bool = False
    total: tuple[int, int] | None = None


type Going = Callable[[Play, str, random.Random], AsyncIterator[Told]]
WAYS: list[tuple[tuple[str, ...], Going]] = []


def way(*operations: str) -> Callable[[Going], Going]:
    """Registers a way that goes these operations."""

    def register(going: Going) -> Going:
        WAYS.append((operations, going))
        return going

    return register


def counted(response: httpx.Response, expected: int) -> tuple[int, int] | None:
    """The total of a list beside what it should be; None for an answer that is none."""
    return (response.json()["total"], expected) if response.is_success else None


@way(f"GET {BASE}/documents")
async def documents(play: Play, caller: str, _rng: random.Random) -> AsyncIterator[Told]:
    client, path, shown = play.clients[caller], f"{play.base}/documents", play.shown(caller)
    listed = await client.get(path, params={"limit": 100})
    yield Told("documents", listed.text, whole=True, total=counted(listed, len(shown)))
    attention = await client.get(path, params={"attention": "true"})
    yield Told("attention", attention.text, total=counted(attention, 0))
    for start in ("paper", "zq"):
        found = await client.get(path, params={"q": start, "limit": 100})
        yield Told("search of names", found.text, whole=True, total=counted(found, len(shown)))
    for one in (*play.hidden(caller)[:1], *shown[:1]):
        found = await client.get(path, params={"meta.project": one.word})
        expected = int(one in shown)
        yield Told("filter by metadata", found.text, total=counted(found, expected))


@way(f"GET {BASE}/drafts")
async def drafts(play: Play, caller: str, _rng: random.Random) -> AsyncIterator[Told]:
    listed = await play.clients[caller].get(f"{play.base}/drafts")
    expected = sum(play.may_see(caller, one) for one in play.previews)
    yield Told("previews", listed.text, total=counted(listed, expected))


@way(f"GET {BASE}/questions")
async def questions(play: Play, caller: str, _rng: random.Random) -> AsyncIterator[Told]:
    for query in ({"limit": 100}, {"q": "ask-zq", "limit": 100}):
        listed = await play.clients[caller].get(f"{play.base}/questions", params=query)
        yield Told("questions", listed.text, whole=True, total=counted(listed, len(play.shown(caller))))


@way(f"GET {API}/knowledge-bases", f"GET {BASE}", f"GET {BASE}/usage", f"GET {API}/status")
async def bases(play: Play, caller: str, _rng: random.Random) -> AsyncIterator[Told]:
    client, shown = play.clients[caller], len(play.shown(caller))
    one = await client.get(play.base)
    yield Told("base", one.text)
    listed = await client.get(f"{API}/knowledge-bases", params={"limit": 100})
    yield Told("bases", listed.text)
    views = [one.json()] if one.is_success else []
    if listed.is_success:
        views += [item for item in listed.json()["items"] if item["id"] == play.base_id]
    for view in views:
        counts = view["counts"]
        yield Told("documents counted", "", total=(counts["documents"], shown))
        yield Told("paragraphs counted", "", total=(counts["paragraphs"], 2 * shown))
        yield Told("states counted", "", total=(sum(counts["states"].values()), shown))
    yield Told("usage", (await client.get(f"{play.base}/usage")).text)
    yield Told("status", (await client.get(f"{API}/status")).text)


@way(f"GET {BASE}/folders")
async def folders(play: Play, caller: str, _rng: random.Random) -> AsyncIterator[Told]:
    listed = await play.clients[caller].get(f"{play.base}/folders")
    yield Told("folders", listed.text)
    if listed.is_success:
        for path, folder_id in play.folders.items():
            for item in listed.json()["items"]:
                if item["id"] == folder_id:
                    inside = sum(one.folder == path for one in play.shown(caller))
                    yield Told(f"documents in {path}", "", total=(item["documents"], inside))


@way(f"GET {BASE}/export")
async def export(play: Play, caller: str, _rng: random.Random) -> AsyncIterator[Told]:
    sent = await play.clients[caller].get(f"{play.base}/export")
    yield Told("export", unzipped(sent), whole=sent.is_success)


def unzipped(response: httpx.Response) -> str:
    if not response.is_success:
        return response.text
    with zipfile.ZipFile(io.BytesIO(response.content)) as archive:
        return "\n".join(archive.read(name).decode("utf-8", "replace") for name in archive.namelist())


SOURCE = f"{API}/sources/{{source_id}}"


@way(f"GET {BASE}/sources", f"GET {SOURCE}", f"GET {SOURCE}/items")
async def sources(play: Play, caller: str, _rng: random.Random) -> AsyncIterator[Told]:
    client = play.clients[caller]
    yield Told("sources", (await client.get(f"{play.base}/sources")).text)
    one = await client.get(f"{API}/sources/{play.source_id}")
    expected = sum(document.is_synced for document in play.shown(caller))
    yield Told("source", one.text, total=(one.json()["documents"], expected) if one.is_success else None)
    items = await client.get(f"{API}/sources/{play.source_id}/items", params={"q": "paper"})
    known = sum(play.may_see(caller, one) for one in (*play.documents, *play.gone) if one.is_synced)
    yield Told("items", items.text, total=counted(items, known))


@way(f"GET {BASE}/terms", f"GET {BASE}/terms.csv", f"GET {BASE}/index-builds")
async def words_and_builds(play: Play, caller: str, _rng: random.Random) -> AsyncIterator[Told]:
    client = play.clients[caller]
    for path in ("terms", "terms.csv", "index-builds"):
        yield Told(path, (await client.get(f"{play.base}/{path}")).text)


MODES = ("blend", "keywords", "embedding")
STRATEGIES = ("hybrid-search", "entity-focused", "time-aware", "auto")


@way(f"POST {API}/hit-test")
async def hit_test(play: Play, caller: str, rng: random.Random) -> AsyncIterator[Told]:
    client = play.clients[caller]
    for mode in MODES:
        body: dict[str, Any] = {
            "query": f"{COMMON} hall kept",
            "knowledge_base_ids": [play.base_id],
            "mode": mode,
            "strategy": rng.choice(STRATEGIES),
            "top_n": 50,
            "similarity": 0,
            "context": rng.choice(["paragraph", "window"]),
            "diversity": rng.choice([0, 0.5]),
            "recency": rng.choice([0, 0.5]),
        }
        if rng.random() < 0.5:
            body["rerank"] = {"model_id": play.things["reranker"], "timeout_s": 10}
        if rng.random() < 0.5:
            body["knowledge_base_ids"].append(play.things["other base"])
            body["route"] = {"few": 1, "at_least": 1}
        sent = await client.post(f"{API}/hit-test", json=body)
        where = f"hit test {body}"
        plain = "route" not in body and body["strategy"] == "hybrid-search"
        yield Told(where, sent.text, whole=plain and mode == "blend" and not body["diversity"])
        if sent.is_success:
            found = sent.json()
            assert not found["warnings"], found["warnings"]
            if plain:
                yield Told(where, "", total=(found["candidates"], 2 * len(play.shown(caller))))
        sent = await client.post(f"{API}/hit-test", json=body | {"top_n": 1, "similarity": 0.99})
        yield Told(f"dropped by {where}", sent.text)


@way(f"POST {API}/hit-test/batch")
async def batch(play: Play, caller: str, rng: random.Random) -> AsyncIterator[Told]:
    asked = [{"question": COMMON, "documents": []}]
    body = {"knowledge_base_ids": [play.base_id], "questions": asked, "mode": rng.choice(MODES)}
    sent = await play.clients[caller].post(
        f"{API}/hit-test/batch", json=body | {"top_n": 50, "similarity": 0}
    )
    yield Told("batch", sent.text)


@way(
    f"GET {API}/test-sets",
    f"GET {SET}",
    f"GET {SET}/questions",
    f"GET {SET}/export",
    f"GET {SET}/runs",
    f"POST {SET}/run",
)
async def test_sets(play: Play, caller: str, rng: random.Random) -> AsyncIterator[Told]:
    """A set that the owner made, with every document expected, and run with the documents named."""
    client = play.clients[caller]
    expected = [one.id for one in play.documents]
    if play.things.get("expected") != str(expected):
        body: dict[str, Any] = {
            "name": play.world.new_name("set"),
            "knowledge_base_ids": [play.base_id],
            "questions": [{"question": COMMON, "documents": expected}],
        }
        play.things["set"] = ok(await play.world.owner.post(f"{API}/test-sets", json=body))["id"]
        play.things["expected"] = str(expected)
        path = f"{API}/test-sets/{play.things['set']}/run"
        ok_stream = await play.world.owner.post(path, json={"document_ids": expected})
        assert ok_stream.is_success
    one = f"{API}/test-sets/{play.things['set']}"
    for path in (f"{API}/test-sets", one, f"{one}/questions", f"{one}/runs"):
        yield Told(path, (await client.get(path)).text)
    for kind in ("csv", "jsonl"):
        yield Told(f"{kind} of a set", (await client.get(f"{one}/export", params={"format": kind})).text)
    ran = await client.post(f"{one}/run", json={"mode": rng.choice(MODES), "top_n": 50, "similarity": 0})
    yield Told("run of a set", ran.text)


@way("POST /v1/chat/completions", "GET /v1/models", f"GET {API}/applications")
async def openai_door(play: Play, caller: str, rng: random.Random) -> AsyncIterator[Told]:
    client = play.clients[caller]
    yield Told("/v1/models", (await client.get("/v1/models")).text)
    yield Told("applications", (await client.get(f"{API}/applications")).text)
    for model in (play.base_id, play.things["application"]):
        asked = {"model": model, "messages": [{"role": "user", "content": f"{COMMON}?"}]}
        sent = await client.post("/v1/chat/completions", json=asked | {"stream": rng.random() < 0.5})
        yield Told(f"/v1 of {model}", sent.text)


@way(f"GET {BASE}/events")
async def events(play: Play, caller: str, _rng: random.Random) -> AsyncIterator[Told]:
    yield Told("events", await opening_of(play, caller, f"{play.base}/events"))


async def opening_of(play: Play, caller: str, path: str) -> str:
    """What a stream without an end says first."""
    client = play.clients[caller]
    request = client.build_request("GET", path)
    seen: list[bytes] = []
    over = asyncio.Event()

    async def receive() -> MutableMapping[str, Any]:
        await over.wait()
        return {"type": "http.disconnect"}

    async def send(message: MutableMapping[str, Any]) -> None:
        body = message.get("body", b"")
        if body or not message.get("more_body", message["type"] == "http.response.start"):
            seen.append(body)
            over.set()

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": request.url.scheme,
        "path": request.url.path,
        "raw_path": request.url.raw_path,
        "query_string": b"",
        "root_path": "",
        "headers": [(name.lower(), value) for name, value in request.headers.raw],
        "client": ("127.0.0.1", 1),
        "server": (request.url.host, 80),
    }
    async with asyncio.timeout(30):
        await play.world.app(scope, receive, send)
    return b"".join(seen).decode()


@dataclass(frozen=True)
class ById:
    """An operation on one thing by its id; `of` says which id of a document. `body` may name ids, too."""

    method: str
    path: str
    of: str = "document"
    body: Any = None
    files: Any = None

    @property
    def name(self) -> str:
        names = {"document": "document_id", "paragraph": "paragraph_id", "question": "question_id"}
        path = self.path.partition("?")[0].replace("{0}", f"{{{names.get(self.of, '')}}}")
        for number, name in (("/versions/1", "/versions/{number}"), ("/pages/1.png", "/pages/{number}.png")):
            path = path.replace(number, name)
        path = path.replace("{number}/pages/{number}.png", "{number}/pages/{page}.png")
        path = path.replace(MISSING, "{question_id}")
        return f"{self.method} {path.replace('{base}', BASE)}"


_DOCUMENT, _PARAGRAPH, _QUESTION = (
    f"{API}/{kind}/{{0}}" for kind in ("documents", "paragraphs", "questions")
)
_EXPLAIN = {"query": COMMON, "knowledge_base_ids": ["{base_id}"], "similarity": 0}
_FILE = {"file": ("new.txt", b"Other words.")}

READING = (
    ById("GET", _DOCUMENT),
    ById("GET", f"{_DOCUMENT}/paragraphs"),
    ById("GET", f"{_DOCUMENT}/versions"),
    ById("GET", f"{_DOCUMENT}/versions/1/paragraphs"),
    ById("GET", f"{_DOCUMENT}/diff?from=1&to=1"),
    ById("GET", f"{_DOCUMENT}/export"),
    ById("GET", f"{_DOCUMENT}/export?format=zip"),
    ById("GET", _PARAGRAPH, "paragraph"),
    ById("GET", f"{_PARAGRAPH}/questions", "paragraph"),
    ById("GET", f"{_QUESTION}/paragraphs", "question"),
    ById("POST", f"{API}/hit-test/explain", "document", _EXPLAIN | {"document_id": "{0}"}),
    ById("POST", f"{API}/hit-test/explain", "paragraph", _EXPLAIN | {"paragraph_id": "{0}"}),
)
"""What tells of every document that the caller may see."""

READING_FILES = (
    ById("GET", f"{_DOCUMENT}/file"),
    ById("GET", f"{_DOCUMENT}/pages/1.png"),
    ById("GET", f"{_DOCUMENT}/versions/1/file"),
    ById("GET", f"{_DOCUMENT}/versions/1/pages/1.png"),
)

CHANGING = (
    ById("GET", f"{_DOCUMENT}/access"),
    ById("PUT", f"{_DOCUMENT}/access", body={"restricted": False}),
    ById("PATCH", _DOCUMENT, body={"name": "x"}),
    ById("DELETE", _DOCUMENT),
    ById("POST", f"{_DOCUMENT}/retry"),
    ById("POST", f"{_DOCUMENT}/cancel"),
    ById("POST", f"{_DOCUMENT}/reread"),
    ById("POST", f"{_DOCUMENT}/file", files=_FILE),
    ById("POST", f"{_DOCUMENT}/versions/1/restore"),
    ById("POST", f"{_DOCUMENT}/conflicts/resolve", body={"keep": "theirs"}),
    ById("POST", f"{_DOCUMENT}/paragraphs", body={"content": "x"}),
    ById("POST", f"{_DOCUMENT}/paragraphs/actions", body={"ids": [MISSING], "action": "delete"}),
    ById("PATCH", _PARAGRAPH, "paragraph", {"content": "x"}),
    ById("DELETE", _PARAGRAPH, "paragraph"),
    ById("POST", f"{_PARAGRAPH}/split", "paragraph", {"offset": 3}),
    ById("POST", f"{_PARAGRAPH}/merge", "paragraph"),
    ById("POST", f"{_PARAGRAPH}/revert", "paragraph"),
    ById("POST", f"{_PARAGRAPH}/questions", "paragraph", {"contents": ["x"]}),
    ById("DELETE", f"{_PARAGRAPH}/questions/{MISSING}", "paragraph"),
    ById("PATCH", _QUESTION, "question", {"content": "x"}),
    ById("DELETE", _QUESTION, "question"),
    ById("POST", "{base}/drafts/import", body={"document_ids": ["{0}"]}),
    ById("POST", "{base}/questions", "paragraph", {"content": "x", "paragraph_ids": ["{0}"]}),
    ById("POST", f"{API}/hit-test", body=_EXPLAIN | {"document_ids": ["{0}"]}),
    ById(
        "POST",
        f"{API}/hit-test/batch",
        body={
            "knowledge_base_ids": ["{base_id}"],
            "questions": [{"question": COMMON, "documents": ["{0}"]}],
            "document_ids": ["{0}"],
        },
    ),
)
"""What is asked for hidden and missing things only: with others it would change them."""


async def ask_by_id(play: Play, caller: str, one: ById, key: str) -> httpx.Response:
    filled = json.loads(json.dumps(one.body).replace("{0}", key).replace("{base_id}", play.base_id))
    path = one.path.replace("{0}", key).replace("{base}", play.base)
    return await play.clients[caller].request(one.method, path, json=filled, files=one.files)


def id_of(document: Kept, one: ById) -> str:
    match one.of:
        case "paragraph":
            return document.paragraphs[0]
        case "question":
            return document.question
        case _:
            return document.id


def without_ids(response: httpx.Response, key: str) -> Any:
    """The answer but for the id that was asked for, the request's own, and how long it took."""
    text = response.text.replace(key, "THE ID")
    try:
        return response.status_code, _plain(json.loads(text))
    except json.JSONDecodeError:
        lines = [line for line in text.split("\n") if line.startswith("data: ")]
        return response.status_code, [_plain(json.loads(line[6:])) for line in lines] or text


def _plain(data: Any) -> Any:
    if isinstance(data, dict):
        left_out = ("request_id", "timings_ms", "elapsed_ms", "p50_ms", "p95_ms")
        return {key: _plain(value) for key, value in data.items() if key not in left_out}
    return [_plain(one) for one in data] if isinstance(data, list) else data


ASKING = (
    f"POST {API}/runs",
    f"GET {RUN}",
    f"GET {RUN}/events",
    f"POST {RUN}/cancel",
    f"GET {RUN}/trace",
    f"GET {API}/conversations",
    f"GET {API}/conversations/{{conversation_id}}",
)
"""Gone by `test_access_property` itself, before and after things change."""
