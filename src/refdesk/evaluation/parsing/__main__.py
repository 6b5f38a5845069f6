"""`python -m refdesk.evaluation.parsing DIRECTORY [--json]`; exit code 1 where a row does not hold."""

import sys
from pathlib import Path
from typing import Annotated, Literal

import orjson
import typer

from refdesk.evaluation.parsing.expectations import NoExpectations, read_expectations
from refdesk.evaluation.parsing.running import DEFAULT_TIMEOUT_S, Outcome, check_all
from refdesk.evaluation.parsing.summary import Count, Summary, summary
from refdesk.kit.settings import get_settings
from refdesk.knowledge import SplitOptions, parse_options

UNUSABLE = 2


def main(
    directory: Annotated[Path, typer.Argument(help="Holds expect.jsonl, or files/expect.jsonl.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    kind: Annotated[list[str] | None, typer.Option(help="Only rows of this kind; may be repeated.")] = None,
    ocr: Annotated[
        Literal["auto", "off", "always"] | None, typer.Option(help="Instead of REFDESK_OCR.")
    ] = None,
    timeout: Annotated[float, typer.Option(help="Seconds one file may take.")] = DEFAULT_TIMEOUT_S,
    jobs: Annotated[int, typer.Option(min=1, max=64, help="Files read at once.")] = 1,
) -> None:
    """Read the files of a directory and compare them with what is expected of them."""
    try:
        rows = read_expectations(directory)
    except NoExpectations as error:
        typer.echo(f"{error.text} {error.hint_text}", err=True)
        raise typer.Exit(UNUSABLE) from error
    limits = get_settings()
    if ocr is not None:
        limits = limits.model_copy(update={"ocr": ocr})
    outcomes = check_all(
        [row for row in rows if not kind or row.kind in kind],
        parse_options(SplitOptions(), limits),
        timeout_s=timeout,
        jobs=jobs,
        on_outcome=None if as_json else _tell,
    )
    result = summary(outcomes)
    if as_json:
        sys.stdout.buffer.write(orjson.dumps(result, option=orjson.OPT_INDENT_2) + b"\n")
    else:
        _print(result)
    raise typer.Exit(1 if result["failed"] else 0)


def _tell(outcome: Outcome) -> None:
    mark = "ok  " if outcome.holds else "FAIL"
    typer.echo(f"{mark} {outcome.seconds:6.1f} s  {outcome.expectation.file} ({outcome.code or 'text'})")
    for fault in outcome.faults:
        typer.echo(f"       {fault}")


def _print(result: Summary) -> None:
    for name, counts in (
        ("kind", result["by_kind"]),
        ("level", result["by_level"]),
        ("expectation", result["by_expect"]),
    ):
        typer.echo(f"\nBy {name}: " + ", ".join(f"{key} {_ratio(count)}" for key, count in counts.items()))
    typer.echo(f"\n{result['passed']} of {result['total']} hold, in {result['seconds']:.0f} s.")


def _ratio(count: Count) -> str:
    return f"{count['passed']}/{count['total']}"


if __name__ == "__main__":
    typer.run(main)
