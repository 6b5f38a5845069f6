"""`refdesk parse FILE`: what becomes of a file, without a database.

Prints blocks and paragraphs; a file that cannot be read exits with 2 and the error. Meant for people who
wonder about a file and for checks; it runs the same limited process as an upload.
"""

import asyncio
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, NoReturn

import orjson
import typer

from refdesk.cli._splitting import FilterOption, OverlapOption
from refdesk.kit.errors import AppError
from refdesk.kit.settings import get_settings
from refdesk.knowledge import SplitOptions, parse_options, require_sound_patterns
from refdesk.knowledge.indexing import piece_spans
from refdesk.knowledge.parsing import Block, Parsed
from refdesk.knowledge.reading import Limits, Reading, read_limited
from refdesk.knowledge.splitting import (
    SplitResult,
    SplitSettings,
    display_title,
    lead,
    lead_chars,
    overlap_of,
)

UNREADABLE = 2


def register(app: typer.Typer) -> None:
    """Add the command to an application."""
    app.command("parse", help="Show the blocks and paragraphs of a file, without a database.")(parse_command)


def parse_command(
    file: Annotated[Path, typer.Argument(help="The file to read.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    profile: Annotated[str, typer.Option(help="standard, compact or structured.")] = "standard",
    limit: Annotated[int | None, typer.Option(help="Largest paragraph, 50 to 100000.")] = None,
    unit: Annotated[str | None, typer.Option(help="Unit of the limit: characters or tokens.")] = None,
    pattern: Annotated[
        list[str] | None, typer.Option(help="Regular expression of headings; repeat it, one a level.")
    ] = None,
    password: Annotated[
        str | None,
        typer.Option(envvar="REFDESK_PARSE_PASSWORD", help="Password of a protected file."),
    ] = None,
    comments: Annotated[
        bool, typer.Option("--comments", help="Read comments of Office files and notes of cells as text.")
    ] = False,
    running: Annotated[
        bool, typer.Option("--running", help="Read headers and footers of Office texts as text.")
    ] = False,
    sheets: Annotated[
        str, typer.Option("--sheet-form", "--sheets", help="Tables of spreadsheets: auto, rows or table.")
    ] = "auto",
    min_size: Annotated[
        int | None, typer.Option(help="Paragraphs with fewer characters join the one before.")
    ] = None,
    overlap: OverlapOption = None,
    filter_: FilterOption = True,
) -> None:
    """Read a file, split it and print what came out."""
    try:
        settings = SplitSettings(
            profile=_one_of(profile, "standard", "compact", "structured"),
            limit=limit,
            unit=_one_of(unit, "characters", "tokens") if unit else None,
            min_size=min_size,
            patterns=tuple(pattern or ()),
            overlap=overlap,
            with_filter=filter_ is not False,
        )
        chosen = SplitOptions(
            include_comments=comments,
            include_running=running,
            sheet_form=_one_of(sheets, "auto", "rows", "table"),
        )
        reading = _read(file, chosen, settings, password)
        parsed, result = reading.parsed, reading.result
    except AppError as error:
        _fail(error, as_json=as_json)
    if as_json:
        told = report(parsed, result, {"profile": profile, "overlap": overlap})
        _write(orjson.dumps(told, option=orjson.OPT_INDENT_2, default=str))
    else:
        _print(parsed, result)


def _one_of(value: str, *allowed: str) -> Any:
    if value not in allowed:
        raise typer.BadParameter(f"{value!r} is not one of {', '.join(allowed)}.")
    return value


def _read(file: Path, chosen: SplitOptions, settings: SplitSettings, password: str | None) -> Reading:
    if not file.is_file():
        raise typer.BadParameter(f"There is no file {file}.")
    asyncio.run(require_sound_patterns(settings.patterns))
    limits = get_settings()
    return read_limited(file, file.name, parse_options(chosen, limits, password), settings, Limits.of(limits))


def report(parsed: Parsed, result: SplitResult, chosen: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON form: `document`, `blocks` and `paragraphs`, these with the spans of their index pieces and
    with what the first of them takes along of the paragraph before (`lead`)."""
    overlap, chars = overlap_of(chosen), lead_chars(parsed.kind, chosen)
    return {
        "document": {
            "name": parsed.name,
            "kind": parsed.kind,
            "meta": parsed.meta,
            "coverage": round(parsed.coverage, 6),
            "extracted_chars": parsed.extracted_chars,
            "kept_chars": parsed.kept_chars,
            "removed_chars": result.removed_chars,
            "warnings": [
                {"code": w.code, "message": w.message, "page": w.page}
                for w in (*parsed.warnings, *result.warnings)
            ],
        },
        "blocks": [_block(block) for block in parsed.blocks],
        "paragraphs": [
            {
                "title": p.title,
                "display_title": display_title(p.title),
                "title_chain": list(p.title_chain),
                "content": p.content,
                "page": p.page,
                "start": p.start,
                "end": p.end,
                "pieces": piece_spans(p.content, overlap),
                "lead": lead(before, p, chars),
                "meta": p.meta,
            }
            for before, p in zip((None, *result.paragraphs), result.paragraphs, strict=False)
        ],
    }


def _block(block: Block) -> dict[str, Any]:
    boxes = [[x.x0, x.y0, x.x1, x.y1] for x in block.boxes]
    return {
        "kind": block.kind,
        "level": block.level,
        "text": block.text,
        "page": block.page,
        "box": boxes[0] if boxes else None,
        "boxes": [{"page": x.page, "box": box} for x, box in zip(block.boxes, boxes, strict=True)],
    }


def _fail(error: AppError, *, as_json: bool) -> NoReturn:
    if as_json:
        body = {"code": error.code, "message": error.text, "hint": error.hint_text}
        _write(orjson.dumps({"error": body}, option=orjson.OPT_INDENT_2))
    else:
        typer.echo(f"{error.text} ({error.code})", err=True)
        if error.hint_text:
            typer.echo(error.hint_text, err=True)
    raise typer.Exit(UNREADABLE)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _print(parsed: Parsed, result: SplitResult) -> None:
    typer.echo(
        f"{parsed.name}: {parsed.kind}, {_counted(len(parsed.blocks), 'block')}, "
        f"{_counted(len(result.paragraphs), 'paragraph')}, "
        f"coverage {parsed.coverage:.1%}"
    )
    if navigation := int(parsed.meta.get("navigation_chars") or 0):
        typer.echo(f"{_counted(navigation, 'character')} of navigation left out")
    for warning in (*parsed.warnings, *result.warnings):
        typer.echo(f"! {warning.code}: {warning.message}")
    for n, paragraph in enumerate(result.paragraphs, start=1):
        where = f" (page {paragraph.page})" if paragraph.page else ""
        typer.echo(f"\n[{n}]{where} {' › '.join((*paragraph.title_chain, paragraph.title)).strip(' ›')}")
        typer.echo(paragraph.content)


def _write(data: bytes) -> None:
    """Bytes to standard output, whatever its encoding; a closed pipe ends the program quietly."""
    try:
        sys.stdout.buffer.write(data + b"\n")
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
