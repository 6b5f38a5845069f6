"""Comparisons on the command line: a test set asked of several modes and settings, as a table."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from refdesk.cli._client import Client, InvalidArgument
from refdesk.cli._commands import Result, add_command, find
from refdesk.cli._eval_sets import SETS, SetArgument
from refdesk.cli._indexing import Lines, Pace, say_started, working

COMPARISONS = "/api/v1/comparisons"
IdArgument = Annotated[str, typer.Argument(metavar="ID", help="Id of the comparison.")]
UNDER_WAY = ("queued", "running")
MODES = ("quoting", "pipeline", "agent")
_KEYS = "answering, app, model, mode, top_n, similarity, temperature, strategy, off"


def add_commands(group: typer.Typer) -> None:
    """Add the commands to the group `eval`."""
    add_command(group, "compare", compare)
    add_command(group, "comparisons", comparisons)
    add_command(group, "comparison", comparison)


async def compare(
    client: Client,
    name: SetArgument,
    variant: Annotated[
        list[str] | None,
        typer.Option(
            help=f"NAME, or NAME:KEY=VALUE,… with the keys {_KEYS} (stages joined by +). A NAME of"
            " quoting, pipeline or agent is its way of answering too. Repeat it 2 to 6 times."
        ),
    ] = None,
    file: Annotated[
        Path | None, typer.Option(help="The variants as a JSON list, in the words of the HTTP interface.")
    ] = None,
    questions: Annotated[
        int | None, typer.Option(min=1, help="Ask only so many, evenly spread over the set.")
    ] = None,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="End when all questions are asked.")] = True,
) -> Result:
    """Ask a test set's questions of several modes and settings; Ctrl-C cancels. Ends with 1 if it failed."""
    test_set = await find(client, SETS, name, what="test set")
    variants = [await _variant(client, one) for one in variant or ()] + (_read(file) if file else [])
    if not 2 <= len(variants) <= 6:
        raise InvalidArgument(
            "Give two to six variants.", hint="For instance --variant quoting --variant agent"
        )
    made = await client.post(
        f"{SETS}/{test_set['id']}/comparisons", {"variants": variants, "questions": questions}
    )
    if not wait:
        return Result(made, [made["id"]])
    say_started(client, f"Asking {made['questions']} questions {len(variants)} times.")
    try:
        shown = await _until_over(client, made["id"])
    except asyncio.CancelledError:
        await asyncio.shield(client.post(f"{COMPARISONS}/{made['id']}/cancel"))
        raise
    return _shown(shown)


async def comparisons(client: Client, name: SetArgument) -> Result:
    """List the comparisons of a test set."""
    test_set = await find(client, SETS, name, what="test set")
    items = (await client.get(f"{SETS}/{test_set['id']}/comparisons"))["items"]
    lines = [
        f"{one['id']}  {one['created_at'][:16]}  {one['state']}  {one['done']}/{one['total']}  "
        + ", ".join(variant["settings"]["name"] for variant in one["variants"])
        for one in items
    ]
    return Result(items, lines or ["No comparisons yet."])


async def comparison(
    client: Client,
    comparison_id: IdArgument,
    answers: Annotated[bool, typer.Option("--answers", help="Also the answers, side by side.")] = False,
    cancel: Annotated[bool, typer.Option("--cancel", help="Ask no more questions.")] = False,
    delete: Annotated[bool, typer.Option("--delete", help="Remove it with its answers.")] = False,
) -> Result:
    """Show the figures of a comparison."""
    path = f"{COMPARISONS}/{comparison_id}"
    if delete:
        await client.delete(path)
        return Result({"deleted": True}, ["Deleted the comparison."])
    shown = await (client.post(f"{path}/cancel") if cancel else client.get(path))
    result = _shown(shown)
    if not answers:
        return result
    items = await client.all(f"{path}/answers")
    names = [one["settings"]["name"] for one in shown["variants"]]
    lines = [line for item in items for line in _answer_lines(item, names)]
    return Result(shown | {"answers": items}, [*lines, *result.lines], result.exit_code)


async def _until_over(client: Client, comparison_id: str) -> dict[str, Any]:
    pace, lines = Pace(), Lines(not client.as_json)
    async with working(client):
        while True:
            shown: dict[str, Any] = await client.get(f"{COMPARISONS}/{comparison_id}")
            if shown["state"] not in UNDER_WAY:
                return shown
            lines.tell(f"{shown['done']} of {shown['total']} answers")
            await pace.rest()


async def _variant(client: Client, text: str) -> dict[str, Any]:
    """`NAME:KEY=VALUE,…` as the interface takes it. Raises `InvalidArgument`."""
    name, _, rest = text.partition(":")
    variant: dict[str, Any] = {"name": name.strip()}
    if variant["name"] in MODES:
        variant["answering"] = variant["name"]
    for pair in filter(None, (one.strip() for one in rest.split(","))):
        key, found, value = (part.strip() for part in pair.partition("="))
        if not found:
            raise InvalidArgument(f"{pair} is not of the form KEY=VALUE.", hint=f"The keys are {_KEYS}.")
        variant |= await _setting(client, key.replace("-", "_"), value)
    return variant


async def _setting(client: Client, key: str, value: str) -> dict[str, Any]:
    if key == "app":
        found = await find(client, "/api/v1/applications", value, what="application")
        return {"application_id": found["id"]}
    if key == "model":
        return {"model_id": (await find(client, "/api/v1/models", value, what="model"))["id"]}
    if key == "off":
        return {"stages_off": value.split("+")}
    if key in ("answering", "mode", "strategy"):
        return {key: value}
    if key in ("top_n", "similarity", "temperature"):
        try:
            return {key: int(value) if key == "top_n" else float(value)}
        except ValueError as error:
            raise InvalidArgument(f"{key} is a number, not {value}.") from error
    raise InvalidArgument(f"There is no key {key}.", hint=f"The keys are {_KEYS}.")


def _read(file: Path) -> list[dict[str, Any]]:
    try:
        found: Any = json.loads(file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise InvalidArgument(f"The file of variants cannot be read: {error}.") from error
    if not isinstance(found, list):
        raise InvalidArgument("The file of variants must hold a list.")
    return cast("list[dict[str, Any]]", found)


def _shown(shown: dict[str, Any]) -> Result:
    rows = [_row(one["settings"]["name"], one["figures"]) for one in shown["variants"]]
    lines = _aligned([_HEAD, *rows])
    lines += [
        f"{one['settings']['name']}: {count} × {code}"
        for one in shown["variants"]
        for code, count in one["figures"]["errors"].items()
    ]
    state = f"{shown['state']}: {shown['done']} of {shown['total']} answers, {shown['questions']} questions"
    if shown["error"]:
        state += f". {shown['error']['reason']}"
    return Result(shown, [*lines, state], exit_code=1 if shown["state"] == "failed" else 0)


_HEAD = (
    *("", "right", "recall", "missed", "refused", "unsupported", "failed"),
    *("p50 s", "p95 s", "tokens in", "out", "cost"),
)


def _row(name: str, one: dict[str, Any]) -> tuple[str, ...]:
    def share(value: float | None) -> str:
        return "–" if value is None else f"{value:.0%}"

    cost = " + ".join(f"{amount:.4f} {currency}" for currency, amount in one["costs"].items())
    return (
        name,
        *(share(one[key]) for key in ("right", "recall", "missed", "refused_when_not")),
        f"{one['unsupported']}/{one['sentences']}",
        str(one["failed"]),
        *(f"{one[key] / 1000:.2f}" for key in ("p50_ms", "p95_ms")),
        *(str(one[key]) for key in ("input_tokens", "output_tokens")),
        cost or ("unknown" if one["uncosted"] else "0"),
    )


def _aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[n]) for row in rows) for n in range(len(_HEAD))]
    return [
        "  ".join(
            cell.ljust(width) if n == 0 else cell.rjust(width)
            for n, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _answer_lines(item: dict[str, Any], names: Sequence[str]) -> list[str]:
    lines = [f"{item['place']}. {item['question']}"]
    for one in item["answers"]:
        what = one["error"] or " ".join(one["answer"].split())[:200]
        lines.append(f"   {names[one['variant']]} ({one['outcome'] or 'not asked'}): {what}")
    return lines
