"""Workers die by kill -9 at every batch boundary and inside a batch: the index is as if nothing had happened.

Real worker processes on a real queue; see crashing_worker.py for the points at which they die.
"""

import json
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from refdesk.jobs import enqueue
from refdesk.testing.desk import Desk, make_desk, markdown

BATCHES = 5
PARAGRAPHS = 4 * BATCHES
KILLED = -signal.SIGKILL
POINTS = [
    "parsed",
    "saving",
    "saved",
    *(
        f"{kind}:{batch}"
        for batch in range(1, BATCHES + 1)
        for kind in ("embedding", "boundary", "writing", "commit")
    ),
    "finishing",
]


class Workers:
    """Starts workers and tells how they ended."""

    def __init__(self, process: subprocess.Popen[str], url: str) -> None:
        self._process = process
        self._url = url

    def run(self, *points: str | None, **order: Any) -> list[int]:
        """One worker a point, at once; None dies nowhere. Returns their exit codes."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        message = {"url": self._url, "points": points, **order}
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


@pytest.fixture(scope="module")
def workers(database_url: str) -> Iterator[Workers]:
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("crashing_worker.py"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "ready\n"
        yield Workers(process, database_url)
    finally:
        process.stdin.close()
        process.wait(10)
        process.stdout.close()


async def entries(desk: Desk, document_id: UUID) -> list[Any]:
    """All that the index holds of a document, but for the ids and what depends on when it was written."""
    return await desk.rows(
        "SELECT p.position, p.title, p.content, p.start, p.end_, e.kind, e.script, e.start_, e.end_,"
        " e.length, e.terms::text, e.embedding::text FROM index_entries e"
        " JOIN paragraphs p ON p.id = e.paragraph_id WHERE e.document_id = :id ORDER BY 1, 8",
        id=document_id,
    )


async def check_whole(
    desk: Desk, document_id: UUID, expected: list[Any], paragraphs: int = PARAGRAPHS
) -> None:
    document = await desk.view(document_id)
    assert (document.state, document.error) == ("ready", None)
    assert (document.progress_done, document.progress_total) == (paragraphs, paragraphs)
    assert await entries(desk, document_id) == expected
    for table in ("paragraphs", "indexed_paragraphs", "index_entries"):
        ((count,),) = await desk.rows(f"SELECT count(*) FROM {table} WHERE document_id = :id", id=document_id)
        assert count == paragraphs, table


async def statistics(desk: Desk) -> list[Any]:
    """Entries, length and frequency of each term, folded and not yet folded."""
    return await desk.rows(
        "SELECT term, sum(n) FROM (SELECT term, frequency n FROM term_frequencies WHERE workspace_id = :w"
        " UNION ALL SELECT t, c FROM lexical_deltas d, unnest(d.terms, d.counts) AS u(t, c)"
        " WHERE d.workspace_id = :w) x GROUP BY term HAVING sum(n) <> 0 ORDER BY term",
        w=desk.workspace_id,
    )


@pytest.mark.timeout(400)
async def test_a_worker_killed_at_any_point_leaves_no_trace_in_the_index(
    database: Any, workers: Workers
) -> None:
    desk = await make_desk(database)
    base = await desk.base()
    undisturbed = await desk.file(base.id, markdown(PARAGRAPHS))
    assert workers.run(None) == [0]
    expected = await entries(desk, undisturbed)
    await check_whole(desk, undisturbed, expected)
    once = await statistics(desk)
    for point in POINTS:
        document_id = await desk.file(base.id, markdown(PARAGRAPHS))
        assert workers.run(point) == [KILLED], point
        assert (await desk.view(document_id)).state in ("parsing", "splitting", "indexing"), point
        assert workers.run(None) == [0]
        await check_whole(desk, document_id, expected)
    total = len(POINTS) + 1
    assert await statistics(desk) == [(term, frequency * total) for term, frequency in once]


@pytest.mark.timeout(200)
async def test_a_worker_killed_while_a_file_is_replaced_leaves_the_old_version_or_the_new(
    database: Any, workers: Workers
) -> None:
    desk = await make_desk(database)
    base = await desk.base()
    newer = markdown(PARAGRAPHS).replace(b"Part 7 tells", b"Part 7 keeps silent about")
    undisturbed = await desk.file(base.id, newer)
    assert workers.run(None) == [0]
    expected = await entries(desk, undisturbed)
    for point in ("parsed", "saving", "saved", "embedding", "writing", "commit", "finishing"):
        document_id = await desk.file(base.id, markdown(PARAGRAPHS))
        assert workers.run(None) == [0]
        before = await entries(desk, document_id)
        await desk.replace(document_id, newer)
        assert workers.run(point) == [KILLED], point
        killed = await desk.view(document_id)
        if killed.version == 1:
            assert await entries(desk, document_id) == before, point
        assert workers.run(None) == [0]
        await check_whole(desk, document_id, expected)
        versions = await desk.rows(
            "SELECT number, snapshot IS NULL FROM document_versions WHERE document_id = :id ORDER BY 1",
            id=document_id,
        )
        assert versions == [(1, False), (2, True)], point
        past = await desk.rows(
            "SELECT count(*) FROM past_paragraphs p JOIN document_versions v ON v.id = p.version_id"
            " WHERE v.document_id = :id",
            id=document_id,
        )
        assert past == [(1,)], point


@pytest.mark.timeout(200)
async def test_a_document_whose_worker_dies_after_every_single_batch_is_finished_all_the_same(
    database: Any, workers: Workers
) -> None:
    desk = await make_desk(database)
    base = await desk.base()
    document_id = await desk.file(base.id, markdown(PARAGRAPHS))
    done = []
    for _ in range(BATCHES):
        assert workers.run("commit:1") == [KILLED]
        done.append((await desk.view(document_id)).progress_done)
    assert done == [4, 8, 12, 16, 20], "each life got one batch further"
    assert workers.run(None) == [0]
    await check_whole(desk, document_id, await entries(desk, document_id))


@pytest.mark.timeout(200)
async def test_kills_at_random_moments_leave_each_paragraph_indexed_once(
    database: Any, workers: Workers
) -> None:
    desk = await make_desk(database)
    base = await desk.base()
    expected_id = await desk.file(base.id, markdown(80))
    assert workers.run(None) == [0]
    expected = await entries(desk, expected_id)
    document_id = await desk.file(base.id, markdown(80))
    moments = random.Random(20261130)
    for _ in range(8):
        workers.run(None, kill_after_s=moments.uniform(0.2, 1.6), pause_s=0.05)
    assert workers.run(None) == [0]
    await check_whole(desk, document_id, expected, 80)


@pytest.mark.timeout(200)
async def test_two_workers_never_process_one_document_at_once(
    database: Any, workers: Workers, tmp_path: Path
) -> None:
    desk = await make_desk(database)
    base = await desk.base()
    documents = [await desk.file(base.id, markdown(12, f"words {number}")) for number in range(4)]
    async with desk.database.transaction() as session:
        for document_id in documents * 2:
            # Not `unique`: several jobs for one document, which only their lock keeps apart.
            await enqueue(
                session,
                "process-document",
                lock=f"document:{document_id}",
                workspace_id=str(desk.workspace_id),
                document_id=str(document_id),
            )
    log = tmp_path / "spans"
    assert workers.run(None, None, sole=False, pause_s=0.05, log=str(log)) == [0, 0]
    spans = [json.loads(line) for line in log.read_text().splitlines()]
    assert len(spans) == 3 * len(documents)
    assert len({pid for *_, pid in spans}) == 2, "both workers had a share"
    for document_id in documents:
        own = sorted((began, ended) for key, began, ended, _ in spans if key == str(document_id))
        assert all(first[1] <= second[0] for first, second in pairwise(own))
        await check_whole(desk, document_id, await entries(desk, document_id), 12)
