"""Fitting the gates of a model to questions: `eval calibrate` and the way back, `eval reset-gates`."""

import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from refdesk.cli._calibration_corpus import questions_over_corpus
from refdesk.cli._client import Client, RequestFailed, answer
from refdesk.cli._commands import Result, add_command, find
from refdesk.cli._eval_sets import SETS
from refdesk.kit.sse import read_events

MODELS = "/api/v1/models"
WEAK_AUROC = 0.7
_NAMES = {
    "both": "found from (words and meaning)",
    "meaning": "found from (meaning alone)",
    "drop_both": "drop that counts as 0.15",
    "drop_meaning": "drop that counts as 0.15 (meaning alone)",
    "rerank": "least rerank score",
}


def add_commands(group: typer.Typer) -> None:
    """Add the commands to the group `eval`."""
    add_command(group, "calibrate", calibrate)
    add_command(group, "reset-gates", reset_gates)


async def calibrate(
    client: Client,
    name: Annotated[
        str,
        typer.Argument(
            metavar="SET",
            help="Test set, by name or id; or a folder with corpus.jsonl, queries.jsonl and qrels.tsv.",
        ),
    ],
    model: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Embedding model, by name or id; else the bases' own.")
    ] = None,
    reranker: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Fit the least score of this reranker too.")
    ] = None,
    unanswerable: Annotated[
        Literal["auto", "named", "left-out"],
        typer.Option(help="Questions without an answer: named in the set, or made by leaving it out."),
    ] = "auto",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Measure and store nothing.")] = False,
) -> Result:
    """Fit what counts as found to a test set: on one half of its questions, judged on the other."""
    body: dict[str, Any] = {"unanswerable": unanswerable, "dry_run": dry_run}
    if model is not None:
        body["model_id"] = (await find(client, MODELS, model, what="model"))["id"]
    if reranker is not None:
        body["reranker_id"] = (await find(client, MODELS, reranker, what="model"))["id"]
    folder = Path(name)
    if (folder / "corpus.jsonl").is_file():
        async with questions_over_corpus(client, folder, body.get("model_id")) as given:
            return _told(await _run(client, body | given))
    body["test_set_id"] = (await find(client, SETS, name, what="test set"))["id"]
    return _told(await _run(client, body))


async def reset_gates(
    client: Client,
    name: Annotated[str, typer.Argument(metavar="MODEL", help="Model, by name or id.")],
) -> Result:
    """Go back to the default gates of a model."""
    model = await find(client, MODELS, name, what="model")
    changed = await client.delete(f"{MODELS}/{model['id']}/gates")
    return Result(changed, [f"{changed['name']} has the default gates again."])


async def _run(client: Client, body: dict[str, Any]) -> dict[str, Any]:
    """The stream to its end. Leaving it, as Ctrl-C does, cancels the calibration."""
    result: dict[str, Any] | None = None
    async with client.http.stream("POST", "/api/v1/calibrations", json=body) as response:
        if not response.is_success:
            await response.aread()
            answer(response)
        async with _bar(shown=not client.as_json and sys.stderr.isatty()) as show:
            async for event in read_events(response.aiter_lines()):
                if event.name == "problem":
                    raise RequestFailed.from_answer(response.status_code, event.json())
                if event.name == "progress":
                    show.update(event.json())
                elif event.name == "result":
                    result = event.json()
    if result is None:
        raise RequestFailed("The calibration ended before all questions were asked.")
    return result


class _Shown:
    """The bar of progress, or nothing where nobody looks."""

    def __init__(self, progress: Any) -> None:
        self._progress = progress
        self._task = None if progress is None else progress.add_task("Asking", total=None)

    def update(self, state: dict[str, int]) -> None:
        if self._progress is not None:
            words = "Fitting" if state["done"] == state["total"] else "Asking"
            described = f"{words} {state['done']}/{state['total']} questions"
            self._progress.update(
                self._task, completed=state["done"], total=state["total"], description=described
            )


@asynccontextmanager
async def _bar(*, shown: bool) -> AsyncGenerator[_Shown]:
    if not shown:
        yield _Shown(None)
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        yield _Shown(progress)


def _told(result: dict[str, Any]) -> Result:
    return Result(result, list(calibration_lines(result)))


def calibration_lines(result: dict[str, Any]) -> Sequence[str]:
    """Each gate before and after, as judged on the half it was not fitted on, and what was stored."""
    how = {"named": "as the set names them", "left-out": "by leaving out what answers"}
    lines = [
        f"{result['questions']} questions, without an answer {how[result['unanswerable']]}"
        + (f"; {result['left_aside']} not usable" if result["left_aside"] else "")
    ]
    for fit in result["fits"]:
        before = "none" if fit["before"] is None else f"{fit['before']:.3g}"
        (with_answer, without), (judged_with, judged_without) = fit["fitted"], fit["judged"]
        lines += [
            f"{_NAMES[fit['gate']]}: {before} → {fit['after']:.3g}"
            f" (90 % between {fit['low']:.3g} and {fit['high']:.3g}; fitted on {with_answer} + {without})",
            f"  AUROC {fit['auroc']:.3f}, balanced accuracy {fit['balanced_before']:.3f} →"
            f" {fit['balanced_after']:.3f}: right {fit['kept_before']:.3f} → {fit['kept_after']:.3f},"
            f" turned down {fit['turned_down_before']:.3f} → {fit['turned_down_after']:.3f}"
            f" (judged on {judged_with} + {judged_without})",
        ]
        if not fit["is_better"]:
            lines.append("  worse than before where it is judged, so not taken")
        if fit["auroc"] < WEAK_AUROC and not fit["gate"].startswith("drop"):
            lines.append("  a weak set: it hardly parts what is found from what is not; see the guide")
    for model in (result["embedder"], result["reranker"]):
        if model is None:
            continue
        if model["stored"]:
            lines.append(f"Stored with {model['name']}; it holds from the next search on.")
        elif result["dry_run"]:
            lines.append(f"Nothing stored with {model['name']}: a dry run.")
        else:
            lines.append(f"Nothing stored with {model['name']}: what it had is better.")
    return lines
