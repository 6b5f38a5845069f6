"""Milvus Lite, which a cluster's client opens in this process. Needs the extras `milvus`, `milvus-lite`."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from refdesk.kit.http import AddressRefused
from refdesk.kit.ids import new_id
from refdesk.retrieval.external import (
    GuardedSource,
    SourceBadAnswer,
    SourceConfigInvalid,
    SourceContext,
    SourceDocument,
    open_source,
)
from refdesk.testing.embedder import HashingEmbedder
from refdesk.testing.source_conformance import SourceConformance, fill

pytest.importorskip("milvus_lite", reason="the extra `milvus-lite` is not installed")


@pytest.fixture(autouse=True)
def servers_end() -> Iterator[None]:
    """Each file has a server with threads of its own, which would stay until this process ends."""
    yield
    from milvus_lite.server_manager import server_manager_instance

    server_manager_instance.release_all()


def context(**changes: bool) -> SourceContext:
    return SourceContext(timeout_s=30.0, embedder=HashingEmbedder(new_id(), 256), **changes)


@pytest.mark.filterwarnings("ignore")
class TestMilvusSource(SourceConformance):
    @pytest.fixture
    async def source(self, tmp_path: Path) -> AsyncIterator[GuardedSource]:
        config = {"uri": str(tmp_path / "papers.db"), "collection": "papers"}
        opened = await open_source("milvus", config, None, context(allow_local=True))
        await fill(opened)
        yield opened
        await opened.close()


async def test_a_file_cannot_be_named_from_outside() -> None:
    with pytest.raises(SourceConfigInvalid):
        await open_source("milvus", {"uri": "x.db", "collection": "papers"}, None, context())


async def test_inner_addresses_are_refused() -> None:
    with pytest.raises(AddressRefused):
        await open_source("milvus", {"uri": "http://127.0.0.1:19530", "collection": "p"}, None, context())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "document",
    [
        SourceDocument("名" * 200, "Title", "Text."),
        SourceDocument("long title", "题" * 700, "Text."),
        SourceDocument("long address", "Title", "Text.", url="https://example.org/" + "é" * 1_000),
    ],
    ids=lambda document: document.id[:12],
)
async def test_what_has_no_room_is_refused_and_never_cut(tmp_path: Path, document: SourceDocument) -> None:
    config = {"uri": str(tmp_path / "papers.db"), "collection": "papers"}
    source = await open_source("milvus", config, None, context(allow_local=True))
    with pytest.raises(SourceBadAnswer):
        await source.ingest(document)
    assert await source.search("text") == []
    await source.close()
