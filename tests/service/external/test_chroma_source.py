"""Chroma itself, in a folder of the test. Needs the extra `chroma`."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from refdesk.kit.http import AddressRefused
from refdesk.kit.ids import new_id
from refdesk.retrieval.external import GuardedSource, SourceConfigInvalid, SourceContext, open_source
from refdesk.testing.embedder import HashingEmbedder
from refdesk.testing.source_conformance import SourceConformance, fill

pytest.importorskip("chromadb", reason="the extra `chroma` is not installed")


def context(**changes: bool) -> SourceContext:
    return SourceContext(timeout_s=30.0, embedder=HashingEmbedder(new_id(), 256), **changes)


@pytest.mark.filterwarnings("ignore")
class TestChromaSource(SourceConformance):
    @pytest.fixture
    async def source(self, tmp_path: Path) -> AsyncIterator[GuardedSource]:
        config = {"path": str(tmp_path), "collection": "papers"}
        opened = await open_source("chroma", config, None, context(allow_local=True))
        await fill(opened)
        yield opened
        await opened.close()


@pytest.mark.parametrize(
    "config", [{"path": "/tmp/x"}, {}, {"path": "/tmp/x", "url": "http://x"}, {"url": "x"}]
)
async def test_a_folder_cannot_be_named_from_outside(config: dict[str, str]) -> None:
    with pytest.raises(SourceConfigInvalid):
        await open_source("chroma", {"collection": "papers", **config}, None, context())


async def test_inner_addresses_are_refused() -> None:
    with pytest.raises(AddressRefused):
        await open_source("chroma", {"collection": "papers", "url": "http://127.0.0.1:8000"}, None, context())
