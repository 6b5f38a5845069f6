"""What a run did: its stages over time, calls of tools and models, tokens, cost."""

from typing import Annotated, Any

import typer

from refdesk.cli._client import Client
from refdesk.cli._commands import Result, add_command

BAR = 32


def register(app: typer.Typer) -> None:
    """Add the command to an application."""
    add_command(app, "trace", trace)


async def trace(
    client: Client,
    run: Annotated[str, typer.Argument(metavar="RUN", help="Id of a run, as `refdesk ask --json` tells it.")],
    prompt: Annotated[bool, typer.Option("--prompt", help="Print the prompts too, word for word.")] = False,
    candidates: Annotated[
        bool, typer.Option("--candidates", help="Print what the search looked at, and why it was left out.")
    ] = False,
) -> Result:
    """Show what a run did, as a timeline."""
    found = await client.get(f"/api/v1/runs/{run}/trace")
    lines = [found["question"], _head(found), ""]
    spans = list(_walk(found["stages"], 0))
    total = found["total_ms"] or max((_end(span) for span, _ in spans), default=0.0) or 1.0
    for span, depth in spans:
        lines.append(_line(span, depth, total))
        if candidates:
            lines += [_candidate(one) for one in span["candidates"] or ()]
        if prompt:
            lines += [part for message in span["prompt"] or () for part in _message(message)]
    if found["calls"]:
        lines += ["", "Calls of models"]
        lines += [_call(call) for call in found["calls"]]
    lines += [f"! {warning['message']} [{warning['code']}]" for warning in found["warnings"]]
    return Result(found, lines)


def _walk(spans: list[dict[str, Any]], depth: int) -> Any:
    for span in spans:
        yield span, depth
        yield from _walk(span["spans"], depth + 1)


def _end(span: dict[str, Any]) -> float:
    return float(span["started_ms"]) + float(span["elapsed_ms"] or 0)


def _head(found: dict[str, Any]) -> str:
    parts = [found["state"]]
    if found["total_ms"] is not None:
        parts.append(f"{found['total_ms']:.0f} ms")
    usage = found["usage"]
    parts.append(f"{usage['input_tokens']} + {usage['output_tokens']} tokens")
    parts += [_money(cost) for cost in found["costs"]]
    return " · ".join(parts)


def _line(span: dict[str, Any], depth: int, total: float) -> str:
    """`  answer       ----####  12 ms`: where in the run's time a part lies."""
    left = min(BAR - 1, int(span["started_ms"] / total * BAR))
    width = max(1, round((span["elapsed_ms"] or 0) / total * BAR))
    bar = ("·" * left + "█" * width)[:BAR].ljust(BAR, "·")
    name = f"{'  ' * depth}{span['name']}"
    took = "skipped" if span["state"] == "skipped" else f"{span['elapsed_ms'] or 0:.0f} ms"
    more = [] if span["state"] in ("finished", "skipped") else [span["error"] or span["state"]]
    if span["usage"]:
        more.append(f"{span['usage']['input_tokens']} + {span['usage']['output_tokens']} tokens")
    more += [_money(cost) for cost in span["costs"]]
    return f"{name:<28} {bar} {took:>9}  {' · '.join(more)}".rstrip()


def _candidate(one: dict[str, Any]) -> str:
    place = one["document"] + (f" › {one['section']}" if one["section"] else "")
    legs = " ".join(f"{leg} {one[leg]['calibrated']:.2f}" for leg in ("dense", "lexical") if one[leg])
    return f"    {one['similarity']:.2f} ({legs}) {place}: {one['dropped'] or 'kept'}"


def _message(message: dict[str, Any]) -> list[str]:
    head = f"    [{message['role']}, about {message['tokens']} tokens]"
    return [head, *(f"    {line}" for line in message["content"].splitlines())]


def _call(call: dict[str, Any]) -> str:
    parts = [
        f"  {call['path']:<10} {call['model'] or call['model_id']}",
        call["code"],
        f"{call['latency_ms']} ms",
        f"{call['input_tokens']} + {call['output_tokens']} tokens",
    ]
    if call["switched_from"]:
        parts.append(f"in place of {call['switched_from_model'] or call['switched_from']}")
    if call["is_attempt"]:
        parts.append("tried again after it")
    if call["cost"] is not None:
        parts.append(_money({"amount": call["cost"], "currency": call["currency"]}))
    return " · ".join(parts)


def _money(cost: dict[str, Any]) -> str:
    return f"{cost['amount']:.6g} {cost['currency']}"
