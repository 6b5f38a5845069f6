"""Measures how long a question waits: `python -m benchmarks.first_event [--questions N] [--json]`.

One question at a time over HTTP to a server whose model answers at once, from sending the question to the
first event of its stream and to the first word of the answer, search and model call included, the query's
embedding not. Target: first event within 100 ms.
"""

import argparse
import asyncio
import json
import time

from benchmarks.streaming_desk import RunningDesk, database_of_environment, running_desk

from refdesk.evaluation import percentile
from refdesk.kit.sse import read_events

TARGET_MS = 100.0


async def measure(questions: int) -> dict[str, float]:
    async with running_desk(database_of_environment(), deltas=1, interval_s=0.0) as desk:
        timed = [await _ask(desk) for _ in range(questions + 5)][5:]
    first = [one[0] for one in timed]
    word = [one[1] for one in timed]
    return {
        "questions": questions,
        "first_event_p50_ms": round(percentile(first, 0.5), 1),
        "first_event_p95_ms": round(percentile(first, 0.95), 1),
        "first_word_p50_ms": round(percentile(word, 0.5), 1),
        "first_word_p95_ms": round(percentile(word, 0.95), 1),
        "target_first_event_ms": TARGET_MS,
    }


async def _ask(desk: RunningDesk) -> tuple[float, float]:
    """Milliseconds from the question to its first event and to its first word."""
    first = word = 0.0
    async with desk.client() as client:
        await client.get("/healthz")  # the connection is there already, as a page's is
        begun = time.perf_counter()
        run = (await client.post("/api/v1/runs", json=desk.question())).json()
        async with client.stream("GET", f"/api/v1/runs/{run['id']}/events") as response:
            async for event in read_events(response.aiter_lines()):
                elapsed = (time.perf_counter() - begun) * 1000
                first = first or elapsed
                if event.name == "delta":
                    word = word or elapsed
    return first, word


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--questions", type=int, default=60)
    arguments.add_argument("--json", action="store_true")
    given = arguments.parse_args()
    result = asyncio.run(measure(given.questions))
    print(json.dumps(result) if given.json else "\n".join(f"{k}: {v}" for k, v in result.items()))


if __name__ == "__main__":
    main()
