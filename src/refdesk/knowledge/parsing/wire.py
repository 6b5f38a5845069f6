"""Parse results as JSON, for the way from the parsing process to its parent.

JSON and not pickle: the process reads hostile files, and unpickling what it sends would hand them this one.
"""

from collections.abc import Mapping
from typing import Any, cast

import orjson

from refdesk.kit.errors import AppError
from refdesk.knowledge.parsing.blocks import Block, Box, Parsed, ParseOptions, ParseWarning
from refdesk.knowledge.parsing.errors import BY_CODE, ParseCrashed, ParseError

# Begins a line of progress on standard error (`done total`); libraries write there too, but never this.
PROGRESS_MARK = "\x1eprogress "
# Begins a line that asks for time beyond the limit (milliseconds, in all).
EXTEND_MARK = "\x1eextend "
# Begins the line that tells that the file has been read and splitting begins.
SPLITTING_MARK = "\x1esplitting"


def options_of(value: dict[str, Any]) -> ParseOptions:
    """Options from what `asdict` made of them."""
    return ParseOptions(**value)


def encode_parsed(parsed: Parsed) -> bytes:
    """A result as JSON."""
    blocks = [
        [
            b.kind,
            b.text,
            b.level,
            b.page,
            [[x.page, x.x0, x.y0, x.x1, x.y1] for x in b.boxes] if b.boxes else (),
            b.offset,
            b.confidence,
            b.pictures,
        ]
        for b in parsed.blocks
    ]
    return orjson.dumps(
        {
            "name": parsed.name,
            "kind": parsed.kind,
            "blocks": blocks,
            "meta": parsed.meta,
            "warnings": [[w.code, w.message, w.page, w.details] for w in parsed.warnings],
            "extracted_chars": parsed.extracted_chars,
            "kept_chars": parsed.kept_chars,
        }
    )


def encode_error(error: AppError) -> bytes:
    """A failure as JSON."""
    return orjson.dumps(
        {
            "error": {
                "code": error.code,
                "text": error.text,
                "hint": error.hint_text,
                "details": error.details,
            }
        },
        default=str,
    )


def reported_error(
    reported: dict[str, Any], known: Mapping[str, type[AppError]], otherwise: type[AppError]
) -> AppError:
    """A failure that a process reported, as the exception it was."""
    kind = known.get(reported["code"], otherwise)
    return kind(reported["text"], hint=reported["hint"], **reported["details"])


def decode_result(data: bytes) -> Parsed:
    """A result from JSON; raises the `ParseError` where the process reported one."""
    try:
        value = cast(dict[str, Any], orjson.loads(data))
    except orjson.JSONDecodeError as error:
        raise ParseCrashed(reason="incomplete result") from error
    if "error" in value:
        raise reported_error(value["error"], BY_CODE, ParseError)
    return Parsed(
        name=value["name"],
        kind=value["kind"],
        blocks=tuple(
            Block(kind, text, level, page, tuple(Box(*box) for box in boxes), *rest)
            for kind, text, level, page, boxes, *rest in value["blocks"]
        ),
        meta=value["meta"],
        warnings=tuple(ParseWarning(*w) for w in value["warnings"]),
        extracted_chars=value["extracted_chars"],
        kept_chars=value["kept_chars"],
    )
