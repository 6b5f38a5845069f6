"""Split settings and paragraphs as JSON, for the way to and from the process that splits.

The answer also holds what the parse result says of the file as a whole, so that whoever wants no more than
that and the paragraphs need not take the blocks apart.
"""

from dataclasses import asdict, dataclass
from typing import Any, cast

import orjson

from refdesk.kit.errors import AppError
from refdesk.knowledge.parsing.blocks import Box, Parsed, ParseWarning
from refdesk.knowledge.parsing.wire import reported_error
from refdesk.knowledge.splitting.errors import BY_CODE, SplitCrashed
from refdesk.knowledge.splitting.patterns import PatternMatch
from refdesk.knowledge.splitting.settings import ParagraphDraft, SplitResult, SplitSettings


@dataclass(frozen=True, slots=True)
class Summary:
    """A parse result without its blocks; see `Parsed` for what each field means."""

    kind: str
    meta: dict[str, Any]
    warnings: tuple[ParseWarning, ...]
    extracted_chars: int
    kept_chars: int

    @property
    def coverage(self) -> float:
        """Share of the extracted characters that were kept, 0–1; 1.0 where there was nothing to keep."""
        return self.kept_chars / self.extracted_chars if self.extracted_chars else 1.0


def settings_as_json(settings: SplitSettings) -> dict[str, Any]:
    """Settings as a value that JSON can hold."""
    return asdict(settings)


def settings_of(value: dict[str, Any]) -> SplitSettings:
    """Settings from such a value. Raises what `SplitSettings` raises."""
    chosen: dict[str, Any] = {**value, "patterns": tuple(value["patterns"])}
    return SplitSettings(**chosen)


def encode_split(parsed: Parsed, result: SplitResult) -> bytes:
    """A result as JSON, with a summary of what was split."""
    return orjson.dumps(
        {
            "summary": {
                "kind": parsed.kind,
                "meta": parsed.meta,
                "warnings": _warnings(parsed.warnings),
                "extracted_chars": parsed.extracted_chars,
                "kept_chars": parsed.kept_chars,
            },
            "removed_chars": result.removed_chars,
            "warnings": _warnings(result.warnings),
            "paragraphs": [
                [
                    p.title,
                    p.title_chain,
                    p.content,
                    p.page,
                    [[x.page, x.x0, x.y0, x.x1, x.y1] for x in p.boxes] if p.boxes else (),
                    p.start,
                    p.end,
                    p.heading,
                    p.meta,
                ]
                for p in result.paragraphs
            ],
        }
    )


def _warnings(warnings: tuple[ParseWarning, ...]) -> list[list[Any]]:
    return [[w.code, w.message, w.page, w.details] for w in warnings]


def decode_split(data: bytes) -> tuple[Summary, SplitResult]:
    """A result from JSON; raises the error where the process reported one."""
    value = cast(dict[str, Any], _decoded(data))
    summary = value["summary"]
    return (
        Summary(
            kind=summary["kind"],
            meta=summary["meta"],
            warnings=tuple(ParseWarning(*w) for w in summary["warnings"]),
            extracted_chars=summary["extracted_chars"],
            kept_chars=summary["kept_chars"],
        ),
        SplitResult(
            paragraphs=tuple(
                ParagraphDraft(title, tuple(chain), content, page, tuple(Box(*box) for box in boxes), *rest)
                for title, chain, content, page, boxes, *rest in value["paragraphs"]
            ),
            removed_chars=value["removed_chars"],
            warnings=tuple(ParseWarning(*w) for w in value["warnings"]),
        ),
    )


def decode_matches(data: bytes) -> list[PatternMatch]:
    """What patterns found; raises the error where the process reported one."""
    return [PatternMatch(**match) for match in cast(list[dict[str, Any]], _decoded(data))]


def _decoded(data: bytes) -> Any:
    try:
        value: Any = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise SplitCrashed(reason="incomplete result") from error
    if isinstance(value, dict) and "error" in value:
        told = cast(dict[str, Any], value)["error"]
        raise reported_error(told, BY_CODE, AppError)
    return cast(Any, value)
