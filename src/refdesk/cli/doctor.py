"""Check that this installation can work: folder, database, schema, page."""

import os
import platform
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

import refdesk
from refdesk.cli._console import print_json, say
from refdesk.cli._settings import load_settings
from refdesk.kit.errors import AppError
from refdesk.kit.settings import Settings

_SPACE_WANTED_BYTES = 2 * 1024**3


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at. `ok` false means that Refdesk cannot work with it."""

    name: str
    ok: bool
    text: str


def register(app: typer.Typer) -> None:
    """Add the command to an application."""
    app.command("doctor")(doctor)


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    data_dir: Annotated[Path | None, typer.Option(help="Folder of everything Refdesk keeps.")] = None,
) -> None:
    """Check that this installation can work: folder, database, schema, page. Ends with 1 if not."""
    findings = list(_examine(load_settings(data_dir=data_dir)))
    ok = all(finding.ok for finding in findings)
    if as_json:
        print_json({"ok": ok, "findings": [asdict(finding) for finding in findings]})
    else:
        for finding in findings:
            say(f"{'ok   ' if finding.ok else 'FAULT'}  {finding.name}: {finding.text}")
    if not ok:
        raise typer.Exit(1)


def _examine(settings: Settings) -> Iterator[Finding]:
    yield Finding("python", True, f"{platform.python_version()} on {platform.platform()}")
    yield _data_folder(settings.data_dir)
    page = Path(refdesk.__file__).parent / "server" / "static" / "index.html"
    yield Finding("page", page.is_file(), "built" if page.is_file() else "not built; run `make page`")
    yield _sandbox()
    yield from _database(settings)


def _sandbox() -> Finding:
    """Everything else works without it, so it is never a fault."""
    from refdesk.tools.sandbox import isolation

    found = isolation()
    text = f"programs are isolated, started in {found.start_ms:.0f} ms"
    return Finding("sandbox", True, text if found.available else f"no programs are run here: {found.reason}")


def _data_folder(data_dir: Path) -> Finding:
    existing = next(folder for folder in (data_dir, *data_dir.absolute().parents) if folder.exists())
    if not os.access(existing, os.W_OK | os.X_OK):
        return Finding("data folder", False, f"{existing} cannot be written to")
    free = shutil.disk_usage(existing).free
    text = f"{data_dir}, {free / 1024**3:.1f} GiB free"
    return Finding("data folder", free >= _SPACE_WANTED_BYTES, text)


def _database(settings: Settings) -> Iterator[Finding]:
    from refdesk import migrations
    from refdesk.kit.embedded_postgres import running_database
    from refdesk.kit.external_database import require_suitable

    try:
        with running_database(settings, timeout_s=5.0) as url:
            postgres, vector = require_suitable(url)
            yield Finding("database", True, f"PostgreSQL {postgres}, pgvector {vector}")
            here, newest = migrations.current_revision(url), migrations.head_revision()
            text = "empty, made at the first start" if here is None else f"at {here}, newest {newest}"
            yield Finding("schema", True, text)
    except AppError as error:
        yield Finding("database", False, f"{error} {error.details.get('reason', '')}".strip())
