"""Rows of the access table: term bases."""

import httpx
from tests.http.access_calls import Call, Row
from tests.http.access_knowledge import API, base, base_of
from tests.http.world import World, ok

BASE = f"{API}/knowledge-bases/{{knowledge_base_id}}"


async def shown_terms(world: World, client: httpx.AsyncClient) -> Call:
    word = world.new_name("word")
    call = await base(world, client)
    path = f"{API}/knowledge-bases/{call.path['knowledge_base_id']}/terms"
    ok(await world.owner.post(path, json={"word": word}))
    return Call(path=call.path, shows=(word,))


async def new_term(world: World, client: httpx.AsyncClient) -> Call:
    call = await base(world, client)
    return Call(path=call.path, json={"word": world.new_name("word"), "synonyms": ["another"]})


async def imported_terms(world: World, client: httpx.AsyncClient) -> Call:
    call = await base(world, client)
    # The body is CSV; a JSON text is one as well, of one word.
    return Call(path=call.path, json="word", headers={"Content-Type": "text/csv"})


async def term(world: World, _client: httpx.AsyncClient) -> Call:
    base_id = await base_of(world, world.owner)
    path = f"{API}/knowledge-bases/{base_id}/terms"
    made = ok(await world.owner.post(path, json={"word": world.new_name("word")}))
    return Call(path={"term_id": made["id"]})


async def changed_term(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await term(world, client)).path, json={"synonyms": ["another"]})


TERMS: tuple[Row, ...] = (
    Row("GET", f"{BASE}/terms", "viewer", shown_terms, 404, key=True),
    Row("POST", f"{BASE}/terms", "editor", new_term, 404),
    Row("DELETE", f"{BASE}/terms", "editor", base, 404),
    Row("GET", f"{BASE}/terms.csv", "viewer", shown_terms, 404, key=True),
    Row("POST", f"{BASE}/terms/import", "editor", imported_terms, 404),
    Row("PATCH", f"{API}/terms/{{term_id}}", "editor", changed_term, 404),
    Row("DELETE", f"{API}/terms/{{term_id}}", "editor", term, 404),
)
