"""Uploads over HTTP: what is accepted, what is refused and when, and that nothing is left half-saved."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from sqlalchemy import text
from tests.http.world import World, ok, problem

from refdesk.knowledge import uploads

BOUNDARY = "x-boundary-x"
MULTIPART = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}


async def new_base(world: World, **options: Any) -> dict[str, Any]:
    body = {"name": world.new_name("base"), **options}
    return ok(await world.editor.post("/api/v1/knowledge-bases", json=body))


async def upload(
    world: World, base: dict[str, Any], *files: tuple[str, bytes], **query: Any
) -> httpx.Response:
    parts = [("files", file) for file in files]
    return await world.editor.post(path_of(base), files=parts, params=query)


def path_of(base: dict[str, Any]) -> str:
    return f"/api/v1/knowledge-bases/{base['id']}/files"


async def leftovers(world: World) -> tuple[int, int]:
    """Blobs without a document, and chunks of them."""
    async with world.database.transaction() as session:
        row = (
            await session.execute(
                text(
                    "SELECT count(DISTINCT b.id), count(c.seq) FROM blobs b LEFT JOIN blob_chunks c"
                    " ON c.blob_id = b.id WHERE NOT EXISTS (SELECT 1 FROM documents d WHERE d.blob_id = b.id)"
                )
            )
        ).one()
    return row[0], row[1]


def part(name: str, data: bytes) -> bytes:
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n\r\n'
    return head.encode() + data + b"\r\n"


async def test_several_files_become_queued_documents_and_can_be_downloaded_unchanged(world: World) -> None:
    base = await new_base(world)
    large = bytes(range(256)) * 4096 * 3 + b"tail"  # three chunks and a bit
    answer = ok(await upload(world, base, ("a.md", b"# A"), ("大文件.bin", large)))
    assert (answer["accepted"], answer["refused"], answer["unread"]) == (2, 0, False)
    first, second = (outcome["document"] for outcome in answer["files"])
    assert (first["state"], first["file_bytes"]) == ("queued", 3)
    assert second["name"] == "大文件.bin"
    response = await world.viewer.get(f"/api/v1/documents/{second['id']}/file")
    assert response.content == large
    assert response.headers["content-length"] == str(len(large))
    assert await leftovers(world) == (0, 0)


async def test_a_download_is_an_attachment_that_no_browser_shows(world: World) -> None:
    base = await new_base(world)
    answer = ok(await upload(world, base, ('报告 "终稿".html', b"<script>alert(1)</script>")))
    document = answer["files"][0]["document"]
    response = await world.viewer.get(f"/api/v1/documents/{document['id']}/file")
    disposition = response.headers["content-disposition"]
    assert disposition.startswith("attachment; ")
    assert "filename*=UTF-8''%E6%8A%A5%E5%91%8A%20%22%E7%BB%88%E7%A8%BF%22.html" in disposition
    assert disposition.isascii()
    assert response.headers["content-type"] == "application/octet-stream"
    assert response.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in response.headers["content-security-policy"]


async def test_one_bad_file_does_not_lose_the_others(world: World) -> None:
    base = await new_base(world, max_file_bytes=100)
    files = (
        ("ok.md", b"one"),
        ("empty.md", b""),
        ("big.md", b"x" * 101),
        ("again.md", b"one"),
        ("ok2.md", b"2"),
    )
    answer = ok(await upload(world, base, *files))
    codes = [outcome["error"] and outcome["error"]["code"] for outcome in answer["files"]]
    assert codes == [None, "empty-file", "file-too-large", "duplicate-document", None]
    too_large = answer["files"][2]["error"]["details"]
    assert (too_large["limit"], too_large["max_bytes"]) == ("max_file_bytes of the knowledge base", 100)
    duplicate = answer["files"][3]["error"]["details"]
    assert duplicate["document_id"] == answer["files"][0]["document"]["id"]
    assert duplicate["document_name"] == "ok.md"
    listed = ok(await world.viewer.get(f"/api/v1/knowledge-bases/{base['id']}/documents"))
    assert [item["name"] for item in listed["items"]] == ["ok2.md", "ok.md"]
    assert await leftovers(world) == (0, 0)


async def test_the_same_content_can_be_kept_twice_when_asked_for(world: World) -> None:
    base = await new_base(world)
    ok(await upload(world, base, ("a.md", b"same")))
    problem(await upload(world, base, ("b.md", b"same")), 409, "duplicate-document")
    assert ok(await upload(world, base, ("b.md", b"same"), allow_duplicate=True))["accepted"] == 1


async def test_when_no_file_is_accepted_the_answer_is_the_first_refusal_with_all_outcomes(
    world: World,
) -> None:
    base = await new_base(world)
    body = problem(await upload(world, base, ("a.md", b""), ("b.md", b"")), 422, "empty-file")
    assert [outcome["name"] for outcome in body["details"]["files"]] == ["a.md", "b.md"]


async def test_a_file_over_the_limit_is_refused_while_it_streams_and_the_rest_is_not_read(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "SKIP_BYTES", 1024 * 1024)
    limit = 3 * 1024 * 1024
    base = await new_base(world, max_file_bytes=limit)
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        yield part("endless.txt", b"").removesuffix(b"\r\n")
        while sent < 200 * 1024 * 1024:
            sent += 64 * 1024
            yield b"x" * (64 * 1024)

    response = await world.editor.post(path_of(base), content=endless(), headers=MULTIPART)
    body = problem(response, 413, "file-too-large")
    assert body["details"]["unread"] is True
    assert response.headers["connection"] == "close"
    assert sent <= limit + uploads.SKIP_BYTES + 256 * 1024
    assert await leftovers(world) == (0, 0)


async def test_files_before_one_that_is_far_too_large_are_kept(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "SKIP_BYTES", 1000)
    base = await new_base(world, max_file_bytes=500)
    content = part("first.md", b"first") + part("huge.md", b"x" * 10_000) + part("third.md", b"third")

    async def in_pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(content), 500):
            yield content[start : start + 500]

    response = await world.editor.post(path_of(base), content=in_pieces(), headers=MULTIPART)
    answer = ok(response)
    assert (answer["accepted"], answer["refused"], answer["unread"]) == (1, 1, True)
    assert response.headers["connection"] == "close"


async def test_a_full_base_refuses_and_names_its_limit(world: World) -> None:
    base = await new_base(world, max_documents=1)
    answer = ok(await upload(world, base, ("a.md", b"a"), ("b.md", b"b")))
    assert answer["files"][1]["error"]["code"] == "document-limit-reached"
    assert answer["files"][1]["error"]["details"]["limit"] == "max_documents"
    assert await leftovers(world) == (0, 0)


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\\\temp\\\\报表.xlsx", "报表.xlsx"),
        ("..", "untitled"),
        ("年度 总结（终稿）.docx", "年度 总结（终稿）.docx"),
        ("a\u202egnp.exe", "agnp.exe"),
        ("x" * 3000 + ".md", "x" * 197 + ".md"),
        ("", "untitled"),
    ],
)
async def test_names_are_cleaned_and_stay_readable(world: World, sent: str, shown: str) -> None:
    base = await new_base(world)
    content = part(sent, b"text") + f"--{BOUNDARY}--\r\n".encode()
    answer = ok(await world.editor.post(path_of(base), content=content, headers=MULTIPART))
    assert answer["files"][0]["document"]["name"] == shown


async def test_a_name_in_an_old_chinese_encoding_is_understood(world: World) -> None:
    base = await new_base(world)
    head = b'--%b\r\nContent-Disposition: form-data; name="files"; filename="' % BOUNDARY.encode()
    content = head + "员工手册.md".encode("gb18030") + b'"\r\n\r\ntext\r\n--%b--\r\n' % BOUNDARY.encode()
    answer = ok(await world.editor.post(path_of(base), content=content, headers=MULTIPART))
    assert answer["files"][0]["document"]["name"] == "员工手册.md"


@pytest.mark.parametrize(
    ("content", "headers", "status", "code"),
    [
        (b"", MULTIPART, 400, "malformed-upload"),
        (b"no multipart at all", MULTIPART, 400, "malformed-upload"),
        (part("cut.md", b"the end is missing")[:-2], MULTIPART, 400, "malformed-upload"),
        (b"x", {"Content-Type": "multipart/form-data"}, 400, "malformed-upload"),
        (b"{}", {"Content-Type": "application/json"}, 400, "malformed-upload"),
        (f"--{BOUNDARY}--\r\n".encode(), MULTIPART, 422, "no-files"),
    ],
)
async def test_a_body_that_is_no_upload_is_refused_and_leaves_nothing(
    world: World, content: bytes, headers: dict[str, str], status: int, code: str
) -> None:
    base = await new_base(world)
    problem(await world.editor.post(path_of(base), content=content, headers=headers), status, code)
    assert await leftovers(world) == (0, 0)
    listed = ok(await world.viewer.get(f"/api/v1/knowledge-bases/{base['id']}/documents"))
    assert listed["total"] == 0


@pytest.mark.parametrize("sent", [b'{"patterns": ["("]}', b'{"limit": "?"}'])
async def test_bad_settings_after_a_file_leave_it_accepted_and_tell_so(world: World, sent: bytes) -> None:
    base = await new_base(world)
    field = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="settings"\r\n\r\n'
    body = part("a.md", b"# A") + field.encode() + sent + b"\r\n" + part("b.md", b"# B")
    body += f"--{BOUNDARY}--\r\n".encode()
    answer = ok(await world.editor.post(path_of(base), content=body, headers=MULTIPART))
    assert (answer["accepted"], answer["refused"], answer["unread"]) == (1, 1, True)
    assert answer["files"][0]["document"]["name"] == "a.md"
    assert answer["files"][1]["name"] == "settings"
    assert answer["files"][1]["error"]["code"]


async def test_settings_sent_before_the_files_are_theirs(world: World) -> None:
    base = await new_base(world, split_settings={"profile": "compact"})
    field = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="settings"\r\n\r\n'
    end = f"--{BOUNDARY}--\r\n".encode()
    sent = field.encode() + b'{"limit": 300}\r\n' + part("a.md", b"a") + end
    answer = ok(await world.editor.post(path_of(base), content=sent, headers=MULTIPART))
    assert answer["files"][0]["document"]["split_settings"]["limit"] == 300
    plain = ok(await upload(world, base, ("b.md", b"b")))
    assert plain["files"][0]["document"]["split_settings"]["profile"] == "compact"
    wrong = field.encode() + b'{"limit": 1}\r\n' + part("c.md", b"c") + end
    problem(await world.editor.post(path_of(base), content=wrong, headers=MULTIPART), 400, "malformed-upload")


async def test_a_client_that_leaves_in_the_middle_leaves_nothing_behind(world: World) -> None:
    base = await new_base(world)
    headers = {**world.editor.headers, **MULTIPART}
    cookie = "; ".join(f"{name}={value}" for name, value in world.editor.cookies.items())
    raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    messages = [
        {"type": "http.request", "body": part("a.md", b"x" * 3_000_000)[:-2], "more_body": True},
        {"type": "http.disconnect"},
    ]

    async def receive() -> Any:
        return messages.pop(0) if messages else {"type": "http.disconnect"}

    async def send(_message: Any) -> None:
        return

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path_of(base),
        "raw_path": path_of(base).encode(),
        "query_string": b"",
        "headers": [*raw, (b"cookie", cookie.encode()), (b"host", b"refdesk.test")],
        "client": ("127.0.0.1", 1),
        "server": ("refdesk.test", 80),
    }
    await world.app(scope, receive, send)
    assert await leftovers(world) == (0, 0)
    listed = ok(await world.viewer.get(f"/api/v1/knowledge-bases/{base['id']}/documents"))
    assert listed["total"] == 0


async def test_viewers_and_strangers_cannot_upload(world: World) -> None:
    base = await new_base(world)
    files = [("files", ("a.md", b"a"))]
    problem(await world.viewer.post(path_of(base), files=files), 403, "forbidden")
    problem(await world.stranger.post(path_of(base), files=files), 404, "not-found")
    problem(await world.nobody.post(path_of(base), files=files), 401, "unauthenticated")
