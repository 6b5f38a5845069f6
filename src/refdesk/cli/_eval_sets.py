"""Test sets on the command line: list, take in, write out, run. They speak HTTP, unlike `eval retrieval`."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from refdesk.cli._client import Client, InvalidArgument, RequestFailed, answer
from refdesk.cli._commands import Result, add_command, find
from refdesk.cli._console import note
from refdesk.kit.sse import read_events

SETS = "/api/v1/test-sets"
SetArgument = Annotated[str, typer.Argument(metavar="SET", help="Name or id of the test set.")]
Mode = Literal["embedding", "keywords", "blend"]
_FIGURES = (
    ("hit@5", "hit_at_5"),
    ("MRR@10", "mrr_at_10"),
    ("nDCG@10", "ndcg_at_10"),
    ("found when there", "found_when_there"),
    ("refused when not", "refused_when_not"),
)
_WRONG = ("elsewhere", "missed", "answered", "failed")


def add_commands(group: typer.Typer) -> None:
    """Add the commands to the group `eval`."""
    add_command(group, "sets", sets)
    add_command(group, "import", import_questions)
    add_command(group, "export", export)
    add_command(group, "run", run)


async def sets(client: Client) -> Result:
    """List the test sets of the workspace."""
    items = await client.all(SETS)
    return Result(items, [_set_line(item) for item in items] or ["No test sets yet."])


async def import_questions(
    client: Client,
    name: SetArgument,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="CSV or JSONL: question, documents, nothing.")],
    kb: Annotated[
        list[str] | None, typer.Option("--kb", help="Knowledge base of a new set; repeatable.")
    ] = None,
) -> Result:
    """Add a file's questions to a test set; with --kb to a new one."""
    kind = file.suffix.lower().removeprefix(".")
    if kind not in ("csv", "jsonl"):
        raise InvalidArgument("The file must end in .csv or .jsonl.")
    try:
        data = file.read_bytes()
    except OSError as error:
        raise InvalidArgument(f"The file cannot be read: {error.strerror}.") from error
    content = _text_of(data)
    if kb:
        bases = [await find(client, "/api/v1/knowledge-bases", one, what="knowledge base") for one in kb]
        body = {"name": name, "knowledge_base_ids": [base["id"] for base in bases]}
        test_set = await client.post(SETS, body)
    else:
        test_set = await find(client, SETS, name, what="test set")
    body = {"format": kind, "content": content}
    added = await client.post(f"{SETS}/{test_set['id']}/import", body)
    lines = [f"Added {added['added']} questions to {test_set['name']}."]
    lines += [f"No document {', '.join(one['names'])}: {one['question']}" for one in added["unknown"]]
    return Result(added | {"test_set_id": test_set["id"]}, lines)


async def export(
    client: Client,
    name: SetArgument,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to: .csv or .jsonl.")],
) -> Result:
    """Write a test set's questions to a file."""
    kind = file.suffix.lower().removeprefix(".")
    if kind not in ("csv", "jsonl"):
        raise InvalidArgument("The file must end in .csv or .jsonl.")
    test_set = await find(client, SETS, name, what="test set")
    file.write_bytes(await client.download(f"{SETS}/{test_set['id']}/export?format={kind}"))
    return Result({"path": str(file)}, [f"Wrote {test_set['question_count']} questions to {file}."])


async def run(
    client: Client,
    name: SetArgument,
    mode: Annotated[Mode, typer.Option(help="embedding, keywords or blend.")] = "blend",
    top_n: Annotated[int, typer.Option("--top-n", min=1, max=100, help="Most hits.")] = 5,
    similarity: Annotated[float, typer.Option(min=0, max=1, help="Least similarity of a hit.")] = 0.45,
    drop: Annotated[
        float | None, typer.Option(min=0.001, max=1, help="Leave out what is so much below the best.")
    ] = None,
    strategy: Annotated[str, typer.Option(help="Name of the strategy, or auto.")] = "hybrid-search",
    least_hit: Annotated[
        float | None, typer.Option("--least-hit", min=0, max=1, help="End with 1 if hit@5 is below this.")
    ] = None,
) -> Result:
    """Run a test set and print its figures and the questions that went wrong."""
    test_set = await find(client, SETS, name, what="test set")
    body = {"mode": mode, "top_n": top_n, "similarity": similarity, "drop": drop, "strategy": strategy}
    results: list[dict[str, Any]] = []
    totals: dict[str, Any] | None = None
    async with client.http.stream("POST", f"{SETS}/{test_set['id']}/run", json=body) as response:
        if not response.is_success:
            await response.aread()
            answer(response)
        async for event in read_events(response.aiter_lines()):
            if event.name == "problem":
                raise RequestFailed.from_answer(response.status_code, event.json())
            if event.name == "totals":
                totals = event.json()
            elif event.name == "result":
                results.append(event.json())
                if not client.as_json and len(results) % 25 == 0:
                    note(f"{len(results)} of {test_set['question_count']}")
    if totals is None:
        raise RequestFailed("The run ended before all questions were asked.")
    lines = [_result_line(one) for one in results if one["outcome"] in _WRONG]
    lines += [f"{label:<18} {_figure(totals[key])}" for label, key in _FIGURES]
    lines.append(
        f"{totals['questions']} questions: {totals['answerable']} with an answer, {totals['unanswerable']}"
        f" without, {totals['unjudged']} not judged, {totals['failed']} failed"
    )
    if totals["incomplete"]:
        lines.append(f"{totals['incomplete']} judged without what is gone or hidden of their expectation")
    reached = totals["hit_at_5"] is not None and totals["hit_at_5"] >= (least_hit or 0.0)
    failed = least_hit is not None and not reached
    return Result({"totals": totals, "results": results}, lines, exit_code=1 if failed else 0)


def _text_of(data: bytes) -> str:
    """UTF-8, or what spreadsheets in China write."""
    for encoding in ("utf-8-sig", "gb18030"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise InvalidArgument("The file is neither in UTF-8 nor in GB18030.")


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _result_line(one: dict[str, Any]) -> str:
    what = {
        "elsewhere": "found other documents",
        "missed": "found nothing",
        "answered": "found something, and should not",
        "failed": f"failed: {one['error']}",
    }[one["outcome"]]
    return f"{one['question'][:80]}  {what} (best {one['best']:.2f})"


def _set_line(test_set: dict[str, Any]) -> str:
    bases = ", ".join(base["name"] for base in test_set["knowledge_bases"]) or "no knowledge base"
    line = f"{test_set['name']}  {test_set['question_count']} questions to {bases}"
    last = test_set["last_run"]
    if last is None:
        return line
    return f"{line}, hit@5 {_figure(last['totals']['hit_at_5'])} on {last['created_at'][:10]}"
