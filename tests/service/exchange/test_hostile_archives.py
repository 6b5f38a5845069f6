"""Archives from strangers: whatever is wrong with them, they are refused as a whole and with a reason."""

import io
import json
import zipfile
from collections.abc import Callable

import numpy as np
import pytest
from tests.service.exchange.conftest import MAX_BYTES, archive_of, members, packed, records

from refdesk.kit.errors import AppError
from refdesk.knowledge.exchange.checking import check
from refdesk.testing.desk import Desk, markdown

type Parts = dict[str, bytes]


@pytest.fixture
async def parts(desk: Desk) -> Parts:
    base = await desk.base()
    await desk.process(await desk.file(base.id, markdown(3)))
    return members(await archive_of(desk, base.id))


def changed(parts: Parts, name: str, change: Callable[[dict[str, object]], object], line: int = 0) -> Parts:
    lines = records(parts[name])
    change(lines[line])
    return parts | {name: b"".join(json.dumps(item).encode() + b"\n" for item in lines)}


def without(parts: Parts, *names: str) -> Parts:
    return {name: data for name, data in parts.items() if name not in names}


def npy(array: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def refusal(data: bytes, max_bytes: int = MAX_BYTES) -> str:
    with pytest.raises(AppError) as refused:
        check(io.BytesIO(data), max_bytes)
    return refused.value.code


def test_a_good_archive_passes(parts: Parts) -> None:
    contents = check(io.BytesIO(packed(parts)), MAX_BYTES)
    assert (contents.documents, contents.paragraphs, contents.entries, contents.files) == (1, 3, 3, 1)


@pytest.mark.parametrize(
    "data", [b"", b"no archive", b"PK\x03\x04" + b"\0" * 100, b"PK\x05\x06" + b"\0" * 18]
)
def test_what_is_no_archive_is_refused(data: bytes) -> None:
    assert refusal(data) == "archive-invalid"


@pytest.mark.parametrize(
    "name", ["manifest.json", "documents.jsonl", "paragraphs.jsonl", "questions.jsonl", "vectors.npy"]
)
def test_missing_members_are_refused(parts: Parts, name: str) -> None:
    assert refusal(packed(without(parts, name))) == "archive-invalid"


@pytest.mark.parametrize(
    "name", ["../evil", "/etc/passwd", "files/../../x", "files/" + "0" * 63, "extra.txt", "C:\\x"]
)
def test_members_that_do_not_belong_are_refused(parts: Parts, name: str) -> None:
    assert refusal(packed(parts | {name: b"x"})) == "archive-invalid"


def test_a_member_that_is_there_twice_is_refused(parts: Parts) -> None:
    buffer = io.BytesIO(packed(parts))
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr("documents.jsonl", b"")
    assert refusal(buffer.getvalue()) == "archive-invalid"


@pytest.mark.parametrize("version", [0, 2, 99, "1", None])
def test_other_versions_are_told_apart_from_damage(parts: Parts, version: object) -> None:
    other = changed(parts, "manifest.json", lambda manifest: manifest.update(version=version))
    assert refusal(packed(other)) == "archive-version-unknown"


def test_damage_is_found_wherever_it_is(parts: Parts) -> None:
    data = bytearray(packed(parts))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        infos = [info for info in archive.infolist() if info.compress_size > 50]
    for info in infos:
        hurt = bytearray(data)
        hurt[info.header_offset + 30 + len(info.filename) + info.compress_size // 2] ^= 0xFF
        assert refusal(bytes(hurt)) == "archive-invalid", info.filename
    assert refusal(bytes(data[: len(data) // 2])) == "archive-invalid"


def test_bombs_are_refused_by_their_claims_and_by_what_they_are(parts: Parts) -> None:
    bomb = packed(parts | {"paragraphs.jsonl": b" " * 50_000_000})
    assert len(bomb) < 200_000
    assert refusal(bomb, 10_000_000) == "archive-too-large"
    assert refusal(bomb) == "archive-invalid", "one line that is too long"
    lying = bytearray(bomb)
    at = lying.rfind(b"PK\x01\x02", 0, lying.rfind(b"paragraphs.jsonl"))
    lying[at + 24 : at + 28] = (1000).to_bytes(4, "little")
    assert refusal(bytes(lying), 10_000_000) == "archive-invalid"


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("paragraphs.jsonl", lambda line: line.update(d=7)),
        ("paragraphs.jsonl", lambda line: line.update(d=-1)),
        ("paragraphs.jsonl", lambda line: line.update(questions=[5])),
        ("paragraphs.jsonl", lambda line: line.update(content=None)),
        ("paragraphs.jsonl", lambda line: line.update(workspace_id="00000000-0000-0000-0000-000000000001")),
        ("paragraphs.jsonl", lambda line: line.update(id="00000000-0000-0000-0000-000000000001")),
        ("paragraphs.jsonl", lambda line: line.update(boxes=[[1, 2]])),
        ("paragraphs.jsonl", lambda line: line.update(revision=2**40)),
        ("documents.jsonl", lambda line: line.update(file="0" * 64)),
        ("documents.jsonl", lambda line: line.update(state="draft")),
        ("documents.jsonl", lambda line: line.update(name="")),
        ("documents.jsonl", lambda line: line.update(split_settings={"limit": 1})),
        ("documents.jsonl", lambda line: line.update(warnings=[{"x": 1}])),
        ("documents.jsonl", lambda line: line.update(direct_return_similarity=7)),
        ("entries.jsonl", lambda line: line.update(p=3)),
        ("entries.jsonl", lambda line: line.update(d=1)),
        ("entries.jsonl", lambda line: line.update(q=0)),
        ("manifest.json", lambda line: line.update(embedder=None)),
        ("manifest.json", lambda line: line["embedder"].update(dimensions=32)),
        ("manifest.json", lambda line: line["base"].update(name="")),
        ("manifest.json", lambda line: line.update(format="other")),
    ],
)
def test_lines_that_do_not_fit_are_refused(
    parts: Parts, name: str, change: Callable[[dict[str, object]], object]
) -> None:
    assert refusal(packed(changed(parts, name, change))) == "archive-invalid"


@pytest.mark.parametrize(
    "vectors",
    [
        np.ones((2, 64), "<f2"),
        np.ones((4, 64), "<f2"),
        np.ones((3, 64), "<f4"),
        np.zeros((3, 64), "<f2"),
        np.full((3, 64), np.nan, "<f2"),
        np.full((3, 64), np.inf, "<f2"),
        np.asfortranarray(np.ones((3, 64), "<f2")),
    ],
    ids=["few", "many", "type", "zero", "nan", "infinite", "order"],
)
def test_vectors_that_are_none_are_refused(parts: Parts, vectors: np.ndarray) -> None:
    assert refusal(packed(parts | {"vectors.npy": npy(vectors)})) == "archive-invalid"


def test_pickled_vectors_are_never_loaded(parts: Parts) -> None:
    buffer = io.BytesIO()
    np.save(buffer, np.array([{"a": 1}] * 3, dtype=object), allow_pickle=True)
    assert refusal(packed(parts | {"vectors.npy": buffer.getvalue()})) == "archive-invalid"


def test_a_file_that_is_not_what_its_name_says_is_refused(parts: Parts) -> None:
    name = next(name for name in parts if name.startswith("files/"))
    assert refusal(packed(parts | {name: parts[name] + b"!"})) == "archive-invalid"


def test_lines_that_are_no_json_are_named(parts: Parts) -> None:
    with pytest.raises(AppError) as refused:
        check(io.BytesIO(packed(parts | {"documents.jsonl": b"{}\n"})), MAX_BYTES)
    assert refused.value.details["member"] == "documents.jsonl"
    assert refused.value.details["line"] == 1
    assert refusal(packed(parts | {"documents.jsonl": b"[" * 100_000})) == "archive-invalid"
