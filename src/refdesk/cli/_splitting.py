"""Options of how files are read and cut into paragraphs, the same for every command that takes them.

A command declares one parameter `split: dict[str, Any]` and is decorated with `takes_split_options`; on the
command line the parameter is the options below, in the function a dictionary of those that were given, by the
names the API has for them.
"""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, Literal

import typer

PatternOption = Annotated[
    list[str] | None, typer.Option(help="Regular expression of headings, one a level; repeatable.")
]
OverlapOption = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=300,
        help="Characters that index pieces of a long paragraph share; smaller than the limit.",
    ),
]
FilterOption = Annotated[
    bool | None,
    typer.Option("--filter/--no-filter", help="Collapse runs of spaces and blank lines, or leave them."),
]
SheetOption = Annotated[
    Literal["auto", "rows", "table"] | None,
    typer.Option("--sheet-form", help="Tables of spreadsheets: an item a row, one table, or what fits."),
]

# Name of the option → name in the API, and what typer makes of it.
_OPTIONS: Mapping[str, tuple[str, Any]] = {
    "profile": (
        "profile",
        Annotated[
            Literal["standard", "compact", "structured"] | None,
            typer.Option(help="How to cut: standard, compact, structured."),
        ],
    ),
    "limit": (
        "limit",
        Annotated[int | None, typer.Option(min=50, max=100_000, help="Longest paragraph, in the unit.")],
    ),
    "unit": (
        "unit",
        Annotated[
            Literal["characters", "tokens"] | None,
            typer.Option(help="Unit of the limit: characters or tokens."),
        ],
    ),
    "min_size": (
        "min_size",
        Annotated[
            int | None,
            typer.Option(min=0, max=100_000, help="Paragraphs with fewer characters join the one before."),
        ],
    ),
    "pattern": ("patterns", PatternOption),
    "overlap": ("overlap", OverlapOption),
    "filter": ("with_filter", FilterOption),
    "comments": (
        "include_comments",
        Annotated[
            bool | None,
            typer.Option(
                "--comments/--no-comments", help="Read comments of Office files and notes of cells as text."
            ),
        ],
    ),
    "running": (
        "include_running",
        Annotated[
            bool | None,
            typer.Option("--running/--no-running", help="Read headers and footers of Office texts as text."),
        ],
    ),
    "sheet_form": ("sheet_form", SheetOption),
}


def takes_split_options[**P, R](function: Callable[P, Awaitable[R]]) -> Callable[P, Awaitable[R]]:
    """Replaces the parameter `split` by the options; none of them is there unless it was given."""

    async def command(*args: Any, **given: Any) -> R:
        chosen = {name: given.pop(option, None) for option, (name, _) in _OPTIONS.items()}
        given["split"] = {name: value for name, value in chosen.items() if value is not None}
        return await function(*args, **given)

    kind = inspect.Parameter.KEYWORD_ONLY
    options = [
        inspect.Parameter(option, kind, default=None, annotation=annotation)
        for option, (_, annotation) in _OPTIONS.items()
    ]
    own = [p for p in inspect.signature(function).parameters.values() if p.name != "split"]
    command.__signature__ = inspect.Signature([*own, *options])  # type: ignore[attr-defined]
    command.__doc__ = function.__doc__
    return command


def settings_of(base: Mapping[str, Any], split: Mapping[str, Any]) -> dict[str, Any]:
    """What to send with a file: nothing if nothing was said, else the base's settings with what was said."""
    return {**base["split_settings"], **split} if split else {}
