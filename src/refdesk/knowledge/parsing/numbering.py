"""Numbers of lists and headings, counted as Word does, which stores none of them.

Knows no file format: readers of DOCX and DOC fill in what a document defines.
"""

from dataclasses import dataclass, field

from refdesk.knowledge.parsing.ordinals import ordinal

_MAX_LEVEL = 9


@dataclass(frozen=True, slots=True)
class Level:
    """`style` is the paragraph style that belongs to this level; `restarts` names the level (from 1) after
    which counting begins anew, 0 for never; `legal` shows the numbers above it in digits."""

    form: str
    text: str
    start: int
    style: str | None = None
    restarts: int | None = None
    legal: bool = False


@dataclass(slots=True)
class Numbering:
    """Counts paragraphs of each list; `label` gives what Word would show before the text."""

    levels: dict[str, dict[int, Level]] = field(default_factory=dict[str, dict[int, Level]])
    changed: dict[str, dict[int, Level]] = field(default_factory=dict[str, dict[int, Level]])
    abstract: dict[str, str] = field(default_factory=dict[str, str])
    overrides: dict[tuple[str, int], int] = field(default_factory=dict[tuple[str, int], int])
    counters: dict[str, list[int | None]] = field(default_factory=dict[str, list[int | None]])
    seen: set[str] = field(default_factory=set[str])

    def _definition(self, number: str) -> dict[int, Level]:
        return self.changed.get(number) or self.levels.get(self.abstract.get(number) or "", {})

    def level_of_style(self, number: str, styles: tuple[str, ...]) -> int | None:
        """The level of a list that belongs to the first of these paragraph styles that has one."""
        by_style = {level.style: at for at, level in self._definition(number).items() if level.style}
        return next((by_style[style] for style in styles if style in by_style), None)

    def label(self, number: str, level: int) -> str | None:
        """What stands before the next paragraph of a list at `level` (from 0); `-` for bullets."""
        abstract = self.abstract.get(number)
        definition = self._definition(number)
        level = min(max(level, 0), _MAX_LEVEL - 1)
        if abstract is None or level not in definition:
            return None
        counter = self.counters.setdefault(abstract, [None] * _MAX_LEVEL)
        if number not in self.seen:
            self.seen.add(number)
            for (owner, at), start in self.overrides.items():
                if owner == number:
                    counter[at] = start - 1
        current = counter[level]
        counter[level] = (definition[level].start - 1 if current is None else current) + 1
        for deeper in range(level + 1, _MAX_LEVEL):
            after = definition[deeper].restarts if deeper in definition else None
            if after is None or level < after:
                counter[deeper] = None
        shape = definition[level]
        if shape.form == "bullet":
            return "-"
        if shape.form == "none":
            return ""
        text = shape.text
        for at in range(level + 1):
            if f"%{at + 1}" in text:
                value = counter[at]
                form = definition[at].form if at in definition else "decimal"
                form = "decimal" if shape.legal and at < level else form
                start = definition[at].start if at in definition else 1
                text = text.replace(f"%{at + 1}", ordinal(start if value is None else value, form))
        return text.strip()
