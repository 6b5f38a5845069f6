"""Split settings of an archive are checked like those of people: bad ones give way to the base's."""

import json
from typing import Any

import pytest
from tests.service.exchange.conftest import archive_of, members, packed, records, take_in

from refdesk.kit.clock import now
from refdesk.kit.ids import new_id
from refdesk.knowledge.exchange import split_guard
from refdesk.knowledge.schemas import SplitOptions
from refdesk.knowledge.tables import Source
from refdesk.testing.desk import Desk, markdown

type Parts = dict[str, bytes]
_SLOW, _BROKEN, _GOOD = r"^(a|aa)+$", "(", "^Part .*$"


@pytest.fixture
async def parts(desk: Desk) -> Parts:
    """An export of three documents and a web site."""
    base = await desk.base()
    for number in range(3):
        await desk.process(await desk.file(base.id, markdown(number + 1), f"{number}.md"))
    async with desk.database.transaction() as session:
        common = {"workspace_id": desk.workspace_id, "knowledge_base_id": base.id, "last_run_at": now()}
        config = {"url": "https://example.org/docs/"}
        session.add(Source(id=new_id(), kind="website", name="Manual", config=config, **common))
    return members(await archive_of(desk, base.id))


def with_patterns(parts: Parts, name: str, *patterns: str) -> Parts:
    """The archive with one pattern a line of this member."""
    lines = records(parts[name])
    for line, pattern in zip(lines, patterns, strict=True):
        line["split_settings"] = {"patterns": [pattern]}
    return parts | {name: b"".join(json.dumps(line).encode() + b"\n" for line in lines)}


async def _documents(desk: Desk, base_id: object) -> dict[str, Any]:
    rows = await desk.rows(
        "SELECT name, split_settings, warnings, state FROM documents WHERE knowledge_base_id = :id",
        id=base_id,
    )
    return {row[0]: row for row in rows}


async def test_patterns_that_cannot_be_used_give_way_to_the_settings_of_the_base(
    desk: Desk, parts: Parts
) -> None:
    manifest = json.loads(parts["manifest.json"])
    manifest["base"]["settings"] = {"split": {"limit": 700}}
    parts = with_patterns(parts, "documents.jsonl", _SLOW, _BROKEN, _GOOD)
    parts |= {"manifest.json": json.dumps(manifest).encode()}
    view = await take_in(desk, packed(parts))
    assert (view.state, view.error) == ("finished", None)
    found = await _documents(desk, view.knowledge_base_id)
    assert {name: row.split_settings for name, row in found.items()} == {
        "0.md": {"limit": 700},
        "1.md": {"limit": 700},
        "2.md": {"patterns": [_GOOD]},
    }
    told = {name: [(w["code"], w["details"]["cause"]) for w in row.warnings] for name, row in found.items()}
    assert told == {
        "0.md": [("split-settings-refused", "pattern-too-slow")],
        "1.md": [("split-settings-refused", "pattern-invalid")],
        "2.md": [],
    }
    assert {row.state for row in found.values()} == {"ready"}


async def test_a_document_that_is_read_only_after_the_import_says_so_too(desk: Desk) -> None:
    base = await desk.base()
    await desk.file(base.id, markdown(2))
    parts = members(await archive_of(desk, base.id))
    view = await take_in(desk, packed(with_patterns(parts, "documents.jsonl", _SLOW)))
    (document,) = (await _documents(desk, view.knowledge_base_id)).values()
    assert document.state == "ready"
    assert [warning["code"] for warning in document.warnings] == ["split-settings-refused"]
    assert document.split_settings == {}


async def test_patterns_of_versions_and_sources_are_checked_too(desk: Desk, parts: Parts) -> None:
    parts = with_patterns(parts, "sources.jsonl", _SLOW)
    parts = with_patterns(parts, "versions.jsonl", *[_SLOW] * len(records(parts["versions.jsonl"])))
    view = await take_in(desk, packed(parts))
    rows = await desk.rows(
        "SELECT config FROM sources WHERE knowledge_base_id = :id", id=view.knowledge_base_id
    )
    assert [row.config.get("split_settings") for row in rows] == [None]
    kept = await desk.rows(
        "SELECT v.split_settings FROM document_versions v JOIN documents d ON d.id = v.document_id"
        " WHERE d.knowledge_base_id = :id",
        id=view.knowledge_base_id,
    )
    assert kept
    assert not any(row.split_settings.get("patterns") for row in kept)


async def test_an_archive_cannot_have_patterns_tried_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried: list[list[str]] = []

    async def counted(options: SplitOptions) -> None:
        tried.append(options.patterns)

    monkeypatch.setattr(split_guard, "require_usable", counted)
    guard = split_guard.SplitGuard(SplitOptions())
    causes = [await guard.refusal(SplitOptions(patterns=[f"^P{number}$"])) for number in range(150)]
    assert len(tried) == split_guard.MOST_SETS
    assert causes.count(None) == split_guard.MOST_SETS
    assert await guard.refusal(SplitOptions(patterns=["^P0$"])) is None
