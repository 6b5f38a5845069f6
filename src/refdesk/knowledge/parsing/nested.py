"""Files inside a file (archives, messages): each is read like any other, and none harms the rest.

Owns the count of what the members cost together, and of those that were left out. A member's blocks stand
under a heading with its name; its own headings go one level down; its pages are not those of the outer file
and are left out.
"""

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

from refdesk.kit.wording import counted
from refdesk.knowledge.parsing.blocks import BlockList, Parsed, ParseOptions, ParseWarning
from refdesk.knowledge.parsing.errors import (
    BY_CODE,
    EmptyFile,
    NoMemberRead,
    ParseCrashed,
    ParseError,
    PasswordRequired,
    PasswordWrong,
    UnsupportedKind,
)
from refdesk.knowledge.parsing.progress import listening
from refdesk.knowledge.parsing.selection import parse

_MAX_LEVEL = 6
# Warnings that name a member that was left out, and others of members; what is beyond is counted.
_MAX_NAMED = 100
_MAX_WARNINGS = 200
# In the metadata, with their reasons.
_MAX_LISTED = 1_000


_LEFT_OUT = "members-left-out"


def _told(name: str, cause: str) -> dict[str, str | int]:
    return {"name": name, "cause": cause}


@dataclass(slots=True)
class Members:
    """Reads members into `found`; `left` is how many bytes may still be unpacked.

    `weighs_lost`: a member that was left out lowers the coverage as much as losing one of average length
    would, for nobody can tell how long it is. Empty ones and kinds that hold no known text do not.
    """

    found: BlockList
    options: ParseOptions
    left: int
    level: int = 1
    weighs_lost: bool = False
    extracted: int = 0
    kept: int = 0
    read: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    skipped: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    files_read: int = 0
    files_left_out: int = 0
    reasons: Counter[str] = field(default_factory=Counter[str])
    _lost: int = 0
    _named: list[ParseWarning] = field(default_factory=list[ParseWarning])
    _warned: int = 0

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
        self.files_read += int(parsed.meta.get("files_read", 1))
        self.files_left_out += int(parsed.meta.get("files_left_out", 0))
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
            self._take_over(name, warning)
        return True

    def skip(self, name: str, reason: ParseError) -> None:
        """Record a member that was not read."""
        self.files_left_out += 1
        self.reasons[reason.code] += 1
        self._lost += not isinstance(reason, UnsupportedKind | EmptyFile)
        if len(self.skipped) < _MAX_LISTED:
            self.skipped.append({"name": name, "code": reason.code, "reason": reason.text})
        self._name(ParseWarning("member-skipped", f"{name}: {reason.text}", None, _told(name, reason.code)))

    def _name(self, warning: ParseWarning) -> None:
        if len(self._named) < _MAX_NAMED:
            self._named.append(warning)

    def _take_over(self, name: str, warning: ParseWarning) -> None:
        """A warning about a member; those about members of its own go by the whole path."""
        if warning.code == _LEFT_OUT:
            return  # counted with all others
        details = {**warning.details, "name": f"{name}/{warning.details.get('name', '')}".rstrip("/")}
        warning = replace(warning, message=f"{name}: {warning.message}", page=None, details=details)
        if warning.code == "member-skipped":
            self._name(warning)
            return
        self._warned += 1
        if self._warned <= _MAX_WARNINGS:
            self.found.warnings.append(warning)

    def _warnings(self) -> tuple[ParseWarning, ...]:
        """All of them: who was left out first, then how many more were, then the others."""
        warnings = [*self._named]
        if more := self.files_left_out - len(self._named):
            message = f"And {counted(more, 'more file was', 'more files were')} left out."
            warnings.append(ParseWarning(_LEFT_OUT, message, None, {"count": more}))
        warnings += self.found.warnings
        if more := max(0, self._warned - _MAX_WARNINGS):
            message = f"And {counted(more, 'more warning', 'more warnings')} about files inside."
            warnings.append(ParseWarning("more-warnings", message, None, {"count": more}))
        return tuple(warnings)

    def close(self, outer: Parsed) -> Parsed:
        """The outer file with the blocks, warnings and counts of its members."""
        lost = self._lost * self.extracted // len(self.read) if self.weighs_lost and self.read else 0
        counts = {"files_read": self.files_read, "files_left_out": self.files_left_out}
        return replace(
            outer,
            blocks=tuple(self.found.blocks),
            warnings=self._warnings(),
            extracted_chars=outer.extracted_chars + self.extracted + lost,
            kept_chars=outer.kept_chars + self.kept,
            meta={
                **outer.meta,
                **(counts if self.read or self.files_left_out else {}),
                **{k: v for k, v in (("members", self.read), ("members_skipped", self.skipped)) if v},
                "unpacked_bytes": self.options.max_unpacked_bytes - self.left,
            },
        )


def nothing_read(members: Members) -> ParseError:
    """Why an archive gave nothing at all: its own emptiness, or why its members could not be read.

    One reason for all of them is the archive's too. Of several the commonest is named; a password that is
    missing or wrong stays the reason, as it is the only one that can be put right at once.
    """
    skipped, total = members.skipped, members.reasons.total()
    if not skipped:
        return EmptyFile("The archive holds no files.")
    named = "; ".join(f"{item['name']}: {item['reason']}" for item in skipped[:5])
    (commonest, times), *others = members.reasons.most_common()
    details: dict[str, Any] = {"members": total, "reasons": dict(members.reasons)}
    if not others:
        kind = BY_CODE.get(commonest, ParseError)
        return kind(f"No file of the archive could be read. {named}", **details)
    sealed = [kind for kind in (PasswordWrong, PasswordRequired) if kind.code in members.reasons]
    kind = sealed[0] if sealed else NoMemberRead
    told = next((item["reason"] for item in skipped if item["code"] == commonest), "")
    return kind(
        f"No file of the archive could be read, for different reasons. The commonest, with {times} of "
        f"{counted(total, 'file')}: {told} ({commonest}) The first: {named}",
        **details,
    )
