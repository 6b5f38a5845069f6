"""Measure how good retrieval is on a test set of your own."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from refdesk.cli._console import note, print_json, say
from refdesk.cli._eval_calibrate import add_commands as add_calibration_commands
from refdesk.cli._eval_compare import add_commands as add_comparison_commands
from refdesk.cli._eval_sets import add_commands as add_set_commands
from refdesk.cli._settings import load_settings
from refdesk.kit.embedded_postgres import running_database
from refdesk.kit.settings import Settings


def register(app: typer.Typer) -> None:
    """Add the group of commands to an application."""
    group = typer.Typer(
        name="eval",
        help="Test sets: measure how good retrieval and answers are.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    group.command("retrieval")(retrieval)
    add_set_commands(group)
    add_comparison_commands(group)
    add_calibration_commands(group)
    app.add_typer(group)


def retrieval(
    corpus: Annotated[Path, typer.Option(help="JSON lines: id, title, text.")],
    queries: Annotated[Path, typer.Option(help="JSON lines: id, text.")],
    qrels: Annotated[Path, typer.Option(help="Tab-separated: query-id, corpus-id, score.")],
    mode: Annotated[
        list[str] | None, typer.Option(help="embedding, keywords or blend; repeat it. All by default.")
    ] = None,
    sample: Annotated[int | None, typer.Option(min=1, help="Ask only so many of the queries.")] = None,
    run: Annotated[
        Path | None, typer.Option(help="Write one TREC run file a mode: PREFIX.MODE.", metavar="PREFIX")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    data_dir: Annotated[Path | None, typer.Option(help="Folder of everything Refdesk keeps.")] = None,
) -> None:
    """Index a corpus into a temporary base, run the queries in each mode and print the measures."""
    settings = load_settings(data_dir=data_dir)
    with running_database(settings) as url:
        report = asyncio.run(
            _measure(settings, url, corpus, queries, qrels, mode, sample, run, None if as_json else note)
        )
    if as_json:
        print_json(report)
        return
    say(f"{'':<10} {'ndcg@10':>8} {'hit@5':>8} {'recall@100':>11} {'mrr@10':>8} {'p50 ms':>8} {'p95 ms':>8}")
    for name, row in report.items():
        say(
            f"{name:<10} {row['ndcg@10']:>8.4f} {row['hit@5']:>8.4f} {row['recall@100']:>11.4f}"
            f" {row['mrr@10']:>8.4f} {row['latency_ms']['p50']:>8.1f} {row['latency_ms']['p95']:>8.1f}"
        )


async def _measure(
    settings: Settings,
    url: str,
    corpus: Path,
    queries: Path,
    qrels: Path,
    modes: list[str] | None,
    sample: int | None,
    prefix: Path | None,
    progress: Callable[[str], None] | None,
) -> dict[str, dict[str, Any]]:
    from refdesk import migrations
    from refdesk.evaluation import evaluate_retrieval, load_retrieval_set, write_run
    from refdesk.retrieval import get_mode, mode_names
    from refdesk.server import build_services

    wanted = [get_mode(name).name for name in (modes or mode_names())]
    judged = load_retrieval_set(corpus, queries, qrels, sample=sample)
    await migrations.upgrade(url)
    services = build_services(settings, url, application_name="refdesk-eval")
    try:
        results = await evaluate_retrieval(
            services.database,
            services.gateway,
            settings,
            judged,
            wanted,
            progress=progress or (lambda _: None),
        )
    finally:
        await services.close()
    if prefix is not None:
        for result in results:
            write_run(result, prefix)
    return {result.mode: result.summary() for result in results}
