"""What can be chosen about splitting, and what comes out of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from refdesk.knowledge.parsing.blocks import Box, ParseWarning
from refdesk.knowledge.splitting.errors import SettingsInvalid
from refdesk.knowledge.splitting.patterns import compiled_pattern

Profile = Literal["standard", "compact", "structured"]
Unit = Literal["characters", "tokens"]
MIN_LIMIT, MAX_LIMIT = 50, 100_000
_DEFAULTS: dict[Profile, tuple[int, Unit, int]] = {
    "standard": (4096, "characters", 0),
    "compact": (500, "tokens", 0),
    "structured": (1000, "characters", 100),
}
UNSTRUCTURED_PDF_LIMIT = 512
# Half of the smallest index piece, or pieces would not advance.
MAX_OVERLAP = 300
_STRUCTURED_OVERLAP = 64


@dataclass(frozen=True, slots=True)
class SplitSettings:
    """Settings of one split; None means the profile's default.

    `limit` is the largest paragraph in `unit`; `min_size` is in characters: a smaller paragraph is merged
    into the one before. `patterns` are regular expressions, one a level of heading, that replace the
    headings found by the parser. `with_filter` cleans white space, control characters and separator lines.
    `overlap` is in characters, of what neighbouring index pieces of one paragraph share; paragraphs never
    overlap, so that it does not change what `split` gives.
    """

    profile: Profile = "standard"
    limit: int | None = None
    unit: Unit | None = None
    min_size: int | None = None
    patterns: tuple[str, ...] = ()
    with_filter: bool = True
    overlap: int | None = None

    def __post_init__(self) -> None:
        if self.profile not in _DEFAULTS:
            raise SettingsInvalid(f"There is no profile “{self.profile}”.", profile=self.profile)
        if self.limit is not None and not MIN_LIMIT <= self.limit <= MAX_LIMIT:
            raise SettingsInvalid(f"limit must be from {MIN_LIMIT} to {MAX_LIMIT}.", limit=self.limit)
        if self.min_size is not None and self.min_size < 0:
            raise SettingsInvalid("min_size must not be negative.", min_size=self.min_size)
        if self.overlap is not None and not 0 <= self.overlap <= MAX_OVERLAP:
            raise SettingsInvalid(f"overlap must be from 0 to {MAX_OVERLAP}.", overlap=self.overlap)
        if self.overlap is not None and self.overlap >= self.effective_limit:
            raise SettingsInvalid(
                "overlap must be smaller than the limit.", overlap=self.overlap, limit=self.effective_limit
            )
        if len(self.patterns) > 6:
            raise SettingsInvalid("At most six patterns can be given.", patterns=len(self.patterns))
        for pattern in self.patterns:
            compiled_pattern(pattern)

    @property
    def effective_limit(self) -> int:
        """The limit, with the profile's default filled in."""
        return self.limit if self.limit is not None else _DEFAULTS[self.profile][0]

    @property
    def effective_unit(self) -> Unit:
        """The unit of the limit; a limit given without a unit counts in the profile's unit."""
        return self.unit if self.unit is not None else _DEFAULTS[self.profile][1]

    @property
    def effective_min_size(self) -> int:
        """The smallest paragraph in characters that stands alone."""
        return self.min_size if self.min_size is not None else _DEFAULTS[self.profile][2]


def overlap_of(chosen: Mapping[str, Any]) -> int | None:
    """The overlap of index pieces, in characters, that settings ask for; None leaves it to the script."""
    overlap: int | None = chosen.get("overlap")
    return _STRUCTURED_OVERLAP if overlap is None and chosen.get("profile") == "structured" else overlap


@dataclass(frozen=True, slots=True)
class ParagraphDraft:
    """A paragraph before it is saved. `Parsed.text[start:end]` is its source, heading included.

    `title` is the heading in one plain line, number and all, `heading` is as written; `title_chain` holds
    the parents' titles from the top. `content` is the text below the heading; a cut table has its header row
    repeated. `meta` holds what `facts` knows of it (`has_table`, `has_image`, `ocr_text`,
    `confidence_score`, …).
    """

    title: str
    title_chain: tuple[str, ...]
    content: str
    page: int | None
    boxes: tuple[Box, ...]
    start: int
    end: int
    heading: str = ""
    meta: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class SplitResult:
    """Paragraphs in the order of the text, and how many characters cleaning removed."""

    paragraphs: tuple[ParagraphDraft, ...]
    removed_chars: int
    warnings: tuple[ParseWarning, ...]
