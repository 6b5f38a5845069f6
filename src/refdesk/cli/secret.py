"""Keys that seal stored credentials: show, rotate, forget."""

from typing import Any

import typer

from refdesk.cli._client import Client
from refdesk.cli._commands import Result, add_command, group_of

_PATH = "/api/v1/secret-keys"


def register(app: typer.Typer) -> None:
    """Add the commands to an application."""
    group = group_of(app, "secret", "Keys that seal stored credentials: show, rotate, forget.")
    add_command(group, "show", show)
    add_command(group, "rotate", rotate)
    add_command(group, "forget", forget)


async def show(client: Client) -> Result:
    """Show the keys by their ids, and how many stored credentials are sealed with each."""
    found = await client.get(_PATH)
    return Result(found, _lines(found))


async def rotate(client: Client) -> Result:
    """Seal all stored credentials with a new key. The former one goes on opening what was missed."""
    done = await client.post(f"{_PATH}/rotation")
    return Result(done, [f"Sealed {done['sealed_anew']} anew.", *_lines(done)])


async def forget(client: Client) -> Result:
    """Forget the former keys; refused while anything is sealed with one of them."""
    done = await client.delete(f"{_PATH}/former")
    return Result(done, ["The former keys are forgotten.", *_lines(done)])


def _lines(found: Any) -> list[str]:
    lines = [
        f"{key['id']}  {'present' if key['is_present'] else 'former '}  {key['values']} sealed"
        for key in found["keys"]
    ]
    lost = [f"{found['lost']} sealed with keys that are not there"] if found["lost"] else []
    return [f"Keys come from the {found['origin']}.", *lines, *lost]
