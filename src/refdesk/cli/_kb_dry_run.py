"""`refdesk kb add FILE --dry-run`: what would become of a file, read on this machine; nothing is stored.

Read with the settings that were said, else those of the base, and with the limits of this machine, which are
the server's where both are one.
"""

import asyncio
from pathlib import Path
from typing import Any


async def would_add(path: Path, base: dict[str, Any], settings: dict[str, Any]) -> dict[str, Any]:
    """The outcome of one file: `reading` tells what would be read, `error` why nothing would."""
    # Loaded here: most commands need nothing of the server's code.
    from refdesk.kit.errors import AppError

    outcome: dict[str, Any] = {"path": str(path), "document_id": None, "state": "refused", "error": None}
    try:
        reading = await _reading(path, base, settings)
    except OSError as error:
        problem = {"code": "unreadable", "reason": error.strerror or str(error), "hint": None}
        return outcome | {"error": problem}
    except AppError as error:
        return outcome | {"error": {"code": error.code, "reason": error.text, "hint": error.hint_text}}
    return outcome | {"state": "would-add", "reading": reading}


async def _reading(path: Path, base: dict[str, Any], settings: dict[str, Any]) -> dict[str, Any]:
    from refdesk.kit.settings import get_settings
    from refdesk.knowledge import (
        FileTooLarge,
        SplitOptions,
        parse_options,
        require_sound_patterns,
        split_settings,
    )
    from refdesk.knowledge.parsing import EmptyFile, NoText
    from refdesk.knowledge.reading import Limits, read_in_subprocess

    data = await asyncio.to_thread(path.read_bytes)
    if not data:
        raise EmptyFile
    if len(data) > base["upload_limit_bytes"]:
        raise FileTooLarge(max_bytes=base["upload_limit_bytes"])
    limits = get_settings()
    options = SplitOptions.model_validate(settings)
    await require_sound_patterns(options.patterns)
    reading = await read_in_subprocess(
        data, path.name, parse_options(options, limits), split_settings(options), Limits.of(limits)
    )
    parsed, result = reading.summary, reading.result
    if not result.paragraphs:
        raise NoText
    return {
        "kind": parsed.kind,
        "paragraph_count": len(result.paragraphs),
        "character_count": sum(len(paragraph.content) for paragraph in result.paragraphs),
        "coverage": round(parsed.coverage, 6),
        "warnings": [
            {"code": warning.code, "message": warning.message, "page": warning.page}
            for warning in (*parsed.warnings, *result.warnings)
        ],
    }


def reading_lines(reading: dict[str, Any]) -> list[str]:
    """What would be read, in words: kind, paragraphs, share that is kept, warnings."""
    count = reading["paragraph_count"]
    paragraphs = "1 paragraph" if count == 1 else f"{count} paragraphs"
    lines = [f"   {reading['kind']}, {paragraphs}, {reading['coverage']:.1%} of its text kept"]
    for warning in reading["warnings"]:
        page = f", page {warning['page']}" if warning["page"] else ""
        lines.append(f"   {warning['message']} [{warning['code']}{page}]")
    return lines
