"""What servers of embeddings and rerankings tell of the tokens they read."""

from collections.abc import Callable
from typing import Any, cast

from refdesk.gateway.calls import UsageReport

type OnUsage = Callable[[UsageReport], None]


def tokens_read(answer: Any) -> UsageReport | None:
    """The tokens of one answer, None where it tells none.

    OpenAI, Jina, vLLM and their likes: `usage.prompt_tokens` or `total_tokens`; Cohere:
    `meta.billed_units.input_tokens`; Amazon's Titan: `inputTextTokenCount`; Google's Vertex: a
    `token_count` for each text.
    """
    usage, units = _member(answer, "usage"), _member(_member(answer, "meta"), "billed_units")
    for value in (
        _member(usage, "prompt_tokens"),
        _member(usage, "total_tokens"),
        _member(units, "input_tokens"),
        _member(answer, "inputTextTokenCount"),
    ):
        if value:
            return UsageReport.told([value], [])
    rows: list[Any] = _member(answer, "predictions") or []
    counts = [_member(_member(_member(row, "embeddings"), "statistics"), "token_count") for row in rows]
    return UsageReport.told(counts, []) if any(counts) else None


def _member(value: Any, name: str) -> Any:
    return cast("dict[str, Any]", value).get(name) if isinstance(value, dict) else None
