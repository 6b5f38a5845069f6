"""The command line: one sibling module a command, imported only when it is the one asked for.

A module without a leading underscore is a command of its own name. Its `register(app)` adds the command, or a
group of commands, to the `typer.Typer` it gets; the first line of its docstring is the line in the list. So a
new command is one new file, and `refdesk --help` costs 0.15 s however heavy the commands are. Commands check
and print; what they do is in the rooms.
"""

import sys
from collections.abc import Collection
from importlib import import_module
from pathlib import Path

import typer

from refdesk import __version__
from refdesk.kit.errors import AppError

__all__ = ["build_app", "command_names", "main"]

_FOLDER = Path(__file__).parent
# What the parser raises for words it does not know; typer gives no name for it but its children's.
_NotUnderstood: type[Exception] = typer.BadParameter.__mro__[2]


def main() -> None:
    """Run the command line of this process and exit: 0 done, 1 failed, 2 not understood or not readable."""
    words = sys.argv[1:]
    wanted = next((word for word in words if not word.startswith("-")), None)
    try:
        command = build_app({wanted})
        if "--json" in words:
            sys.exit(command(standalone_mode=False))
        command()
    except _NotUnderstood as error:  # with --json only: otherwise it was told as text already
        from refdesk.cli._console import print_json

        message = error.format_message()  # type: ignore[attr-defined]
        print_json({"error": {"code": "usage", "message": message, "hint": "See --help."}})
        sys.exit(2)
    except typer.Abort:
        sys.exit(130)
    except AppError as error:
        from refdesk.cli._console import report_error

        report_error(error, as_json="--json" in words)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


def command_names() -> list[str]:
    """Names of all commands, in the order of the alphabet."""
    return sorted(path.stem.replace("_", "-") for path in _FOLDER.glob("[!_]*.py"))


def build_app(wanted: Collection[str | None]) -> typer.Typer:
    """The application with only `wanted` imported; the other commands are names with their help lines."""
    root = typer.Typer(
        name="refdesk",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,  # importing rich for a help text costs 0.2 s
        pretty_exceptions_enable=False,
    )
    root.callback(help="A reference desk for your documents.")(_options)
    for name in command_names():
        path = _FOLDER / f"{name.replace('-', '_')}.py"
        if name in wanted:
            import_module(f"refdesk.cli.{path.stem}").register(root)
        else:
            root.command(name, help=_first_line(path))(_not_loaded)
    return root


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"refdesk {__version__}")
        raise typer.Exit


def _options(
    version: bool = typer.Option(
        False, "--version", help="Print the version and exit.", is_eager=True, callback=_print_version
    ),
) -> None:
    """What stands before the command's name."""


def _not_loaded() -> None:
    raise RuntimeError("a command was run that was not loaded")


def _first_line(path: Path) -> str:
    with path.open(encoding="utf-8") as file:
        return file.readline().strip().removeprefix('"""').removesuffix('"""')
