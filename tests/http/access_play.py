"""A base whose documents are restricted, moved and removed at random, and an oracle that knows the rules.

Each document has a word, a name and ids that stand nowhere else. The oracle says whose they are to see, by
the rules of `docs/access.md`; the ways in which documents can be told of are in `access_ways`.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID

import httpx
from tests.http.access_graph import run_build
from tests.http.access_knowledge import pdf
from tests.http.asking import embed_by_hashing
from tests.http.world import World, ok

from refdesk.accounts import Scope
from refdesk.kit.clock import now
from refdesk.kit.ids import new_id
from refdesk.knowledge.indexing import IndexWriter, KnowledgeIndex, ParagraphText, prepare_entries
from refdesk.knowledge.queueing import note_reindexing
from refdesk.knowledge.removal import remove_document
from refdesk.knowledge.tables import Document, KnowledgeBase, Paragraph, SourceItem

API = "/api/v1"
DOCUMENTS = 6
FOLDERS = ("", "a", "a/b", "c")  # "" is the top
COMMON = "The turbine inspection interval"
HUB = "oil ring"
"""What every document names, so that in the knowledge graph each is two steps from any other."""
MISSING = "01890000-0000-7000-8000-00000000dead"
"""An id that nothing has."""

# Of each caller, under which name they stand on lists; None: they see everything.
PERSONS = {
    "owner": None,
    "owner_key": None,
    "editor": "editor",
    "editor_key": "editor",
    "bound_key": "editor",
    "viewer": "viewer",
    "member": "member",
    "member_key": "member",
    "stranger": "stranger",
}
EDITORS = ("owner", "editor", "editor_key")


@dataclass(eq=False)
class Listed:
    """An access list. It is gone (`is_there`) once its folder is shared again."""

    people: frozenset[str]
    is_there: bool = True


@dataclass
class Kept:
    """A document and what the oracle knows of it. `last` is the list it counted under when it was removed."""

    id: str
    word: str
    name: str
    paragraphs: list[str]
    question: str = MISSING
    folder: str = ""
    own: Listed | None = None
    is_synced: bool = False
    is_gone: bool = False
    last: Listed | None = None

    @property
    def secrets(self) -> tuple[str, ...]:
        return (self.id, self.word, self.name, *self.paragraphs)


@dataclass(repr=False)
class Play:
    """The base, who plays, and the rules as the oracle sees them."""

    world: World
    base_id: str
    source_id: str
    clients: dict[str, httpx.AsyncClient]
    folders: dict[str, str]
    group_id: str
    documents: list[Kept] = field(default_factory=list[Kept])
    previews: list[Kept] = field(default_factory=list[Kept])
    gone: list[Kept] = field(default_factory=list[Kept])
    lists: dict[str, Listed] = field(default_factory=dict[str, Listed])
    members: set[str] = field(default_factory=set[str])
    asked: dict[str, list[tuple[str, str]]] = field(default_factory=dict[str, list[tuple[str, str]]])
    missing: dict[tuple[str, str], Any] = field(default_factory=dict[tuple[str, str], Any])
    things: dict[str, str] = field(default_factory=dict[str, str])
    made: int = 0

    @property
    def base(self) -> str:
        return f"{API}/knowledge-bases/{self.base_id}"

    def deciding(self, document: Kept) -> Listed | None:
        """The list that counts for a document."""
        if document.is_gone:
            return document.last
        listed, folder = document.own, document.folder
        while listed is None and folder:
            listed = self.lists.get(folder)
            folder = folder.rpartition("/")[0]
        return listed

    def may_see(self, caller: str, document: Kept) -> bool:
        person, listed = PERSONS[caller], self.deciding(document)
        if person == "stranger":
            return False
        if person is None or listed is None:
            return True
        on_it = person in listed.people or ("group" in listed.people and person in self.members)
        return on_it and listed.is_there

    def may_see_folder(self, caller: str, folder: str) -> bool:
        return self.may_see(caller, Kept("", "", "", [], folder=folder))

    def shown(self, caller: str) -> list[Kept]:
        return [one for one in self.documents if self.may_see(caller, one)]

    def hidden(self, caller: str) -> list[Kept]:
        """All that must not be told, previews and what was removed among it."""
        every = (*self.documents, *self.previews, *self.gone)
        return [one for one in every if not self.may_see(caller, one)]

    def secrets(self, caller: str) -> Iterator[str]:
        """What no answer to the caller may hold."""
        for document in self.hidden(caller):
            yield from document.secrets
        for path in FOLDERS[1:]:
            if not self.may_see_folder(caller, path):
                yield folder_name(path)
                yield self.folders[path]


def nowhere_like(word: str) -> str:
    """A word of a document's kind, with as many terms, that stands nowhere.

    One digit is no term; two are one, which counts once. No play has ninety documents.
    """
    before = word[:-1].rstrip("0123456789")
    digits = word[len(before) : -1]
    if len(digits) == 1:
        return f"{before}{(int(digits) + 1) % 10}x"
    return word.replace(digits, f"9{digits[1:]}")


def folder_name(path: str) -> str:
    return f"cabinet-{path.rpartition('/')[2]}-qz" if path else ""


async def begin(world: World) -> Play:
    """The base with its documents, nothing restricted yet."""
    embed_by_hashing(world)
    owner = world.owner
    base = ok(await owner.post(f"{API}/knowledge-bases", json={"name": "Access"}))
    world.user_ids["member"] = await world.invite(owner, "member", "viewer")
    member = await world.sign_in(world.email("member"))
    bound = {"kind": "knowledge_base", "id": base["id"]}
    intruder = await world.sign_in(world.email("stranger"))
    intruder.headers["X-Workspace-ID"] = str(world.workspace_id)
    clients = {
        "owner": owner,
        "owner_key": await world.make_key(owner, "read", "ask", "write"),
        "editor": world.editor,
        "editor_key": await world.make_key(world.editor, "read", "ask", "write"),
        "bound_key": await world.make_key(world.editor, "read", "ask", "write", resource=bound),
        "viewer": world.viewer,
        "member": member,
        "member_key": await world.make_key(member, "read", "ask"),
        "stranger": intruder,
    }
    folders = {"": ""}
    for path in FOLDERS[1:]:
        above = path.rpartition("/")[0]
        body = {"name": folder_name(path), "parent_id": folders[above] or None}
        folders[path] = ok(await owner.post(f"{API}/knowledge-bases/{base['id']}/folders", json=body))["id"]
    group = ok(await owner.post(f"{API}/groups", json={"name": "readers"}))
    source = {"kind": "folder", "name": "share", "config": {}}
    source_id = ok(await owner.post(f"{API}/knowledge-bases/{base['id']}/sources", json=source))["id"]
    play = Play(world, base["id"], source_id, clients, folders, group["id"])
    for _ in range(DOCUMENTS):
        await add_document(play)
    ok(await owner.post(f"{play.base}/graph/build", json={"method": "rules"}))
    play.things["graph"] = "built"
    await run_build(world, play.base_id)
    await _give_file(play, play.documents[0])
    await _give_source(play, play.documents[1])
    await _add_preview(play)
    return play


async def add_document(play: Play) -> None:
    """A document at the top with two paragraphs and a question, indexed."""
    number, owner = play.made, play.world.owner
    play.made += 1
    word = f"zq{number}canary{number}x"
    texts = [
        f"{COMMON} of {word} is {number + 3} months.",
        f"{word} is kept in hall {number}. {word} depends on the {HUB}.",
    ]
    new = {"name": f"paper-{word}.md", "paragraphs": [{"content": text} for text in texts]}
    made = ok(await owner.post(f"{play.base}/documents", json={"documents": [new]}))["items"][0]
    ok(await owner.patch(f"{API}/documents/{made['id']}", json={"meta": {"project": word}}))
    rows = ok(await owner.get(f"{API}/documents/{made['id']}/paragraphs"))["items"]
    ask = {"contents": [f"ask-{word} when"]}
    asked = ok(await owner.post(f"{API}/paragraphs/{rows[0]['id']}/questions", json=ask))
    await _index(play, UUID(made["id"]), rows)
    ids = [row["id"] for row in rows]
    play.documents.append(Kept(made["id"], word, f"paper-{word}", ids, asked["questions"][0]["id"]))


async def _index(play: Play, document_id: UUID, rows: list[dict[str, Any]]) -> None:
    """What the worker would do."""
    world = play.world
    scope = Scope.system(world.workspace_id)
    async with world.database.transaction() as session:
        base = await session.get_one(KnowledgeBase, UUID(play.base_id))
        document = await session.get_one(Document, document_id)
        document.state = "ready"
        index = await session.get_one(KnowledgeIndex, base.active_index_id)
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
        await note_reindexing(session, scope, document_id, False)
    if "graph" in play.things:
        await run_build(world, play.base_id)


async def _give_file(play: Play, document: Kept) -> None:
    """The document gets an original: the PDF of a preview, which then is taken away from that."""
    files = {"files": ("original.pdf", pdf())}
    sent = ok(await play.world.owner.post(f"{play.base}/files", files=files))
    async with play.world.database.transaction() as session:
        carrier = await session.get_one(Document, UUID(sent["files"][0]["document"]["id"]))
        taken = await session.get_one(Document, UUID(document.id))
        taken.blob_id, taken.kind = carrier.blob_id, "pdf"
        await session.delete(carrier)


async def _give_source(play: Play, document: Kept) -> None:
    """The document is one of the source's."""
    document.is_synced = True
    async with play.world.database.transaction() as session:
        row = await session.get_one(Document, UUID(document.id))
        row.source_id = UUID(play.source_id)
        session.add(
            SourceItem(
                id=new_id(),
                workspace_id=play.world.workspace_id,
                source_id=row.source_id,
                document_id=row.id,
                key=f"{document.name}.md",
                state="added",
                content_hash=sha256(b"x").digest(),
                seen_at=now(),
                links=[],
            )
        )


async def _add_preview(play: Play) -> None:
    await add_document(play)
    preview = play.documents.pop()
    async with play.world.database.transaction() as session:
        row = await session.get_one(Document, UUID(preview.id))
        row.is_draft, row.state, row.expires_at = True, "draft", now() + timedelta(days=1)
        for key in preview.paragraphs:
            (await session.get_one(Paragraph, UUID(key))).is_active = False
        base = await session.get_one(KnowledgeBase, row.knowledge_base_id)
        index = await session.get_one(KnowledgeIndex, base.active_index_id)
        await IndexWriter(session, Scope.system(play.world.workspace_id), index).remove_document(row.id)
    play.previews.append(preview)


async def step(play: Play, rng: random.Random) -> None:
    """One change of who may see what, by an owner or by an editor who may."""
    kind = rng.choice(["document", "document", "document", "folder", "folder", "move", "group", "remove"])
    by = rng.choice(EDITORS)
    match kind:
        case "group":
            await _change_group(play, rng)
        case "folder":
            await _restrict_folder(play, rng, by)
        case "move":
            await _move(play, rng, by)
        case "remove":
            await _remove(play, rng, by)
        case _:
            await _restrict(play, rng, by)


async def _change_group(play: Play, rng: random.Random) -> None:
    name = rng.choice(["editor", "viewer", "member"])
    path = f"{API}/groups/{play.group_id}/members/{play.world.user_ids[name]}"
    if name in play.members:
        play.members.remove(name)
        ok(await play.world.owner.delete(path))
    else:
        play.members.add(name)
        ok(await play.world.owner.put(path))


async def _restrict_folder(play: Play, rng: random.Random, by: str) -> None:
    folder = rng.choice(FOLDERS[1:])
    people = _some_people(play, rng, by)
    sent = await play.clients[by].put(
        f"{API}/folders/{play.folders[folder]}/access", json=_list(play, people)
    )
    if not play.may_see_folder(by, folder):
        assert sent.status_code == 404
        return
    ok(sent)
    former = play.lists.get(folder)
    if people is None:
        if former is not None:
            former.is_there = False
            del play.lists[folder]
    elif former is not None:
        former.people = people
    else:
        play.lists[folder] = Listed(people)


async def _move(play: Play, rng: random.Random, by: str) -> None:
    document, folder = rng.choice([*play.documents, *play.previews]), rng.choice(FOLDERS)
    body = {"folder_id": play.folders[folder] or None}
    sent = await play.clients[by].patch(f"{API}/documents/{document.id}", json=body)
    if not (play.may_see(by, document) and (not folder or play.may_see_folder(by, folder))):
        assert sent.status_code == 404
        return
    ok(sent)
    document.folder = folder


async def _remove(play: Play, rng: random.Random, by: str) -> None:
    """Delete a document for good, the worker's part included; another one comes in its place."""
    document = rng.choice(play.documents[1:])  # the first has a file
    listed = play.deciding(document)
    sent = await play.clients[by].delete(f"{API}/documents/{document.id}")
    if not play.may_see(by, document):
        assert sent.status_code == 404
        return
    ok(sent)
    scope = Scope.system(play.world.workspace_id)
    await remove_document(play.world.database, scope, UUID(document.id))
    play.documents.remove(document)
    document.is_gone, document.last = True, listed
    play.gone.append(document)
    await add_document(play)
    if document.is_synced:
        await _give_source(play, play.documents[-1])


async def _restrict(play: Play, rng: random.Random, by: str) -> None:
    document = rng.choice([*play.documents, *play.previews])
    people = _some_people(play, rng, by)
    sent = await play.clients[by].put(f"{API}/documents/{document.id}/access", json=_list(play, people))
    if not play.may_see(by, document):
        assert sent.status_code == 404
        return
    ok(sent)
    document.own = None if people is None else Listed(people)


def _some_people(play: Play, rng: random.Random, by: str) -> frozenset[str] | None:
    """None lifts. Who restricts is put on the list by the server, unless through a group they are on it."""
    if rng.random() < 0.2:
        return None
    people = {name for name in ("editor", "viewer", "member", "group") if rng.random() < 0.3}
    person = PERSONS[by]
    if person is not None and not ("group" in people and person in play.members):
        people.add(person)
    return frozenset(people)


def _list(play: Play, people: frozenset[str] | None) -> dict[str, Any]:
    if people is None:
        return {"restricted": False}
    users = [str(play.world.user_ids[name]) for name in sorted(people - {"group"})]
    return {"restricted": True, "user_ids": users, "group_ids": [play.group_id] if "group" in people else []}
