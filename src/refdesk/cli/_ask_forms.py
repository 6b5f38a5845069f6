"""What a run asks back, on the terminal: shown, asked at once where somebody sits there, or answered with
`--reply`."""

import json
import shlex
import sys
from typing import Any, cast

import typer

from refdesk.cli._client import InvalidArgument
from refdesk.cli._console import note


def read_reply(text: str) -> dict[str, Any]:
    """`--reply` as the server takes it: a JSON object, `yes` or `no`, `FIELD=VALUE,…`, else an option."""
    told = text.strip()
    if told.startswith("{"):
        try:
            given: Any = json.loads(told)
        except ValueError as error:
            raise InvalidArgument(f"--reply is not valid JSON: {error}.") from error
        return cast("dict[str, Any]", given)
    if told.lower() in ("yes", "no"):
        return {"approve": told.lower() == "yes"}
    if "=" in told:
        pairs = [part.partition("=") for part in told.split(",")]
        return {"fields": {name.strip(): value.strip() for name, _, value in pairs}}
    return {"option": told}


def can_ask() -> bool:
    """Whether somebody sits at the terminal."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def ask_person(run: dict[str, Any]) -> dict[str, Any] | None:
    """The reply to a run's form as the person gives it; None where they leave it. The answer's text, which
    tells what is asked, was printed already."""
    form = run["form"]
    try:
        given = _ask(form)
    except (typer.Abort, EOFError, KeyboardInterrupt):
        note("")
        return None
    return {**given, "run_id": run["id"]} if given is not None else None


def how_to_reply(run: dict[str, Any]) -> str:
    """The command that answers a run's form later, or where nobody sits at the terminal."""
    form = run["form"]
    if form["kind"] == "approval":
        value = "yes"
    elif form["kind"] == "guidance":
        value = shlex.quote(form["options"][0]["value"])
    else:
        value = shlex.quote(",".join(f"{one['name']}=…" for one in form["fields"] if one.get("required")))
    return f"refdesk ask --conversation {run['conversation_id']} --reply {value}"


def _ask(form: dict[str, Any]) -> dict[str, Any] | None:
    if form["kind"] == "approval":
        return {"approve": typer.confirm("Go ahead?", default=False, err=True)}
    if form["kind"] == "guidance":
        options = form["options"]
        text = str(typer.prompt(f"1–{len(options)}", default="", show_default=False, err=True)).strip()
        if not text:
            return None
        if text.isdigit() and 0 < int(text) <= len(options):
            return {"option": options[int(text) - 1]["value"]}
        named = [one["value"] for one in options if one["label"].casefold() == text.casefold()]
        if not named:
            note(f"There is no option {text}.")
            return _ask(form)
        return {"option": named[0]}
    fields: dict[str, Any] = {}
    for one in form["fields"]:
        label = one.get("label") or one["name"]
        if one.get("enum"):
            label += f" ({', '.join(map(str, one['enum']))})"
        default = None if one.get("required") else ""
        value = typer.prompt(label, default=default, show_default=False, err=True)
        if value != "":
            fields[one["name"]] = value
    return {"fields": fields}
