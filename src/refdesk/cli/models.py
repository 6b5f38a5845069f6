"""Models: vendors, add, list, check, try, export, import, describe, key, invoke, local, delete."""

import getpass
import json
import sys
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer

from refdesk.cli import _models_connecting, _models_local
from refdesk.cli._client import Client, InvalidArgument
from refdesk.cli._commands import Result, add_command, find, group_of

_SUMMARY = "Models: vendors, add, list, check, try, export, import, describe, key, invoke, local, delete."
MODELS = "/api/v1/models"
DESCRIPTORS = "/api/v1/model-descriptors"

NameArgument = Annotated[str, typer.Argument(metavar="MODEL", help="model_id (the name) or id of the model.")]
FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="YAML file of descriptors; - for stdin.")]
ReplaceOption = Annotated[bool, typer.Option("--replace", help="Change models that are there already.")]


def register(app: typer.Typer) -> None:
    """Add the commands to an application."""
    group = group_of(app, "models", _SUMMARY)
    add_command(group, "list", list_models)
    add_command(group, "export", export)
    add_command(group, "import", import_file)
    add_command(group, "describe", describe)
    add_command(group, "key", key)
    add_command(group, "check", check)
    add_command(group, "invoke", invoke)
    _models_connecting.register(group)
    _models_local.register(group)


async def list_models(
    client: Client,
    query: Annotated[
        str, typer.Argument(metavar="[QUERY]", help="Words, or model_id:…, kind:…, provider:…, version:….")
    ] = "",
) -> Result:
    """List models with their kind, vendor, version and health."""
    found = (await client.get("/mcp/models", q=query))["items"]
    lines = [
        f"{one['model_id']}  {one['kind']}  {one['provider']}  {one['model_name']}  version {one['version']}"
        f"  {'ok' if one['health'] == 'closed' else one['health']}"
        for one in found
    ]
    return Result(found, lines or ["No such model."])


async def export(
    client: Client,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[MODEL]...", help="model_ids; all models by default.")
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to write.")] = None,
) -> Result:
    """Write descriptors of models as YAML, without their keys."""
    query = "".join(f"{'&' if at else '?'}model_id={_quoted(name)}" for at, name in enumerate(names or ()))
    text = (await client.download(f"{DESCRIPTORS}{query}")).decode()
    if output is None:
        return Result({"yaml": text}, [text.rstrip("\n")])
    output.write_text(text, encoding="utf-8")
    return Result({"file": str(output)}, [f"Wrote {output}."])


async def import_file(
    client: Client,
    file: FileArgument,
    replace: ReplaceOption = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only tell what would be done.")] = False,
) -> Result:
    """Take descriptors in: all of a file, or nothing and why."""
    body = {"yaml": _read(file), "replace": replace}
    if not dry_run:
        done = await client.post(DESCRIPTORS, body)
        return Result(done, _lines(done["models"]))
    plan = await client.post(f"{DESCRIPTORS}/check", body)
    problems = [_problem(one) for one in plan["problems"]]
    lines = [*_lines(plan["models"]), *problems]
    return Result(plan, lines or ["Nothing would be done."], exit_code=2 if problems else 0)


async def describe(
    client: Client,
    model_name: Annotated[str, typer.Argument(metavar="NAME", help="What the vendor calls the model.")],
    provider: Annotated[str, typer.Option(help="A vendor's id.")] = "openai-compatible",
    url: Annotated[str | None, typer.Option(help="Base URL; the vendor's own by default.")] = None,
    kind: Annotated[str, typer.Option(help="LLM, EMBEDDING, RERANKER, STT, TTS, …")] = "LLM",
    model_id: Annotated[str | None, typer.Option(help="Its model_id; the vendor's name by default.")] = None,
    with_key: Annotated[bool, typer.Option("--with-key", help="Ask for the list's key.")] = False,
) -> Result:
    """Write a descriptor from what the vendor's list tells of a model."""
    body = {"provider": provider, "base_url": url, "kind": kind, "model_name": model_name, "name": model_id}
    if with_key:
        body["api_key"] = _ask_for_key()
    text = (await client.post(f"{DESCRIPTORS}/draft", body))["yaml"]
    return Result({"yaml": text}, [text.rstrip("\n")])


async def key(client: Client, name: NameArgument) -> Result:
    """Enter the key of a model; it is asked for, or read from a pipe."""
    model = await find(client, MODELS, name, what="model")
    changed = await client.patch(f"{MODELS}/{model['id']}", {"api_key": _ask_for_key()})
    return Result(changed, [f"{changed['name']} has the key {changed['credential_hint']}."])


async def check(client: Client, name: NameArgument) -> Result:
    """Test the connection to a model."""
    model = await find(client, MODELS, name, what="model")
    told = await client.post(f"{MODELS}/{model['id']}/check")
    if told["ok"]:
        sample = f": {told['sample']}" if told["sample"] else ""
        return Result(told, [f"{model['name']} answers in {told['latency_ms']:.0f} ms{sample}"])
    error = told["error"]
    lines = [f"{error['message']} ({error['code']})", *([error["hint"]] if error["hint"] else [])]
    words = error["details"].get("vendor_message")
    return Result(told, [*lines, *([f"The vendor says: {words}"] if words else [])], exit_code=1)


async def invoke(
    client: Client,
    name: NameArgument,
    prompt: Annotated[str | None, typer.Argument(metavar="[PROMPT]", help="The question.")] = None,
    given: Annotated[
        str | None, typer.Option("--input", help="The whole input as JSON, instead of a prompt.")
    ] = None,
) -> Result:
    """Call a model as programs do, through /mcp/invoke."""
    if (prompt is None) == (given is None):
        raise InvalidArgument("Give a prompt or --input, and not both.")
    body = {"model_id": name, "input": {"prompt": prompt} if given is None else _json(given)}
    told = await client.post("/mcp/invoke", body)
    warnings = [f"Warning: {one}" for one in told["metadata"]["warnings"]]
    text = told["content"] if told["content"] is not None else json.dumps(told["output"], ensure_ascii=False)
    return Result(told, [text, *warnings])


def _lines(models: list[dict[str, Any]]) -> list[str]:
    words = {"create": "new", "change": "changed", "unchanged": "unchanged"}
    lines: list[str] = []
    for one in models:
        fields = ", ".join(change["field"] for change in one["changes"])
        lines.append(f"{one['model_id']}: {words[one['action']]}{f' ({fields})' if fields else ''}")
        if one["needs_key"]:
            lines.append(f"  enter its key: refdesk models key {one['model_id']!r}")
        lines += [f"  {note}" for note in one["notes"]]
    return lines


def _problem(one: dict[str, Any]) -> str:
    field = f"{one['field']}: " if one["field"] else ""
    return f"Line {one['line']}: {field}{one['message']}"


def _read(file: Path) -> str:
    if str(file) == "-":
        return sys.stdin.read()
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidArgument(f"{file} cannot be read: {error}.") from error


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise InvalidArgument(f"--input is not JSON: {error}.") from error


def _ask_for_key() -> str:
    """Never an argument: those stand in the shell's history and in the list of processes."""
    found = (getpass.getpass("Key: ") if sys.stdin.isatty() else sys.stdin.readline()).strip()
    if not found:
        raise InvalidArgument("No key was given.")
    return found


def _quoted(text: str) -> str:
    return quote(text, safe="")
