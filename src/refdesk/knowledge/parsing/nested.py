"""Files inside a file (archives, messages): each is read like any other, and none harms the rest.

Owns the count of what the members cost together. A member's blocks stand under a heading with its name; its
own headings go one level down; its pages are not those of the outer file and are left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from refdesk.knowledge.parsing.blocks import BlockList, Parsed, ParseOptions, ParseWarning
from refdesk.knowledge.parsing.errors import (
    EmptyFile,
    NoText,
    ParseCrashed,
    ParseError,
    PasswordRequired,
    UnpackedTooLarge,
)
from refdesk.knowledge.parsing.progress import listening
from refdesk.knowledge.parsing.selection import parse

_MAX_LEVEL = 6
_MAX_WARNINGS = 200


@dataclass(slots=True)
class Members:
    """Reads members into `found`; `left` is how many bytes may still be unpacked."""

    found: BlockList
    options: ParseOptions
    left: int
    level: int = 1
    extracted: int = 0
    kept: int = 0
    read: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    skipped: list[dict[str, str]] = field(default_factory=list[dict[str, str]])

    def add(self, name: str, data: bytes, *, quiet: tuple[type[ParseError], ...] = ()) -> bool:
        """Read one member; a failure becomes a warning, unless it is one of `quiet`. Whether it was read."""
        self.left -= len(data)
        try:
            options = replace(
                self.options,
                max_nesting=self.options.max_nesting - 1,
                max_unpacked_bytes=max(self.left, 0),
            )
            with listening(None):  # its pages are not those of the outer file
                parsed = parse(data, name, options)
        except ParseError as error:
            if not isinstance(error, quiet):
                self.skip(name, error)
            return False
        except Exception as error:  # noqa: BLE001 — a fault of one parser must not cost the other members
            self.skip(name, ParseCrashed(reason=type(error).__name__))
            return False
        self.left -= int(parsed.meta.get("unpacked_bytes", 0))
        self.extracted += parsed.extracted_chars
        self.kept += parsed.kept_chars
        self.read.append({"name": name, "kind": parsed.kind, "characters": parsed.extracted_chars})
        self.found.add("heading", name, level=self.level)
        for block in parsed.blocks:
            level = block.level
            if block.kind == "heading":
                level = min((level or 1) + self.level, _MAX_LEVEL)
            self.found.add(
                block.kind,
                block.text,
                level=level,
                confidence=block.confidence,
                pictures=block.pictures,
            )
        for warning in parsed.warnings:
            self._warn(replace(warning, message=f"{name}: {warning.message}", page=None))
        return True

    def skip(self, name: str, reason: ParseError) -> None:
        """Record a member that was not read."""
        self.skipped.append({"name": name, "code": reason.code, "reason": reason.text})
        self._warn(ParseWarning("member-skipped", f"{name}: {reason.text}"))

    def _warn(self, warning: ParseWarning) -> None:
        if len(self.found.warnings) < _MAX_WARNINGS:
            self.found.warnings.append(warning)

    def close(self, outer: Parsed) -> Parsed:
        """The outer file with the blocks, warnings and counts of its members."""
        return replace(
            outer,
            blocks=tuple(self.found.blocks),
            warnings=tuple(self.found.warnings),
            extracted_chars=outer.extracted_chars + self.extracted,
            kept_chars=outer.kept_chars + self.kept,
            meta={
                **outer.meta,
                **{k: v for k, v in (("members", self.read), ("members_skipped", self.skipped)) if v},
                "unpacked_bytes": self.options.max_unpacked_bytes - self.left,
            },
        )


def nothing_read(skipped: Sequence[dict[str, str]]) -> ParseError:
    """Why an archive gave nothing at all: its own emptiness, or what all members have in common."""
    if not skipped:
        return EmptyFile("The archive holds no files.")
    named = "; ".join(f"{item['name']}: {item['reason']}" for item in skipped[:5])
    codes = {item["code"] for item in skipped}
    same = [kind for kind in (UnpackedTooLarge, PasswordRequired, NoText) if codes == {kind.code}]
    kind = same[0] if same else EmptyFile
    return kind(f"No file of the archive could be read. {named}", members=len(skipped))
