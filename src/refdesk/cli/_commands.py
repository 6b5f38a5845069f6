"""Turning an `async def` that talks to a `Client` into a command: options for where, `--json`, exit codes."""

import inspect
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Concatenate

import typer

from refdesk.cli._client import (
    ApiKeyOption,
    Client,
    InvalidArgument,
    JsonOption,
    ServerOption,
    WorkspaceOption,
    open_session,
    run,
)
from refdesk.cli._console import print_json, say

_COMMON: tuple[tuple[str, Any, Any], ...] = (
    ("server", ServerOption, None),
    ("api_key", ApiKeyOption, None),
    ("workspace", WorkspaceOption, None),
    ("as_json", JsonOption, False),
)


@dataclass(frozen=True)
class Result:
    """What a command prints: `value` with `--json`, `lines` otherwise; then it ends with `exit_code`."""

    value: Any
    lines: Sequence[str]
    exit_code: int = 0


def group_of(app: typer.Typer, name: str, summary: str) -> typer.Typer:
    """A new group of commands within the application."""
    group = typer.Typer(name=name, help=summary, no_args_is_help=True, rich_markup_mode=None)
    app.add_typer(group)
    return group


def add_command[**P](
    group: typer.Typer, name: str, function: Callable[Concatenate[Client, P], Awaitable[Result]]
) -> None:
    """Add `function` as the command `name`: its parameters after the client are the command's own, and
    `--server`, `--api-key`, `--workspace` and `--json` come with it."""

    def command(**given: Any) -> None:
        server, api_key, workspace, as_json = (given.pop(option) for option, _, _ in _COMMON)

        async def talk() -> Result:
            async with open_session(server, api_key, workspace) as client:
                client.as_json = as_json
                return await function(client, **given)  # type: ignore[call-arg]

        result = run(talk, as_json=as_json)
        if as_json:
            print_json(result.value)
        else:
            for line in result.lines:
                say(line)
        if result.exit_code:
            raise typer.Exit(result.exit_code)

    own = list(inspect.signature(function).parameters.values())[1:]
    kind = inspect.Parameter.KEYWORD_ONLY
    added = [inspect.Parameter(n, kind, default=d, annotation=a) for n, a, d in _COMMON]
    parameters = [parameter.replace(kind=kind) for parameter in own] + added
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    command.__doc__ = function.__doc__
    group.command(name)(command)


async def find(client: Client, path: str, wanted: str, *, what: str, by: str = "name") -> Any:
    """The item of the list at `path` with this id or, where just one has it, this name.

    Raises `InvalidArgument` if there is none or more than one.
    """
    items = await client.all(path)
    found = [item for item in items if wanted in (item.get("id"), item.get("user_id"))]
    found = found or [item for item in items if str(item[by]).lower() == wanted.lower()]
    if len(found) == 1:
        return found[0]
    if found:
        raise InvalidArgument(f"There are several {what}s called {wanted}.", hint="Give the id.")
    raise InvalidArgument(f"There is no {what} called {wanted}.")
