"""The ways through tools: an application by the Model Context Protocol, and an application as a tool."""

import json
import random
from collections.abc import AsyncIterator
from typing import Any

import httpx
from tests.http.access_play import API, COMMON, HUB, MISSING, PERSONS, Play, nowhere_like
from tests.http.access_ways import Told, way, without_ids

HEADERS = {"Host": "127.0.0.1", "Accept": "application/json, text/event-stream"}


async def _rpc(play: Play, caller: str, method: str, **params: Any) -> httpx.Response:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    path = f"/apps/{play.things['application']}/mcp"
    return await play.clients[caller].post(path, json=body, headers=HEADERS)


async def _call(play: Play, caller: str, tool: str, **arguments: Any) -> httpx.Response:
    return await _rpc(play, caller, "tools/call", name=tool, arguments=arguments)


def _data(response: httpx.Response) -> dict[str, Any]:
    """What a tool gave. Fails for one that refused."""
    result = response.json()["result"]
    assert not result["isError"], response.text
    return result["structuredContent"]


@way("POST /apps/{application_id}/mcp")
async def mcp(play: Play, caller: str, rng: random.Random) -> AsyncIterator[Told]:
    tools = await _rpc(play, caller, "tools/list")
    yield Told("tools of an application", tools.text)
    if not tools.is_success:
        assert PERSONS[caller] == "stranger" or caller == "bound_key", tools.text
        return
    assert "find_paths" in tools.text
    shown, hidden = play.shown(caller), play.hidden(caller)
    listed = await _call(play, caller, "list_documents", limit=50)
    yield Told("list_documents", listed.text, whole=True, total=(_data(listed)["total"], len(shown)))
    named = await _call(play, caller, "list_documents", name="paper-zq", limit=50)
    yield Told("list_documents by name", named.text, whole=True, total=(_data(named)["total"], len(shown)))
    paths = await _call(play, caller, "find_paths", entities=[HUB])
    yield Told("find_paths", paths.text, whole=bool(shown))
    searched = await _call(play, caller, "search_documents", query=COMMON, top_k=5)
    yield Told("search_documents", searched.text)
    for one in rng.sample(shown, min(1, len(shown))):
        found = await _call(play, caller, "search_documents", query=f"{COMMON} {one.word}", top_k=5)
        yield Told("search_documents for a word", found.text)
        assert one.id in {result["document_id"] for result in _data(found)["results"]}, found.text
        for wanted in (one.id, f"{one.name}.md", one.name):
            meta = await _call(play, caller, "get_document_meta", document=wanted)
            yield Told("get_document_meta", meta.text)
            assert _data(meta)["document_id"] == one.id
        section = await _call(play, caller, "read_section", paragraph_id=one.paragraphs[0], after=5)
        yield Told("read_section", section.text)
        assert [passage["paragraph_id"] for passage in _data(section)["passages"]] == one.paragraphs
    for one in rng.sample(hidden, min(2, len(hidden))):
        nowhere = nowhere_like(one.word)
        pairs: tuple[tuple[str, str, str, Any], ...] = (
            ("get_document_meta", one.id, MISSING, {"document": one.id}),
            ("get_document_meta", one.word, nowhere, {"document": one.name}),
            ("get_document_meta", one.word, nowhere, {"document": f"{one.name}.md"}),
            ("read_section", one.paragraphs[0], MISSING, {"paragraph_id": one.paragraphs[0]}),
            ("list_documents", one.word, nowhere, {"name": one.word}),
            ("find_paths", one.word, nowhere, {"entities": [one.word, HUB]}),
            ("search_documents", one.id, MISSING, {"query": COMMON, "document_ids": [one.id]}),
        )
        for tool, given, other, arguments in pairs:
            instead = json.loads(json.dumps(arguments).replace(given, other))
            told = without_ids(await _call(play, caller, tool, **arguments), given)
            known = without_ids(await _call(play, caller, tool, **instead), other)
            assert told == known, f"{tool} tells {caller} that {given} is there"
        guess = await _call(play, caller, "search_documents", query=f"{COMMON} {one.word}", top_k=5)
        yield Told("search_documents for a hidden word", guess.text)
    asked = await _call(play, caller, "ask_application", question=f"{COMMON}?")
    yield Told("ask_application", asked.text, whole=True)
    answer = _data(asked)
    play.asked.setdefault(caller, []).append((answer["run_id"], answer["conversation_id"]))


@way(f"GET {API}/tools", f"POST {API}/tools/call")
async def tools(play: Play, caller: str, _rng: random.Random) -> AsyncIterator[Told]:
    """The only tool that reaches documents is an application that is asked."""
    client = play.clients[caller]
    yield Told("tools", (await client.get(f"{API}/tools")).text)
    body = {"tool": f"app:{play.things['application']}", "arguments": {"question": f"{COMMON}?"}}
    sent = await client.post(f"{API}/tools/call", json=body)
    if sent.is_success:
        assert sent.json()["ok"], sent.text
    yield Told("an application as a tool", sent.text, whole=sent.is_success)
