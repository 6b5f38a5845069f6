"""An agent with skills and a working directory: read on demand, run only in the sandbox."""

import io
import socket
import zipfile
from collections.abc import AsyncIterator
from typing import Any

import orjson
import pytest
from sqlalchemy import make_url
from tests.http.asking import answered, connected, make_base
from tests.http.world import World, ok

from refdesk.testing.scripted_model import Call, ScriptedModel, Turn, says, scripted_model
from refdesk.tools.sandbox import isolation

SKILL = """---
name: count-lines
description: 统计行数 / count lines of a text.
---

1. Run `scripts/count.py`.
"""
SCRIPT = "import sys\nprint(len(sys.stdin.read().splitlines()), open('/skill/SKILL.md').readline().strip())\n"
PRYING = """
cat > look.py <<'PY'
import socket, os
def database():
    family = socket.AF_UNIX if isinstance(ADDRESS, str) else socket.AF_INET
    with socket.socket(family) as asked:
        asked.settimeout(2)
        asked.connect(ADDRESS)
for name, try_it in {
    "passwd": lambda: open("/etc/passwd").read(),
    "network": lambda: socket.create_connection(("1.1.1.1", 53), 2),
    "database": database,
}.items():
    try:
        try_it()
        print(name, "REACHED")
    except OSError:
        print(name, "refused")
print("env", sorted(k for k in os.environ if "REFDESK" in k or "DATABASE" in k))
PY
python3 look.py; rm look.py
"""


def database_address(world: World) -> str | tuple[str, int]:
    """Where the database of these tests listens: a socket's path, or host and port."""
    url = make_url(world.database.url)
    host = str(url.query.get("host") or url.host)
    port = int(str(url.query.get("port") or url.port or 5432))
    return f"{host}/.s.PGSQL.{port}" if host.startswith("/") else (host, port)


needs_isolation = pytest.mark.skipif(not isolation().available, reason="no sandbox here")


@pytest.fixture(scope="module")
async def base(world: World) -> dict[str, Any]:
    return await make_base(world, "参数 max_connections 的最大支持值为 100。")


@pytest.fixture
async def model(world: World) -> AsyncIterator[ScriptedModel]:
    async with scripted_model() as server, connected(world, server.base_url):
        yield server


async def agent_with(world: World, base: dict[str, Any], **agent: Any) -> dict[str, Any]:
    body = {
        "name": world.new_name("agent"),
        "knowledge_base_ids": [base["id"]],
        "settings": {"answering": "agent", "agent": agent},
    }
    return ok(await world.editor.post("/api/v1/applications", json=body))


def calls(*made: tuple[str, dict[str, Any]]) -> Any:
    return says(
        Turn(
            calls=tuple(
                Call(name, orjson.dumps(arguments).decode(), id=f"c{n}")
                for n, (name, arguments) in enumerate(made)
            ),
            finish="tool_calls",
        )
    )


def results(model: ScriptedModel) -> list[Any]:
    return [
        message["content"] for message in model.requests[-1].body["messages"] if message["role"] == "tool"
    ]


def packed() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("count-lines/SKILL.md", SKILL)
        archive.writestr("count-lines/scripts/count.py", SCRIPT)
    return data.getvalue()


@needs_isolation
async def test_a_skill_is_named_first_read_on_demand_and_its_script_runs_in_the_sandbox(
    world: World, base: dict[str, Any], model: ScriptedModel
) -> None:
    added = ok(await world.editor.post("/api/v1/skills", content=packed()))
    assert added["files"] == ["SKILL.md", "scripts/count.py"]
    application = await agent_with(world, base, skills=["count-lines", "document-consistency-check"])
    model.then(
        calls(
            ("read_skill", {"name": "count-lines"}), ("read_skill", {"name": "document-consistency-check"})
        ),
        calls(("run_skill_script", {"name": "count-lines", "script": "scripts/count.py", "input": "a\nb"})),
        says("两行。"),
    )
    run = await answered(world.viewer, question="这段文字有几行？", application_id=application["id"])
    system = model.requests[0].body["messages"][0]["content"]
    assert "- count-lines: 统计行数 / count lines of a text." in system
    assert "scripts/count.py" not in system
    assert "1. Run `scripts/count.py`." in results(model)[0]
    assert "逐份检索" in results(model)[1]
    assert orjson.loads(results(model)[2])["stdout"] == "2 ---\n"
    assert run["answer"] == "两行。"
    refused = await world.editor.post("/api/v1/skills", content=b"no front matter")
    assert (refused.status_code, refused.json()["code"]) == (422, "skill-invalid")


@needs_isolation
async def test_files_are_edited_and_run_on_and_nothing_else_is_reached(
    world: World, base: dict[str, Any], model: ScriptedModel
) -> None:
    application = await agent_with(world, base, working_directory=True, ask_before=[])
    model.then(says("您好。"))
    first = await answered(world.viewer, question="你好", application_id=application["id"])
    conversation = first["conversation_id"]
    files = f"/api/v1/conversations/{conversation}/files"
    # Larger than any other request may be, within what a working directory holds.
    large = b"x" * (3 * 1024 * 1024)
    put = await world.viewer.put(f"{files}/content", params={"path": "large.bin"}, content=large)
    assert put.status_code == 204, put.text
    assert (await world.viewer.delete(f"{files}/content", params={"path": "large.bin"})).status_code == 204
    given = await world.viewer.put(
        f"{files}/content?path=data/sales.csv", content="地区,金额\n北,1\n南,2\n".encode()
    )
    assert given.status_code == 204
    assert (await world.editor.get(files)).status_code == 404, "files are the person's own"
    address = database_address(world)
    with socket.socket(socket.AF_UNIX if isinstance(address, str) else socket.AF_INET) as asked:
        asked.connect(address)  # from outside the sandbox it is reached
    script = "import csv\nprint(sum(int(r['金额']) for r in csv.DictReader(open('data/sales.csv'))))\n"
    model.then(
        calls(("edit_file", {"path": "data/sales.csv", "old": "南,2", "new": "南,41"})),
        calls(("write_file", {"path": "sum.py", "content": script})),
        calls(("run_command", {"command": "python3 sum.py > total.txt; cat total.txt"})),
        calls(("run_command", {"command": PRYING.replace("ADDRESS", repr(address))})),
        calls(("read_file", {"path": "../../etc/passwd"})),
        says("合计 42。"),
    )
    run = await answered(world.viewer, question="把南改为 41 再求和", conversation_id=conversation)
    assert run["answer"] == "合计 42。"
    told = [orjson.loads(text) for text in results(model)]
    assert "working directory" in told[-1]["error"]
    assert told[-2]["stdout"].splitlines() == [
        "passwd refused",
        "network refused",
        "database refused",
        "env []",
    ]
    summed = ok(await world.viewer.get(f"/api/v1/runs/{run['id']}"))
    ran = [
        call for stage in summed["stages"] for call in stage["detail"].get("calls", ()) if "result" in call
    ]
    assert orjson.loads(ran[2]["result"])["stdout"] == "42\n"
    listed = ok(await world.viewer.get(files))["items"]
    assert [one["path"] for one in listed] == ["data/sales.csv", "sum.py", "total.txt"]
    assert (await world.viewer.get(f"{files}/content?path=total.txt")).content == b"42\n"
    assert (await world.viewer.delete(f"/api/v1/conversations/{conversation}")).status_code == 204
    assert (await world.viewer.get(files)).status_code == 404
