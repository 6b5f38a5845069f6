"""Measures answers and refusals of whole runs, asked of documents that hold the answer and that do not.

    python -m benchmarks.answers [--rgb FOLDER] [--reading FOLDER] [--turns FOLDER] [--sample N]
        [--model BASE_URL MODEL_NAME] [--vectors FILE] [--data-dir FOLDER]

`--rgb` takes a set with `cases.jsonl` (positive and negative passages a question, as RGB has them): each
question sees five passages, of which a share of noise does not answer; at 1.0 none does and the right answer
is a refusal. `--reading` takes a set whose queries say `unanswerable_in_passage`: each question sees its own
passage. `--turns` takes a set with `history` and `answerability`: the last question of a conversation, over
all passages. An answer counts as right where it holds one of the given answers letter for letter (spaces,
case and width aside), for `--turns` where it cites a relevant passage. Without `--model` the answers are
quotations; with it they come from that OpenAI-compatible model. Every question is a run as any other. Prints
JSON.
"""

import argparse
import asyncio
import json
import logging
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from uuid import UUID

import structlog
from benchmarks.own_database import own_database
from benchmarks.vector_cache import CachingGateway, VectorCache
from sqlalchemy import select

from refdesk import migrations
from refdesk.accounts import Scope
from refdesk.apps import StoredProfiles
from refdesk.chat import RunManager, RunSubmission, Turn
from refdesk.evaluation import load_retrieval_set
from refdesk.evaluation.temporary_base import TemporaryBase, temporary_base
from refdesk.gateway.tables import Model
from refdesk.kit.database import Database
from refdesk.kit.ids import new_id
from refdesk.kit.master_keys import load_cipher
from refdesk.kit.settings import Settings
from refdesk.knowledge import Paragraph
from refdesk.retrieval import Retriever, SearchRequest, SearchResult

NOISE = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
PASSAGES = 5
REFUSED = ("本地知识库中未找到相关内容", "Nothing relevant was found in the knowledge base")


class Narrowed(Retriever):
    """A retriever that sees only the documents of the question at hand; None: all."""

    documents: Sequence[UUID] | None = None

    async def search(self, scope: Scope, request: SearchRequest) -> SearchResult:
        return await super().search(scope, replace(request, document_ids=self.documents))


@dataclass
class Tally:
    """What became of a group of questions."""

    questions: int = 0
    right: int = 0
    refused: int = 0
    failed: int = 0
    judged: bool = True
    seconds: list[float] = field(default_factory=list[float])

    def report(self) -> dict[str, Any]:
        n = max(self.questions, 1)
        shares = {"questions": self.questions, "refused": round(self.refused / n, 3)}
        if self.judged:
            shares |= {"right": round(self.right / n, 3)}
            answered = self.questions - self.refused - self.failed
            shares |= {"right_of_answered": round(self.right / answered, 3) if answered else None}
        return shares | ({"failed": self.failed} if self.failed else {})


@dataclass
class Desk:
    """Runs over one base, one question at a time."""

    runs: RunManager
    retriever: Narrowed
    base: TemporaryBase
    documents: dict[str, UUID]

    async def ask(
        self, tally: Tally, question: str, passages: Sequence[str] | None, *, history: Sequence[Turn] = ()
    ) -> dict[str, Any]:
        """The finished run; counted in `tally` but for whether it is right."""
        self.retriever.documents = None if passages is None else [self.documents[one] for one in passages]
        submission = RunSubmission(
            question=question, knowledge_base_ids=(self.base.knowledge_base_id,), history=tuple(history)
        )
        started = asyncio.get_running_loop().time()
        run = await self.runs.submit(self.base.scope, submission)
        last: dict[str, Any] = {}
        async for event in self.runs.follow(self.base.scope, run.id):
            if event.name == "run.finished":
                last = event.json()["run"]
        tally.questions += 1
        tally.seconds.append(asyncio.get_running_loop().time() - started)
        tally.failed += last["state"] != "finished"
        tally.refused += last["answer"].lstrip().startswith(REFUSED)
        return last


def plain(text: str) -> str:
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", text)).lower()


def holds(answer: str, wanted: Sequence[str]) -> bool:
    found = plain(answer)
    return any(plain(one) in found for one in wanted if plain(one))


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


async def noise(desk: Desk, folder: Path, sample: int | None) -> dict[str, Any]:
    """Questions with enough of both kinds of passages, at every share of noise."""
    queries = {one["id"]: one for one in lines(folder / "queries.jsonl")}
    cases = [
        case
        for case in lines(folder / "cases.jsonl")
        if min(len(case["positive"]), len(case["negative"])) >= PASSAGES
    ][:sample]
    found: dict[str, Any] = {}
    for share in NOISE:
        tally = Tally(judged=share < 1)
        for case in cases:
            bad = round(PASSAGES * share)
            passages = case["positive"][: PASSAGES - bad] + case["negative"][:bad]
            query = queries[case["query_id"]]
            run = await desk.ask(tally, query["text"], passages)
            tally.right += holds(run["answer"], query["answers"])
        found[f"noise {share}"] = tally.report()
    return found


async def reading(desk: Desk, folder: Path, sample: int | None) -> dict[str, Any]:
    """Each question of its own passage."""
    own = dict(line.split("\t")[:2] for line in (folder / "qrels.tsv").read_text().splitlines()[1:])
    groups = {False: Tally(), True: Tally(judged=False)}
    for query in lines(folder / "queries.jsonl")[:sample]:
        tally = groups[query["unanswerable_in_passage"]]
        run = await desk.ask(tally, query["text"], [own[query["id"]]])
        tally.right += holds(run["answer"], query["answers"])
    return {"answerable": groups[False].report(), "unanswerable": groups[True].report()}


async def turns(desk: Desk, folder: Path, sample: int | None) -> dict[str, Any]:
    """The last question of a conversation over all passages, by how far it can be answered."""
    relevant: dict[str, set[str]] = {}
    for line in (folder / "qrels.tsv").read_text().splitlines()[1:]:
        query_id, passage, _ = line.split("\t")
        relevant.setdefault(query_id, set()).add(passage)
    groups: dict[str, Tally] = {}
    for query in lines(folder / "queries.jsonl")[:sample]:
        kind = query["answerability"][0].lower()
        tally = groups.setdefault(kind, Tally(judged=kind in ("answerable", "partial")))
        said = [one["text"] for one in query["history"]]
        history = [Turn(asked, told) for asked, told in zip(said[::2], said[1::2], strict=False)]
        run = await desk.ask(tally, query["text"], None, history=history)
        cited = {desk.base.passages.get(UUID(one["paragraph_id"])) for one in run["citations"]}
        tally.right += bool(cited & relevant.get(query["id"], set()))
    return {kind: tally.report() for kind, tally in groups.items()}


KINDS = {"rgb": noise, "reading": reading, "turns": turns}


async def measure(given: argparse.Namespace, settings: Settings, url: str) -> dict[str, Any]:
    await migrations.upgrade(url)
    database = Database(url, pool_size=8, application_name="refdesk-bench")
    gateway = CachingGateway(settings, database, load_cipher(settings))
    gateway.cache = VectorCache(given.vectors) if given.vectors else None
    retriever = Narrowed(database, gateway, settings)
    runs = RunManager(database, gateway, retriever, settings, StoredProfiles())
    await gateway.start()
    await runs.start()
    report: dict[str, Any] = {"model": given.model[1] if given.model else "quotations"}
    try:
        for kind, ask in KINDS.items():
            folder: Path | None = getattr(given, kind)
            if folder is None:
                continue
            judged = load_retrieval_set(
                folder / "corpus.jsonl", folder / "queries.jsonl", folder / "qrels.tsv", sample=None
            )
            async with temporary_base(database, gateway, settings, judged.passages) as base:
                if given.model:
                    await _connect(database, base.scope, *given.model)
                desk = Desk(runs, retriever, base, await _documents(database, base))
                report[folder.name] = await ask(desk, folder, given.sample)
    finally:
        await runs.stop()
        await gateway.close()
        await database.close()
    return report


async def _documents(database: Database, base: TemporaryBase) -> dict[str, UUID]:
    async with database.transaction() as session:
        rows = await session.execute(
            select(Paragraph.id, Paragraph.document_id).where(Paragraph.id.in_(list(base.passages)))
        )
        return {base.passages[paragraph_id]: document_id for paragraph_id, document_id in rows}


async def _connect(database: Database, scope: Scope, base_url: str, model_name: str) -> None:
    async with database.transaction() as session:
        session.add(
            Model(
                id=new_id(),
                workspace_id=scope.workspace_id,
                kind="LLM",
                provider="openai-compatible",
                name=model_name,
                model_name=model_name,
                base_url=base_url,
                parameters={"timeout_s": 300},
                is_default=True,
            )
        )


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    for kind in KINDS:
        arguments.add_argument(f"--{kind}", type=Path, metavar="FOLDER")
    arguments.add_argument("--model", nargs=2, metavar=("BASE_URL", "MODEL_NAME"))
    arguments.add_argument("--sample", type=int, help="questions a set; all by default")
    arguments.add_argument("--vectors", type=Path, help="SQLite file that keeps vectors between runs")
    arguments.add_argument("--data-dir", type=Path, help="where the converted model is kept")
    given = arguments.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    with own_database(None, given.data_dir) as (settings, own):
        settings = settings.model_copy(update={"allow_private_endpoints": True})
        report = asyncio.run(measure(given, settings, own))
    print(json.dumps(report, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
