"""Indexing throughput: `python -m benchmarks.indexing_throughput [--instant MS] [--json]`.

The same paragraphs go first through the embedder alone, in the batches of the settings, then through the
whole job (read, prepare, embed, write, checkpoint). Target: the job keeps 80 % of the embedder's speed.
`--instant MS` takes an embedder that only waits that long a batch, which shows what the job itself costs.
"""

import argparse
import asyncio
import json
import random
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from refdesk import migrations
from refdesk.gateway import Embedder, Vectors
from refdesk.gateway.embedded import AsyncEmbeddedEmbedder, EmbeddedEmbedder
from refdesk.kit.database import Database
from refdesk.kit.embedded_postgres import EmbeddedPostgres
from refdesk.kit.ids import new_id
from refdesk.kit.settings import Settings
from refdesk.knowledge import Documents
from refdesk.knowledge.indexing import ParagraphText, prepare_entries
from refdesk.knowledge.schemas import NewDocument, NewParagraph
from refdesk.testing.desk import Desk, make_desk
from refdesk.testing.embedder import HashingEmbedder

TARGET = 0.8
TEXT = """harbour lantern gateway firmware invoice refund delivery warranty polling interval sensor cluster
backup certificate migration console signature timeout restart latency
退货运费 保修期限 部署指南 升级回滚 备份证书"""


class WaitingEmbedder(HashingEmbedder):
    """Waits as long as a model would compute."""

    wait_s = 0.0

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        await asyncio.sleep(self.wait_s * len(texts) / self.max_batch)
        return await asyncio.to_thread(self._embed, texts)


class EmbeddedAsHashing(HashingEmbedder):
    """The real embedded model in the stand-in's place."""

    def __init__(self, engine: AsyncEmbeddedEmbedder) -> None:
        super().__init__(new_id(), 384)
        self._engine = engine

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return await self._engine.embed_passages(texts)


def paragraphs(count: int) -> list[str]:
    source, words = random.Random(1), TEXT.split()
    return [" ".join(source.choice(words) for _ in range(60)) + f" ERR-{n:05d}." for n in range(count)]


async def alone(embedder: Embedder, contents: Sequence[str], batch_size: int) -> float:
    """Seconds that the embedder takes for the same texts in the same batches."""
    prepared = prepare_entries([ParagraphText(new_id(), new_id(), (), text, 1) for text in contents])
    texts = prepared.texts
    started = time.perf_counter()
    for begin in range(0, len(texts), batch_size):
        await embedder.embed_passages(texts[begin : begin + batch_size])
    return time.perf_counter() - started


async def through_the_job(desk: Desk, contents: Sequence[str]) -> float:
    """Seconds of the job `process-document` for a document of these paragraphs."""
    base = await desk.base()
    draft = NewDocument(name="bench", paragraphs=[NewParagraph(content=text) for text in contents])
    async with desk.database.transaction() as session:
        (document,) = (await Documents(session, desk.scope).create(base.id, [draft])).items
    started = time.perf_counter()
    done = await desk.process(document.id)
    took = time.perf_counter() - started
    if done.state != "ready" or done.progress_done != len(contents):
        raise SystemExit(f"not indexed: {done.state} {done.error}")
    return took


async def measure(url: str, embedder: HashingEmbedder, count: int, settings: Settings) -> dict[str, Any]:
    await migrations.upgrade(url)
    database = Database(url)
    desk = await make_desk(database, settings)
    # The desk's model row says 64 dimensions; the index is made with what the embedder says.
    desk.embedder = desk.gateway.instant = embedder
    embedder.model_id = (await desk.rows("SELECT id FROM models"))[0][0]
    contents = paragraphs(count)
    await alone(embedder, contents[:64], settings.index_batch_size)
    rounds = [
        (
            await alone(embedder, contents, settings.index_batch_size),
            await through_the_job(desk, contents),
        )
        for _ in range(3)
    ]
    await database.close()
    alone_s, job_s = sorted(rounds, key=lambda pair: pair[0] / pair[1])[1]
    share = alone_s / job_s
    return {
        "paragraphs": count,
        "embedder_alone_per_s": round(count / alone_s, 1),
        "job_per_s": round(count / job_s, 1),
        "share": round(share, 3),
        "target": TARGET,
        "met": share >= TARGET,
        "shares_of_rounds": [round(a / j, 3) for a, j in rounds],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--paragraphs", type=int, default=640)
    parser.add_argument("--instant", type=float, metavar="MS", help="Wait instead of computing.")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="refdesk-bench-"))
    server = EmbeddedPostgres(folder / "postgres", durable=True)
    settings = Settings(data_dir=folder)
    if options.instant is not None:
        embedder: HashingEmbedder = WaitingEmbedder(new_id(), 384)
        WaitingEmbedder.wait_s = options.instant / 1000
    else:
        embedder = EmbeddedAsHashing(AsyncEmbeddedEmbedder(EmbeddedEmbedder.from_settings(settings)))
    try:
        result = asyncio.run(measure(server.start(), embedder, options.paragraphs, settings))
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
    print(json.dumps(result) if options.json else json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
