"""Split settings that come with an archive pass the door that those of people pass, or the base's are taken.

The base's own settings were checked when it was made. Archives come from strangers: one could hold another
catastrophic pattern for each of its documents, so only so many sets are tried.
"""

from typing import Any

from refdesk.kit.errors import AppError
from refdesk.knowledge.exchange.groups import Item
from refdesk.knowledge.exchange.records import VersionLine
from refdesk.knowledge.schemas import DocumentWarning, SplitOptions
from refdesk.knowledge.split_checks import require_usable
from refdesk.knowledge.tables import KnowledgeBase
from refdesk.knowledge.versions.switching import REFUSED

# One set takes 0.1 s, a catastrophic one up to 3 s.
MOST_SETS = 100


class SplitGuard:
    """Checks the settings of one import, each set once. `fallback` are the settings of the base."""

    def __init__(self, fallback: SplitOptions) -> None:
        self._fallback = fallback
        self._refused: dict[tuple[object, ...], str | None] = {}

    @classmethod
    def of(cls, base: KnowledgeBase) -> "SplitGuard":
        return cls(SplitOptions.model_validate(base.settings.get("split", {})))

    async def refusal(self, options: SplitOptions) -> str | None:
        """The code of the error for which these settings cannot be used; None where they can."""
        key = (options.profile, options.limit, options.overlap, *options.patterns)
        if key not in self._refused:
            if len(self._refused) >= MOST_SETS and options.patterns:
                return "too-many-patterns"
            try:
                await require_usable(options)
            except AppError as error:
                self._refused[key] = error.code
            else:
                self._refused[key] = None
        return self._refused[key]

    async def document(self, item: Item) -> None:
        """Give a document of the archive settings that can be used, and a warning if they are not its own."""
        cause = await self.refusal(item.document.split_settings)
        if cause is not None:
            item.document = item.document.model_copy(update=self._instead(item.document.warnings, cause))

    async def version(self, line: VersionLine) -> VersionLine:
        """The same for an earlier version."""
        cause = await self.refusal(line.split_settings)
        return line if cause is None else line.model_copy(update=self._instead(line.warnings, cause))

    def _instead(self, warnings: list[DocumentWarning], cause: str) -> dict[str, Any]:
        warning = DocumentWarning(
            code=REFUSED,
            message="Its split settings in the archive cannot be used; those of the base were taken.",
            details={"cause": cause},
        )
        return {"split_settings": self._fallback, "warnings": [*warnings, warning]}
