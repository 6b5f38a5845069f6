"""Who may see what, over HTTP: nothing hidden from a caller is told by anything, what is not is found.

A random history of restrictions, moves and changes of groups is played on one base. After each step everybody
asks everything there is to ask. Each document has a word, a name and ids that stand nowhere else; an oracle
that knows only the rules of `docs/access.md` says whose they are to see.
"""

import io
import json
import random
import zipfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import httpx
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from tests.http.asking import answered, embed_by_hashing, events_of
from tests.http.world import World, ok

from refdesk.accounts import Scope
from refdesk.knowledge.indexing import IndexWriter, KnowledgeIndex, ParagraphText, prepare_entries
from refdesk.knowledge.tables import Document, KnowledgeBase

API = "/api/v1"
DOCUMENTS = 6
FOLDERS = ("", "a", "a/b", "c")  # "" is the top
COMMON = "The turbine inspection interval"

# Of each caller, under which name they stand on lists; None: they see everything.
PERSONS = {
    "owner": None,
    "owner_key": None,
    "editor": "editor",
    "editor_key": "editor",
    "bound_key": "editor",
    "viewer": "viewer",
    "member": "member",
}


@dataclass
class Kept:
    """A document and what the oracle knows of it."""

    id: str
    word: str
    name: str
    paragraphs: list[str]
    folder: str
    people: frozenset[str] | None = None

    @property
    def secrets(self) -> tuple[str, ...]:
        return (self.id, self.word, self.name, f"ask-{self.word}", *self.paragraphs)


@dataclass
class Play:
    """The base, who plays, and the rules as the oracle sees them."""

    world: World
    base_id: str
    clients: dict[str, httpx.AsyncClient]
    folders: dict[str, str]
    group_id: str
    documents: list[Kept] = field(default_factory=list[Kept])
    lists: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    members: set[str] = field(default_factory=set[str])
    asked: dict[str, list[tuple[str, str]]] = field(default_factory=dict[str, list[tuple[str, str]]])

    def may_see(self, caller: str, document: Kept) -> bool:
        person = PERSONS[caller]
        listed = document.people
        folder = document.folder
        while listed is None and folder:
            listed = self.lists.get(folder)
            folder = folder.rpartition("/")[0]
        if person is None or listed is None:
            return True
        return person in listed or ("group" in listed and person in self.members)

    def may_see_folder(self, caller: str, folder: str) -> bool:
        return self.may_see(caller, Kept("", "", "", [], folder))


@pytest.fixture(scope="module")
async def play(world: World) -> Play:
    embed_by_hashing(world)
    owner = world.owner
    base = ok(await owner.post(f"{API}/knowledge-bases", json={"name": "Access"}))
    world.user_ids["member"] = await world.invite(owner, "member", "viewer")
    bound = {"kind": "knowledge_base", "id": base["id"]}
    clients = {
        "owner": owner,
        "owner_key": await world.make_key(owner, "read", "ask", "write"),
        "editor": world.editor,
        "editor_key": await world.make_key(world.editor, "read", "ask", "write"),
        "bound_key": await world.make_key(world.editor, "read", "ask", "write", resource=bound),
        "viewer": world.viewer,
        "member": await world.sign_in(world.email("member")),
    }
    folders = {"": ""}
    for path in FOLDERS[1:]:
        above, _, name = path.rpartition("/")
        body = {"name": name, "parent_id": folders[above] or None}
        made = ok(await owner.post(f"{API}/knowledge-bases/{base['id']}/folders", json=body))
        folders[path] = made["id"]
    group = ok(await owner.post(f"{API}/groups", json={"name": "readers"}))
    made = Play(world, base["id"], clients, folders, group["id"])
    for number in range(DOCUMENTS):
        made.documents.append(await _document(made, number))
    return made


async def _document(play: Play, number: int) -> Kept:
    """A document with two paragraphs and a question, indexed."""
    owner, word = play.world.owner, f"zq{number}canary{number}x"
    texts = [f"{COMMON} of {word} is {number + 3} months.", f"{word} is kept in hall {number}."]
    body = {"documents": [{"name": f"paper-{word}.md", "paragraphs": [{"content": text} for text in texts]}]}
    path = f"{API}/knowledge-bases/{play.base_id}/documents"
    document = ok(await owner.post(path, json=body))["items"][0]
    rows = ok(await owner.get(f"{API}/documents/{document['id']}/paragraphs"))["items"]
    ask = {"contents": [f"ask-{word} when"]}
    ok(await owner.post(f"{API}/paragraphs/{rows[0]['id']}/questions", json=ask))
    await _index(play.world, UUID(document["id"]), UUID(play.base_id), rows)
    return Kept(document["id"], word, f"paper-{word}", [row["id"] for row in rows], "")


async def _index(world: World, document_id: UUID, base_id: UUID, rows: list[dict[str, Any]]) -> None:
    scope = Scope.system(world.workspace_id)
    async with world.database.transaction() as session:
        base = await session.get(KnowledgeBase, base_id)
        document = await session.get(Document, document_id)
        assert base is not None
        assert document is not None
        document.state = "ready"
        index = await session.get(KnowledgeIndex, base.active_index_id)
        assert index is not None
        revisions = {row["id"]: 2 if row["position"] == 0 else 1 for row in rows}
        texts = [
            ParagraphText(UUID(row["id"]), document_id, (), row["content"], revisions[row["id"]], True, 0)
            for row in rows
        ]
        embedder = await world.app.state.gateway.embedder(scope, base.embedding_model_id)
    prepared = prepare_entries(texts)
    vectors = await embedder.embed_passages(prepared.texts)
    async with world.database.transaction() as session:
        await IndexWriter(session, scope, index).write(prepared, vectors)


async def _step(play: Play, rng: random.Random) -> None:
    """One change of who may see what, by an owner or by an editor who may."""
    kind = rng.choice(["document", "document", "folder", "move", "group"])
    by = rng.choice(["owner", "editor", "editor_key"])
    client = play.clients[by]
    if kind == "group":
        name = rng.choice(["editor", "viewer", "member"])
        path = f"{API}/groups/{play.group_id}/members/{play.world.user_ids[name]}"
        if name in play.members:
            play.members.remove(name)
            ok(await play.world.owner.delete(path))
        else:
            play.members.add(name)
            ok(await play.world.owner.put(path))
        return
    if kind == "folder":
        folder = rng.choice(FOLDERS[1:])
        people = _some_people(play, rng, by)
        sent = await client.put(f"{API}/folders/{play.folders[folder]}/access", json=_list(play, people))
        if not play.may_see_folder(by, folder):
            assert sent.status_code == 404
            return
        ok(sent)
        play.lists.pop(folder, None)
        if people is not None:
            play.lists[folder] = people
        return
    document = rng.choice(play.documents)
    if kind == "move":
        folder = rng.choice(FOLDERS)
        body = {"folder_id": play.folders[folder] or None}
        sent = await client.patch(f"{API}/documents/{document.id}", json=body)
        if not (play.may_see(by, document) and (not folder or play.may_see_folder(by, folder))):
            assert sent.status_code == 404
            return
        ok(sent)
        document.folder = folder
        return
    people = _some_people(play, rng, by)
    sent = await client.put(f"{API}/documents/{document.id}/access", json=_list(play, people))
    if not play.may_see(by, document):
        assert sent.status_code == 404
        return
    ok(sent)
    document.people = people


def _some_people(play: Play, rng: random.Random, by: str) -> frozenset[str] | None:
    """None lifts. Who restricts is put on the list by the server, unless through a group they are on it."""
    if rng.random() < 0.25:
        return None
    people = {name for name in ("editor", "viewer", "member", "group") if rng.random() < 0.35}
    person = PERSONS[by]
    if person is not None and not ("group" in people and person in play.members):
        people.add(person)
    return frozenset(people)


def _list(play: Play, people: frozenset[str] | None) -> dict[str, Any]:
    if people is None:
        return {"restricted": False}
    users = [str(play.world.user_ids[name]) for name in sorted(people - {"group"})]
    return {"restricted": True, "user_ids": users, "group_ids": [play.group_id] if "group" in people else []}


async def _told(play: Play, caller: str) -> AsyncIterator[tuple[str, str, bool]]:
    """What everything tells the caller: where, the text, and whether all that is visible must be in it."""
    client, base = play.clients[caller], f"{API}/knowledge-bases/{play.base_id}"

    async def get(path: str, **query: Any) -> str:
        return (await client.get(path, params=query)).text

    yield "documents", await get(f"{base}/documents", limit=100), True
    yield "attention", await get(f"{base}/documents", attention="true"), False
    for word in ("zq", "paper"):
        yield "search of names", await get(f"{base}/documents", q=word, limit=100), word == "paper"
    yield "questions", await get(f"{base}/questions", limit=100), False
    yield "folders", await get(f"{base}/folders"), False
    yield "base", await get(base), False
    export = await client.get(f"{base}/export")
    yield "export", _unzipped(export), False
    for mode in ("blend", "keywords", "embedding"):
        body = {
            "query": f"{COMMON} " + " ".join(one.word for one in play.documents),
            "knowledge_base_ids": [play.base_id],
            "mode": mode,
            "top_n": 50,
            "similarity": 0,
        }
        sent = await client.post(f"{API}/hit-test", json=body)
        # The query itself comes back with nothing in it.
        yield f"hit test {mode}", json.dumps(_without(sent.json(), "query")), mode == "blend"
        body |= {"top_n": 1, "similarity": 0.99}
        sent = await client.post(f"{API}/hit-test", json=body)
        yield f"dropped {mode}", json.dumps(_without(sent.json(), "query")), False


def _without(data: Any, *names: str) -> Any:
    return {key: value for key, value in data.items() if key not in names}


def _unzipped(response: httpx.Response) -> str:
    if not response.is_success:
        return response.text
    with zipfile.ZipFile(io.BytesIO(response.content)) as archive:
        return "\n".join(archive.read(name).decode("utf-8", "replace") for name in archive.namelist())


def _by_id(document: Kept) -> Iterator[tuple[str, str]]:
    """Every way to a document or its paragraph by id."""
    for path in (
        "",
        "/paragraphs",
        "/versions",
        "/versions/1/paragraphs",
        "/export",
        "/file",
        "/pages/1.png",
    ):
        yield f"{API}/documents/{{0}}{path}", document.id
    yield f"{API}/documents/{{0}}/diff?from=1&to=1", document.id
    yield f"{API}/documents/{{0}}/access", document.id
    yield f"{API}/documents/{{0}}/export?format=zip", document.id
    yield f"{API}/paragraphs/{{0}}", document.paragraphs[0]
    yield f"{API}/paragraphs/{{0}}/questions", document.paragraphs[0]


MISSING = "01890000-0000-7000-8000-00000000dead"


async def _check(play: Play, caller: str) -> None:
    client = play.clients[caller]
    hidden = [one for one in play.documents if not play.may_see(caller, one)]
    shown = [one for one in play.documents if one not in hidden]
    async for where, told, is_whole in _told(play, caller):
        for document in hidden:
            for secret in document.secrets:
                assert secret not in told, f"{caller} is told {secret} by {where}"
        if is_whole:
            for document in shown:
                assert document.word in told, f"{caller} is not told of {document.word} by {where}"
    counts = ok(await client.get(f"{API}/knowledge-bases/{play.base_id}"))["counts"]
    assert (counts["documents"], counts["paragraphs"]) == (len(shown), 2 * len(shown)), caller
    assert ok(await client.get(f"{API}/knowledge-bases/{play.base_id}/documents"))["total"] == len(shown)
    assert ok(await client.get(f"{API}/knowledge-bases/{play.base_id}/questions"))["total"] == len(shown)
    for document in hidden[:1]:
        for path, key in _by_id(document):
            asked = await client.get(path.format(key))
            missing = await client.get(path.format(MISSING))
            # Not to be told from what is not there: but for the id of the request itself.
            assert (asked.status_code, asked.json()["code"], asked.json()["detail"]) == (
                missing.status_code,
                missing.json()["code"],
                missing.json()["detail"],
            ), f"{caller}: {path}"
            assert asked.status_code in (403, 404)
    for document in shown[:1]:
        assert document.word in (await client.get(f"{API}/documents/{document.id}/paragraphs")).text


async def _ask(play: Play, caller: str) -> None:
    """Ask about every document; remember which answers were given."""
    client = play.clients[caller]
    for document in random.Random(len(play.asked)).sample(play.documents, 2):
        question = f"{COMMON} of {document.word}?"
        run = await answered(client, question=question, knowledge_base_ids=[play.base_id])
        told = json.dumps(_without(run, "question", "standalone_question", "stages"))
        for other in play.documents:
            if not play.may_see(caller, other):
                for secret in other.secrets:
                    # The word that was asked for comes back in the notice of an answer that found nothing.
                    assert secret not in told or (secret == document.word and not run["citations"]), caller
        if play.may_see(caller, document):
            assert document.word in run["answer"], f"{caller} gets no answer from {document.word}"
        play.asked.setdefault(caller, []).append((run["id"], run["conversation_id"]))


async def _look_back(play: Play, caller: str) -> None:
    """Old conversations, runs and their logs tell nothing that is hidden by now."""
    client = play.clients[caller]
    hidden = [one for one in play.documents if not play.may_see(caller, one)]
    for run_id, conversation_id in play.asked.get(caller, ())[-6:]:
        thread = ok(await client.get(f"{API}/conversations/{conversation_id}"))
        run = ok(await client.get(f"{API}/runs/{run_id}"))
        events = [event.json() for event in await events_of(client, run_id)]
        cancelled = ok(await client.post(f"{API}/runs/{run_id}/cancel"))
        asked = run["question"]
        whole = [_stripped(part) for part in (thread, run, cancelled, events)]
        told = json.dumps(whole)
        for document in hidden:
            for secret in document.secrets:
                if secret in asked:
                    continue  # the caller's own words
                assert secret not in told, f"{caller} is told {secret} by an old conversation"
        for document in hidden:
            if document.word in asked:
                assert document.id not in told
                assert document.name not in told


def _stripped(data: Any) -> Any:
    """Without what the caller typed."""
    if isinstance(data, dict):
        typed = ("question", "title", "query", "standalone_question")
        return {key: _stripped(value) for key, value in data.items() if key not in typed}
    return [_stripped(one) for one in data] if isinstance(data, list) else data


@pytest.mark.timeout(240)  # 10 s on a machine that does nothing else
@seed(30)
@settings(
    max_examples=2,
    deadline=None,
    database=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(number=st.integers(0, 2**32))
async def test_nothing_hidden_is_told_and_all_that_is_visible_is_found(play: Play, number: int) -> None:
    rng = random.Random(number)
    for _ in range(3):
        await _step(play, rng)
    for caller in rng.sample(sorted(play.clients), 3):
        await _check(play, caller)
        await _ask(play, caller)
    for _ in range(3):
        await _step(play, rng)
    for caller in sorted(play.clients):
        await _look_back(play, caller)
