"""What is hidden takes no name, refuses nothing, counts in nothing, and stays hidden once it is removed."""

import hashlib
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text
from tests.http.access_index_builds import in_state
from tests.http.access_knowledge import pdf
from tests.http.asking import answered, make_base
from tests.http.world import World, ok, problem

from refdesk.accounts import Scope
from refdesk.knowledge.removal import remove_base, remove_document

API = "/api/v1"
ONLY_OWNERS = {"restricted": True}


async def base_of(world: World) -> str:
    return str(
        ok(await world.owner.post(f"{API}/knowledge-bases", json={"name": world.new_name("base")}))["id"]
    )


async def document_of(world: World, base_id: str, content: str = "The fee is waived.") -> tuple[str, str]:
    """A document of the owner with one paragraph: (its id, the paragraph's)."""
    new = {"name": world.new_name("document"), "paragraphs": [{"content": content}]}
    path = f"{API}/knowledge-bases/{base_id}/documents"
    made = ok(await world.owner.post(path, json={"documents": [new]}))["items"][0]["id"]
    rows = ok(await world.owner.get(f"{API}/documents/{made}/paragraphs"))["items"]
    return made, rows[0]["id"]


async def hide(world: World, document_id: str, *names: str) -> None:
    """Let only owners and these people see a document."""
    people = [str(world.user_ids[name]) for name in names]
    body = ONLY_OWNERS | {"user_ids": people}
    ok(await world.owner.put(f"{API}/documents/{document_id}/access", json=body))


async def attach(world: World, paragraph_id: str, content: str) -> str:
    path = f"{API}/paragraphs/{paragraph_id}/questions"
    view = ok(await world.owner.post(path, json={"contents": [content]}))
    return str(view["questions"][0]["id"])


async def test_a_question_that_hidden_documents_have_is_new_to_whom_they_are_hidden(world: World) -> None:
    base_id = await base_of(world)
    hidden, its_paragraph = await document_of(world, base_id)
    _, paragraph = await document_of(world, base_id)
    theirs = await attach(world, its_paragraph, "Who is let go?")
    await hide(world, hidden)
    path = f"{API}/knowledge-bases/{base_id}/questions"
    made = ok(await world.editor.post(path, json={"content": "Who is let go?"}))
    assert made["id"] != theirs
    again = ok(await world.editor.post(path, json={"content": "Who is let go?"}))
    assert again["id"] == made["id"], "what the editor made is known to them"
    attached = {"contents": ["Who is let go?"]}
    view = ok(await world.editor.post(f"{API}/paragraphs/{paragraph}/questions", json=attached))
    assert [one["id"] for one in view["questions"]] == [made["id"]]
    assert ok(await world.editor.get(path))["total"] == 1
    assert ok(await world.owner.get(path))["total"] == 2


async def test_a_question_takes_the_words_of_a_hidden_one_but_not_of_one_that_is_seen(world: World) -> None:
    base_id = await base_of(world)
    hidden, its_paragraph = await document_of(world, base_id)
    theirs = await attach(world, its_paragraph, "Who is let go?")
    await hide(world, hidden)
    path = f"{API}/knowledge-bases/{base_id}/questions"
    made = ok(await world.editor.post(path, json={"content": "Who stays?"}))
    other = ok(await world.editor.post(path, json={"content": "Who comes?"}))
    renamed = {"content": "Who is let go?"}
    assert ok(await world.editor.patch(f"{API}/questions/{made['id']}", json=renamed))["id"] == made["id"]
    told = problem(
        await world.editor.patch(f"{API}/questions/{other['id']}", json=renamed), 409, "question-taken"
    )
    assert told["details"]["question_id"] == made["id"]
    told = problem(
        await world.owner.patch(f"{API}/questions/{other['id']}", json=renamed), 409, "question-taken"
    )
    assert told["details"]["question_id"] in (theirs, made["id"])


async def _folder(world: World, base_id: str, name: str, parent_id: str | None = None) -> str:
    body = {"name": name, "parent_id": parent_id}
    return str(ok(await world.owner.post(f"{API}/knowledge-bases/{base_id}/folders", json=body))["id"])


async def test_a_hidden_folder_takes_no_name(world: World) -> None:
    base_id = await base_of(world)
    board = await _folder(world, base_id, "Board")
    ok(await world.owner.put(f"{API}/folders/{board}/access", json=ONLY_OWNERS))
    path = f"{API}/knowledge-bases/{base_id}/folders"
    made = ok(await world.editor.post(path, json={"name": "Board"}))
    assert made["id"] != board
    problem(await world.editor.post(path, json={"name": "Board"}), 409, "folder-name-taken")
    other = ok(await world.editor.post(path, json={"name": "Other"}))
    problem(
        await world.editor.patch(f"{API}/folders/{other['id']}", json={"name": "Board"}),
        409,
        "folder-name-taken",
    )
    ok(await world.editor.delete(f"{API}/folders/{made['id']}"))
    ok(await world.editor.patch(f"{API}/folders/{other['id']}", json={"name": "Board"}))
    assert {one["id"] for one in ok(await world.owner.get(path))["items"]} == {board, other["id"]}


async def test_a_document_seen_for_its_own_list_does_not_name_the_hidden_folder_it_lies_in(
    world: World,
) -> None:
    base_id = await base_of(world)
    board = await _folder(world, base_id, "Board")
    document, _ = await document_of(world, base_id)
    one, path = f"{API}/documents/{document}", f"{API}/knowledge-bases/{base_id}/documents"
    ok(await world.owner.patch(one, json={"folder_id": board}))
    ok(await world.owner.put(f"{API}/folders/{board}/access", json=ONLY_OWNERS))
    await hide(world, document, "editor")
    assert ok(await world.owner.get(one))["folder_id"] == board
    for told in (
        await world.editor.get(one),
        await world.editor.get(path),
        await world.editor.patch(one, json={"is_active": True}),
        await world.editor.get(path, params={"in_no_folder": "true"}),
    ):
        assert board not in told.text
        view = ok(told)
        assert view.get("items", [view])[0]["folder_id"] is None
    assert ok(await world.editor.get(path, params={"folder_id": board}))["total"] == 0
    assert ok(await world.owner.get(path, params={"folder_id": board}))["total"] == 1
    assert ok(await world.owner.get(path, params={"in_no_folder": "true"}))["total"] == 0


async def test_who_lifts_a_restriction_is_not_told_of_the_hidden_folder_that_holds_from_then_on(
    world: World,
) -> None:
    base_id = await base_of(world)
    board = await _folder(world, base_id, "Board of seven")
    team = await _folder(world, base_id, "Team", board)
    document, _ = await document_of(world, base_id)
    ok(await world.owner.patch(f"{API}/documents/{document}", json={"folder_id": board}))
    ok(await world.owner.put(f"{API}/folders/{board}/access", json=ONLY_OWNERS))
    await hide(world, document, "editor")
    on_it = ONLY_OWNERS | {"user_ids": [str(world.user_ids["editor"])]}
    ok(await world.owner.put(f"{API}/folders/{team}/access", json=on_it))
    for lifted in (f"{API}/documents/{document}/access", f"{API}/folders/{team}/access"):
        told = await world.editor.put(lifted, json={"restricted": False})
        assert ok(told)["inherited"] == {"folder_id": None, "name": None, "users": [], "groups": []}
        assert (await world.editor.get(lifted)).status_code == 404
        assert ok(await world.owner.get(lifted))["inherited"]["folder_id"] == board


async def test_a_folder_in_which_only_hidden_things_lie_is_empty_to_whom_they_are_hidden(
    world: World,
) -> None:
    base_id = await base_of(world)
    team = await _folder(world, base_id, "Team")
    ok(
        await world.owner.put(
            f"{API}/folders/{team}/access", json=ONLY_OWNERS | {"user_ids": [str(world.user_ids["editor"])]}
        )
    )
    inner = await _folder(world, base_id, "Inner", team)
    ok(await world.owner.put(f"{API}/folders/{inner}/access", json=ONLY_OWNERS))
    document_id, _ = await document_of(world, base_id)
    ok(await world.owner.patch(f"{API}/documents/{document_id}", json={"folder_id": team}))
    problem(await world.editor.delete(f"{API}/folders/{team}"), 409, "restricted-folder-not-empty")
    await hide(world, document_id)
    ok(await world.editor.delete(f"{API}/folders/{team}"))
    assert (await world.editor.get(f"{API}/documents/{document_id}")).status_code == 404
    assert ok(await world.owner.get(f"{API}/documents/{document_id}"))["access"] == "restricted"
    (left,) = ok(await world.owner.get(f"{API}/knowledge-bases/{base_id}/folders"))["items"]
    assert (left["id"], left["access"], left["parent_id"]) == (inner, "restricted", None)


async def test_a_file_that_a_hidden_document_has_is_taken_like_any_other(world: World) -> None:
    base_id = await base_of(world)
    path, data = f"{API}/knowledge-bases/{base_id}/files", pdf()
    first = ok(await world.owner.post(path, files={"files": ("a.pdf", data)}))["files"][0]
    document_id = first["document"]["id"]
    problem(await world.editor.post(path, files={"files": ("b.pdf", data)}), 409, "duplicate-document")
    await hide(world, document_id)
    taken = ok(await world.editor.post(path, files={"files": ("b.pdf", data)}))["files"][0]
    assert taken["document"]["id"] != document_id
    assert {key: taken[key] for key in taken if key not in ("document", "name")} == {
        key: first[key] for key in first if key not in ("document", "name")
    }


@pytest.mark.parametrize("what", ["document", "base"])
async def test_what_was_hidden_stays_hidden_in_old_answers_when_it_is_removed(
    world: World, what: str
) -> None:
    secret = "The turbine is inspected every 14 months by the northern crew."
    base = await make_base(world, secret)
    ask = {"question": "How often is the turbine inspected?", "knowledge_base_ids": [base["id"]]}
    run = await answered(world.viewer, **ask)
    assert "northern crew" in run["answer"]
    by_editor = await answered(world.editor, **ask)
    document_id = run["citations"][0]["document_id"]
    await hide(world, document_id, "editor")
    scope = Scope.system(world.workspace_id)
    if what == "document":
        ok(await world.owner.delete(f"{API}/documents/{document_id}"))
        await remove_document(world.database, scope, UUID(document_id))
    else:
        ok(await world.owner.delete(f"{API}/knowledge-bases/{base['id']}"))
        await remove_base(world.database, scope, UUID(base["id"]))
    for path in (f"{API}/runs/{run['id']}", f"{API}/conversations/{run['conversation_id']}"):
        told = (await world.viewer.get(path)).text
        assert document_id not in told
        assert "northern crew" not in told
    search = ok(await world.viewer.get(f"{API}/runs/{run['id']}"))["retrieval"]
    assert run["retrieval"]["best"] > 0
    assert run["retrieval"]["candidates"] > 0
    assert (search["best"], search["candidates"], search["hits"], search["timings_ms"]) == (0, 0, [], {})
    kept = ok(await world.editor.get(f"{API}/runs/{by_editor['id']}"))
    # Of a base that is gone the lists are gone, too.
    assert ("northern crew" in kept["answer"]) == (what == "document")


async def test_progress_of_terms_counts_nothing_for_whom_something_is_hidden(world: World) -> None:
    base_id = await base_of(world)
    hidden, _ = await document_of(world, base_id)
    ok(await world.owner.post(f"{API}/knowledge-bases/{base_id}/terms", json={"word": "Projekt Adler"}))
    async with world.database.transaction() as session:  # as the worker leaves it on its way
        sql = "UPDATE term_states SET progress_done = 1, progress_total = 7 WHERE knowledge_base_id = :id"
        await session.execute(text(sql), {"id": base_id})
    path = f"{API}/knowledge-bases/{base_id}/terms"
    assert ok(await world.editor.get(path))["progress"]["total"] == 7
    await hide(world, hidden)
    assert ok(await world.editor.get(path))["progress"] == {"is_current": False, "done": 0, "total": 0}
    assert ok(await world.owner.get(path))["progress"]["total"] == 7


async def test_an_index_build_counts_in_percent_for_whom_something_is_hidden(world: World) -> None:
    path = (await in_state("built")(world, world.owner)).path
    base_id = path["knowledge_base_id"]
    async with world.database.transaction() as session:
        sql = (
            "UPDATE index_builds SET progress_done = 3, progress_total = 12, comparison = NULL WHERE id = :id"
        )
        await session.execute(text(sql), {"id": path["build_id"]})
    one = f"{API}/knowledge-bases/{base_id}/index-builds/{path['build_id']}"
    assert ok(await world.editor.get(one))["progress_total"] == 12
    hidden, _ = await document_of(world, base_id)
    await hide(world, hidden)
    shown = ok(await world.editor.get(one))
    assert (shown["progress_done"], shown["progress_total"]) == (25, 100)


async def test_runs_of_test_sets_do_not_name_the_documents_they_were_narrowed_to(world: World) -> None:
    base_id = await base_of(world)
    hidden, _ = await document_of(world, base_id)
    body: dict[str, Any] = {"name": world.new_name("set"), "knowledge_base_ids": [base_id]}
    body["questions"] = [{"question": "fee", "documents": [hidden]}]
    set_id = ok(await world.owner.post(f"{API}/test-sets", json=body))["id"]
    ran = await world.owner.post(
        f"{API}/test-sets/{set_id}/run", json={"document_ids": [hidden], "mode": "keywords"}
    )
    assert ran.is_success, ran.text
    await hide(world, hidden)
    runs = await world.viewer.get(f"{API}/test-sets/{set_id}/runs")
    assert ok(runs)["items"][0]["settings"]["is_narrowed"] is True
    assert hidden not in runs.text


async def test_a_source_is_not_sent_anew_by_whom_something_of_it_is_hidden(world: World) -> None:
    base_id = await base_of(world)
    hidden, _ = await document_of(world, base_id)
    source = {"kind": "folder", "name": world.new_name("source"), "config": {}}
    source_id = ok(await world.owner.post(f"{API}/knowledge-bases/{base_id}/sources", json=source))["id"]
    async with world.database.transaction() as session:
        sql = "UPDATE documents SET source_id = :source WHERE id = :id"
        await session.execute(text(sql), {"source": source_id, "id": hidden})
    await hide(world, hidden)
    file = {"path": "a.txt", "sha256": hashlib.sha256(b"a").hexdigest(), "size": 1}
    path = f"{API}/sources/{source_id}"
    problem(await world.editor.post(f"{path}/manifest", json={"files": [file]}), 403, "hidden-documents")
    sent = await world.editor.post(f"{path}/archive", files={"file": ("a.zip", b"PK")})
    problem(sent, 403, "hidden-documents")
    sent = await world.editor.post(f"{path}/files", files={"files": ("a.txt", b"a")})
    problem(sent, 403, "hidden-documents")
