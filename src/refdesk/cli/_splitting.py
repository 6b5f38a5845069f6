"""Options of how a file is cut into paragraphs, shared by the commands that send files or read them."""

from typing import Annotated, Any, Literal

import typer

Profile = Literal["standard", "compact", "structured"]
ProfileOption = Annotated[Profile | None, typer.Option(help="How to cut: standard, compact, structured.")]
LimitOption = Annotated[int | None, typer.Option(min=50, max=100_000, help="Longest paragraph.")]
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


def split_options(
    profile: str | None, limit: int | None, pattern: list[str] | None, overlap: int | None
) -> dict[str, Any]:
    """Those that were given, by the names the API has for them."""
    chosen = {"profile": profile, "limit": limit, "patterns": pattern, "overlap": overlap}
    return {key: value for key, value in chosen.items() if value is not None}
