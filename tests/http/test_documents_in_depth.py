"""Previews, versions, paragraph operations, questions and patterns over HTTP, with right and wrong input."""

import json
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import pytest
from tests.http.access_knowledge import base_of, document_of, paragraph_of
from tests.http.world import World, ok, problem

from refdesk.kit.clock import now
from refdesk.knowledge.tables import Document

API = "/api/v1"


async def document(world: World, *contents: str) -> str:
    base_id = await base_of(world, world.editor)
    body = {"documents": [{"name": "notes", "paragraphs": [{"content": c} for c in contents]}]}
    made = ok(await world.editor.post(f"{API}/knowledge-bases/{base_id}/documents", json=body))
    return str(made["items"][0]["id"])


async def paragraphs(world: World, document_id: str) -> list[dict[str, object]]:
    return ok(await world.editor.get(f"{API}/documents/{document_id}/paragraphs"))["items"]


async def test_a_preview_is_uploaded_listed_and_deleted_and_not_among_documents(world: World) -> None:
    base_id = await base_of(world, world.editor)
    path = f"{API}/knowledge-bases/{base_id}"
    files = {"files": ("a.txt", b"Some words.")}
    sent = ok(await world.editor.post(f"{path}/drafts", files=files))
    draft = sent["files"][0]["document"]
    assert (draft["is_draft"], draft["state"]) == (True, "queued")
    assert draft["expires_at"] is not None
    assert ok(await world.editor.get(f"{path}/drafts"))["total"] == 1
    assert ok(await world.editor.get(f"{path}/documents"))["total"] == 0
    assert ok(await world.editor.get(path))["counts"]["documents"] == 0
    problem(
        await world.editor.post(f"{path}/drafts/import", json={"document_ids": [draft["id"]]}),
        409,
        "draft-not-ready",
    )
    skipped = ok(await world.editor.post(f"{path}/drafts/import"))
    assert [item["id"] for item in skipped["skipped"]] == [draft["id"]]
    problem(await world.editor.post(f"{path}/drafts/import", json={"document_ids": []}), 422, "invalid")
    again = ok(await world.editor.post(f"{path}/drafts", files=files))
    assert again["accepted"] == 1, "the same file may be looked at twice"
    ok(await world.editor.delete(f"{API}/documents/{draft['id']}"))
    assert ok(await world.editor.get(f"{path}/drafts"))["total"] == 1


async def test_a_preview_that_is_worked_on_stays(world: World) -> None:
    """Every change begins its time anew; reading does not, and documents have no such time."""
    document_id = await document(world, "One two three four.", "Two.")
    soon = now() + timedelta(minutes=5)
    path = f"{API}/documents/{document_id}"
    first = str((await paragraphs(world, document_id))[0]["id"])
    changes: list[tuple[str, str, dict[str, object]]] = [
        ("PATCH", f"{API}/paragraphs/{first}", {"content": "Five six seven eight."}),
        ("POST", f"{API}/paragraphs/{first}/split", {"offset": 5}),
        ("POST", f"{API}/paragraphs/{first}/merge", {}),
        ("POST", f"{API}/paragraphs/{first}/questions", {"contents": ["Which?"]}),
        ("POST", f"{path}/paragraphs", {"content": "Three."}),
        ("POST", f"{path}/paragraphs/actions", {"ids": [first], "action": "deactivate"}),
        ("PATCH", path, {"meta": {"doc_type": "note"}}),
    ]
    for method, address, body in changes:
        async with world.database.transaction() as session:
            draft = await session.get_one(Document, UUID(document_id))
            draft.is_draft, draft.state, draft.expires_at = True, "draft", soon
        assert datetime.fromisoformat(ok(await world.editor.get(path))["expires_at"]) == soon
        ok(await world.editor.request(method, address, json=body))
        expires = datetime.fromisoformat(ok(await world.editor.get(path))["expires_at"])
        assert expires > soon + timedelta(hours=23), address
        problem(await world.viewer.request(method, address, json=body), 403, "forbidden")
    async with world.database.transaction() as session:
        draft = await session.get_one(Document, UUID(document_id))
        draft.is_draft, draft.state, draft.expires_at = False, "ready", None
    ok(await world.editor.patch(path, json={"meta": {}}))
    assert ok(await world.editor.get(path))["expires_at"] is None


async def test_replacing_a_file_takes_just_one_that_has_content(world: World) -> None:
    document_id = await document(world, "One.")
    path = f"{API}/documents/{document_id}/file"
    problem(await world.editor.post(path, files={"file": ("a.txt", b"")}), 422, "empty-file")
    problem(await world.editor.post(path, data={"other": "field"}, files=[]), 400, "malformed-upload")
    problem(await world.editor.post(path, json={}), 400, "malformed-upload")
    two = [("file", ("a.txt", b"One.")), ("file", ("b.txt", b"Two."))]
    problem(await world.editor.post(path, files=two), 400, "malformed-upload")
    assert ok(await world.editor.get(f"{API}/documents/{document_id}"))["state"] == "queued"
    changed = await world.editor.post(path, files={"file": ("new.txt", b"Other.")})
    assert changed.status_code == 202
    assert (changed.json()["state"], changed.json()["version"]) == ("queued", 1), "the new one is being read"
    dropped = await world.editor.post(f"{API}/documents/{document_id}/versions/1/restore")
    assert dropped.status_code == 202
    problem(
        await world.editor.post(f"{API}/documents/{document_id}/versions/1/restore"),
        409,
        "version-is-current",
    )
    problem(await world.editor.post(f"{API}/documents/{document_id}/versions/5/restore"), 404, "not-found")


async def test_versions_are_numbered_from_one(world: World) -> None:
    document_id = await document(world, "One.", "Two.")
    path = f"{API}/documents/{document_id}"
    listed = ok(await world.viewer.get(f"{path}/versions"))
    assert [(v["number"], v["is_current"], v["has_file"]) for v in listed["items"]] == [(1, True, False)]
    shown = ok(await world.viewer.get(f"{path}/versions/1/paragraphs", params={"limit": 1}))
    assert ([p["content"] for p in shown["items"]], shown["next_cursor"]) == (["One."], "1")
    rest = ok(await world.viewer.get(f"{path}/versions/1/paragraphs", params={"cursor": "1"}))
    assert [p["content"] for p in rest["items"]] == ["Two."]
    problem(await world.viewer.get(f"{path}/versions/1/file"), 404, "no-original")
    problem(await world.viewer.get(f"{path}/versions/0/paragraphs"), 422, "invalid")
    problem(await world.viewer.get(f"{path}/versions/2/paragraphs"), 404, "not-found")
    for cursor in ("x", "99", "-1"):
        wrong = await world.viewer.get(f"{path}/versions/1/paragraphs", params={"cursor": cursor})
        problem(wrong, 422, "cursor-invalid")
    same = ok(await world.viewer.get(f"{path}/diff", params={"from": 1, "to": 1}))
    assert (same["items"], same["counts"]["unchanged"]) == ([], 2)
    problem(await world.viewer.get(f"{path}/diff", params={"from": 1}), 422, "invalid")


async def test_paragraphs_are_added_cut_joined_edited_and_reverted(world: World) -> None:
    document_id = await document(world, "First half. Second half.", "Another one.")
    first, second = await paragraphs(world, document_id)
    pair = ok(
        await world.editor.post(
            f"{API}/paragraphs/{first['id']}/split", json={"offset": 11, "revision": first["revision"]}
        )
    )
    assert (pair["first"]["content"], pair["second"]["content"]) == ("First half.", "Second half.")
    stale = await world.editor.post(
        f"{API}/paragraphs/{first['id']}/split", json={"offset": 2, "revision": first["revision"]}
    )
    assert problem(stale, 409, "paragraph-changed")["details"]["revision"] == pair["first"]["revision"]
    problem(
        await world.editor.post(f"{API}/paragraphs/{first['id']}/split", json={"offset": 0}),
        422,
        "split-offset-invalid",
    )
    bad = await world.editor.post(f"{API}/paragraphs/{first['id']}/merge", json={"separator": "x"})
    problem(bad, 422, "invalid")
    joined = ok(await world.editor.post(f"{API}/paragraphs/{first['id']}/merge", json={"separator": " "}))
    assert (joined["content"], joined["is_edited"]) == ("First half. Second half.", False)
    problem(await world.editor.post(f"{API}/paragraphs/{second['id']}/merge"), 409, "no-next-paragraph")
    problem(await world.editor.post(f"{API}/paragraphs/{first['id']}/revert"), 409, "not-edited")
    ok(await world.editor.patch(f"{API}/paragraphs/{first['id']}", json={"content": "Mine."}))
    back = ok(await world.editor.post(f"{API}/paragraphs/{first['id']}/revert"))
    assert back["content"] == "First half. Second half."
    added = ok(
        await world.editor.post(
            f"{API}/documents/{document_id}/paragraphs",
            json={"title": "T", "content": "New.", "questions": ["Why?", "Why?"], "after": first["id"]},
        )
    )
    assert (added["position"], [q["content"] for q in added["questions"]]) == (1, ["Why?"])
    problem(
        await world.editor.post(
            f"{API}/documents/{document_id}/paragraphs", json={"content": "New.", "after": str(uuid4())}
        ),
        404,
        "not-found",
    )
    done = ok(
        await world.editor.post(
            f"{API}/documents/{document_id}/paragraphs/actions",
            json={"ids": [first["id"], added["id"]], "action": "deactivate"},
        )
    )
    assert done == {"changed": 2}
    wrong = await world.editor.post(
        f"{API}/documents/{document_id}/paragraphs/actions", json={"ids": [first["id"]], "action": "burn"}
    )
    problem(wrong, 422, "invalid")


async def test_questions_of_a_base_and_of_a_paragraph(world: World) -> None:
    base_id = await base_of(world, world.editor)
    document_id = await document_of(world, world.editor, base_id)
    paragraph_id = await paragraph_of(world.editor, document_id)
    path = f"{API}/knowledge-bases/{base_id}/questions"
    made = await world.editor.post(path, json={"content": "How long?", "paragraph_ids": [paragraph_id]})
    assert made.status_code == 201
    question_id = made.json()["id"]
    problem(await world.editor.post(path, json={"content": "  "}), 422, "blank-question")
    problem(await world.editor.post(path, json={"content": "x" * 501}), 422, "attached-question-too-long")
    other = ok(await world.editor.post(path, json={"content": "Another?"}))
    taken = await world.editor.patch(f"{API}/questions/{question_id}", json={"content": "Another?"})
    assert problem(taken, 409, "question-taken")["details"]["question_id"] == other["id"]
    shown = ok(await world.viewer.get(f"{API}/paragraphs/{paragraph_id}"))
    assert shown["questions"] == [{"id": question_id, "content": "How long?"}]
    attached = ok(await world.viewer.get(f"{API}/paragraphs/{paragraph_id}/questions"))
    assert attached["items"] == shown["questions"]
    asked = ok(await world.viewer.get(f"{API}/questions/{question_id}/paragraphs"))
    assert [item["paragraph"]["id"] for item in asked["items"]] == [paragraph_id]
    gone = await world.editor.delete(f"{API}/paragraphs/{paragraph_id}/questions/{other['id']}")
    problem(gone, 404, "not-found")
    ok(await world.editor.delete(f"{API}/paragraphs/{paragraph_id}/questions/{question_id}"))
    assert ok(await world.viewer.get(path, params={"q": "long"}))["total"] == 0


async def test_document_settings_are_checked_and_filtered_by(world: World) -> None:
    base_id = await base_of(world, world.editor)
    document_id = await document_of(world, world.editor, base_id)
    path = f"{API}/documents/{document_id}"
    body = {
        "is_active": False,
        "hit_handling": "directly_return",
        "direct_return_similarity": 0.8,
        "meta": {"department": "HR；Legal", "effective_date": "2026年1月5日", "own": 1},
    }
    changed = ok(await world.editor.patch(path, json=body))
    assert (changed["is_active"], changed["hit_handling"]) == (False, "directly_return")
    assert changed["direct_return_similarity"] == pytest.approx(0.8)
    assert changed["meta"] == {"department": ["HR", "Legal"], "effective_date": "2026-01-05", "own": 1}
    for wrong in (
        {"hit_handling": "always"},
        {"direct_return_similarity": 2},
        {"is_active": "perhaps"},
        {"version": 3},
    ):
        problem(await world.editor.patch(path, json=wrong), 422, "invalid")
    refused = await world.editor.patch(path, json={"meta": {"published_at": "some day"}})
    assert problem(refused, 422, "meta-invalid")["details"]["key"] == "published_at"

    async def total(**query: str) -> int:
        listed = await world.viewer.get(f"{API}/knowledge-bases/{base_id}/documents", params=query)
        return int(ok(listed)["total"])

    assert await total(**{"meta.department": "Legal"}) == 1
    assert await total(meta="department=Legal") == 1
    assert await total(**{"meta.department": "Legal", "active": "true"}) == 0
    assert await total(active="false", kind="structured", attention="false") == 1
    assert await total(**{"meta.own": "1"}) == 1


async def test_patterns_are_tried_and_catastrophic_ones_refused(world: World) -> None:
    path = f"{API}/split-patterns/check"
    body = {"patterns": [r"^第.+章.*$", r"^\d+\.\d+ .*$"], "text": "第一章 总则\n正文。\n1.1 范围\n正文。"}
    found = ok(await world.viewer.post(path, json=body))
    assert [(hit["level"], hit["text"]) for hit in found["matches"]] == [(1, "第一章 总则"), (2, "1.1 范围")]
    assert found["total"] == 2
    assert body["text"][found["matches"][1]["start"] : found["matches"][1]["end"]] == "1.1 范围"
    problem(await world.viewer.post(path, json={"patterns": ["("], "text": "x"}), 422, "pattern-invalid")
    slow = {"patterns": [r"^(a|aa)+$"], "text": "a" * 40 + "b"}
    problem(await world.viewer.post(path, json=slow), 422, "pattern-too-slow")
    problem(await world.viewer.post(path, json={"patterns": [], "text": "x"}), 422, "invalid")


async def test_catastrophic_patterns_are_refused_wherever_settings_are_sent(world: World) -> None:
    slow, sound = {"patterns": [r"^(a|aa)+$"]}, {"patterns": [r"^# .+"]}
    wrong = {"patterns": [r"(a{99999}){99999}"]}
    bases = f"{API}/knowledge-bases"
    named = {"name": "Patterns", "split_settings": slow}
    problem(await world.editor.post(bases, json=named), 422, "pattern-too-slow")
    base = ok(await world.editor.post(bases, json=named | {"split_settings": sound}))
    path = f"{bases}/{base['id']}"
    refused = problem(await world.editor.patch(path, json={"split_settings": slow}), 422, "pattern-too-slow")
    assert refused["details"]["pattern"] == r"^(a|aa)+$"
    problem(await world.editor.patch(path, json={"split_settings": wrong}), 422, "pattern-invalid")
    assert ok(await world.editor.get(path))["split_settings"]["patterns"] == sound["patterns"]
    for door in ("files", "drafts"):
        files = [
            ("settings", (None, json.dumps(slow).encode())),
            ("files", ("a.md", b"# A\n\nHarmless.")),
        ]
        problem(await world.editor.post(f"{path}/{door}", files=files), 422, "pattern-too-slow")
    site = {"kind": "website", "config": {"url": "https://site.example/"}, "split_settings": slow}
    problem(await world.editor.post(f"{path}/sources", json=site), 422, "pattern-too-slow")
    sent = ok(await world.editor.post(f"{path}/files", files={"files": ("b.md", b"# B\n\nHarmless.")}))
    document = f"{API}/documents/{sent['files'][0]['document']['id']}"
    problem(await world.editor.patch(document, json={"split_settings": slow}), 422, "pattern-too-slow")


async def test_a_password_is_taken_with_retry_and_shown_to_nobody(world: World) -> None:
    base_id = await base_of(world, world.editor)
    files = {"files": ("a.txt", b"Some words.")}
    sent = ok(await world.editor.post(f"{API}/knowledge-bases/{base_id}/files", files=files))
    path = f"{API}/documents/{sent['files'][0]['document']['id']}"
    problem(await world.editor.post(f"{path}/retry", json={"password": "secret"}), 409, "not-stopped")
    ok(await world.editor.post(f"{path}/cancel"))
    problem(await world.editor.post(f"{path}/retry", json={"password": ""}), 422, "invalid")
    retried = await world.editor.post(f"{path}/retry", json={"password": "open sesame"})
    assert ok(retried)["has_password"]
    assert "sesame" not in retried.text
    assert "sesame" not in (await world.editor.get(path)).text


async def test_a_base_tells_which_applications_ask_it(world: World) -> None:
    base_id = await base_of(world, world.editor)
    path = f"{API}/knowledge-bases/{base_id}/usage"
    assert ok(await world.viewer.get(path)) == {"applications": []}
    name = world.new_name("application")
    body = {"name": name, "knowledge_base_ids": [base_id]}
    ok(await world.editor.post(f"{API}/applications", json=body))
    assert ok(await world.viewer.get(path)) == {"applications": [name]}


async def test_null_is_refused_where_a_field_cannot_be_empty(world: World) -> None:
    base_id = await base_of(world, world.editor)
    document_id = await document_of(world, world.editor, base_id)
    paragraph_id = await paragraph_of(world.editor, document_id)
    for path, field in (
        (f"knowledge-bases/{base_id}", "name"),
        (f"knowledge-bases/{base_id}", "meta"),
        (f"documents/{document_id}", "name"),
        (f"documents/{document_id}", "is_active"),
        (f"paragraphs/{paragraph_id}", "content"),
    ):
        problem(await world.editor.patch(f"{API}/{path}", json={field: None}), 422, "invalid")
    ok(await world.editor.patch(f"{API}/knowledge-bases/{base_id}", json={"max_documents": None}))
    ok(await world.editor.patch(f"{API}/paragraphs/{paragraph_id}", json={"revision": None}))
