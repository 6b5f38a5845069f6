"""Measures retrieval on judged test sets in the three modes, with the embedded model.

    python -m benchmarks.retrieval_quality FOLDER [FOLDER …] [--vectors FILE] [--sample N]

FOLDER holds `corpus.jsonl`, `queries.jsonl` and `qrels.tsv`. Everything runs through the code of
`refdesk eval retrieval`. `--vectors` keeps vectors between runs. Targets: blend is nowhere below the better
leg by more than 0.005 nDCG@10, and above both on average. Prints JSON.
"""

import argparse
import asyncio
import json
from pathlib import Path
from typing import Any

from benchmarks.own_database import own_database
from benchmarks.vector_cache import CachingGateway, VectorCache

from refdesk import migrations
from refdesk.evaluation import evaluate_retrieval, load_retrieval_set, percentile
from refdesk.kit.database import Database
from refdesk.kit.master_keys import load_cipher
from refdesk.kit.settings import Settings

MODES = ("embedding", "keywords", "blend")
TOLERANCE = 0.005


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    arguments.add_argument("--database-url", help="its role may create databases; empty: embedded")
    arguments.add_argument("--vectors", type=Path, help="SQLite file that keeps vectors between runs")
    arguments.add_argument(
        "--data-dir", type=Path, help="where the converted model is kept; empty: temporary"
    )
    arguments.add_argument("--sample", type=int, help="queries a set; all by default")
    given = arguments.parse_args()
    with own_database(given.database_url, given.data_dir) as (settings, own):
        report = asyncio.run(measure(settings, own, given.folders, given.vectors, given.sample))
    print(json.dumps(report, indent=2))


async def measure(
    settings: Settings, url: str, folders: list[Path], vectors: Path | None, sample: int | None
) -> dict[str, Any]:
    await migrations.upgrade(url)
    database = Database(url, pool_size=4, application_name="refdesk-bench")
    gateway = CachingGateway(settings, database, load_cipher(settings))
    gateway.cache = VectorCache(vectors) if vectors else None
    sets: dict[str, dict[str, Any]] = {}
    try:
        for folder in folders:
            judged = load_retrieval_set(
                folder / "corpus.jsonl", folder / "queries.jsonl", folder / "qrels.tsv", sample=sample
            )
            results = await evaluate_retrieval(database, gateway, settings, judged, MODES)
            figures: dict[str, Any] = {
                result.mode: {
                    **result.summary(),
                    "search_ms_without_embedding": {
                        "p50": round(percentile(result.search_latencies_ms, 0.5), 2),
                        "p95": round(percentile(result.search_latencies_ms, 0.95), 2),
                    },
                }
                for result in results
            }
            dense, words, both = (result.ndcg_at_10 for result in results)
            sets[folder.name] = {
                "passages": len(judged.passages),
                "queries": len(judged.queries),
                **figures,
                "blend_minus_better_leg": round(both - max(dense, words), 4),
            }
    finally:
        await gateway.close()
        await database.close()
    means = {
        mode: round(sum(entry[mode]["ndcg@10"] for entry in sets.values()) / len(sets), 4) for mode in MODES
    }
    return {
        "sets": sets,
        "mean_ndcg@10": means,
        "passed": {
            "nowhere_below_the_better_leg": all(
                entry["blend_minus_better_leg"] >= -TOLERANCE for entry in sets.values()
            ),
            "above_both_on_average": means["blend"] > max(means["embedding"], means["keywords"]),
        },
    }


if __name__ == "__main__":
    main()
