"""Numbers of lists and headings, which DOCX computes at display time and stores nowhere."""

from dataclasses import dataclass, field

from refdesk.knowledge.parsing.ordinals import ordinal
from refdesk.knowledge.parsing.xml_tree import Element

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MAX_LEVEL = 9


@dataclass(frozen=True, slots=True)
class _Level:
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

    levels: dict[str, dict[int, _Level]] = field(default_factory=dict[str, dict[int, _Level]])
    changed: dict[str, dict[int, _Level]] = field(default_factory=dict[str, dict[int, _Level]])
    abstract: dict[str, str] = field(default_factory=dict[str, str])
    overrides: dict[tuple[str, int], int] = field(default_factory=dict[tuple[str, int], int])
    counters: dict[str, list[int | None]] = field(default_factory=dict[str, list[int | None]])
    seen: set[str] = field(default_factory=set[str])

    @classmethod
    def read(cls, root: Element | None) -> "Numbering":
        """From `word/numbering.xml`; empty where the part is missing."""
        made = cls()
        if root is None:
            return made
        linked: dict[str, str] = {}
        by_style: dict[str, str] = {}
        for node in root.iter(f"{W}abstractNum"):
            abstract = node.get(f"{W}abstractNumId", "")
            by_style[_val(node, "styleLink") or ""] = abstract
            linked[abstract] = _val(node, "numStyleLink") or ""
            made.levels[abstract] = _levels(node)
        for abstract, style in linked.items():
            # The levels of a list may be those of a list style, which is defined by another list.
            if style and not made.levels[abstract]:
                made.levels[abstract] = made.levels.get(by_style.get(style, ""), {})
        for node in root.iter(f"{W}num"):
            number = node.get(f"{W}numId", "")
            made.abstract[number] = _val(node, "abstractNumId") or ""
            changed = _levels(node)
            if changed:
                made.changed[number] = made.levels.get(made.abstract[number], {}) | changed
            for override in node.iter(f"{W}lvlOverride"):
                start = _val(override, "startOverride")
                at = _int(override.get(f"{W}ilvl"), 0)
                start = str(changed[at].start) if start is None and at in changed else start
                if start is not None:
                    made.overrides[number, at] = _int(start, 1)
        return made

    def _definition(self, number: str) -> dict[int, _Level]:
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


def _levels(node: Element) -> dict[int, _Level]:
    """The levels that a list defines, or that one of its uses defines anew."""
    levels: dict[int, _Level] = {}
    for lvl in node.iter(f"{W}lvl"):
        restarts = _val(lvl, "lvlRestart")
        legal = lvl.find(f"{W}isLgl")
        levels[_int(lvl.get(f"{W}ilvl"), 0)] = _Level(
            _val(lvl, "numFmt") or "decimal",
            _val(lvl, "lvlText") or "",
            _int(_val(lvl, "start"), 1),
            _val(lvl, "pStyle"),
            _int(restarts, 0) if restarts is not None else None,
            legal is not None and legal.get(f"{W}val") not in ("0", "false"),
        )
    return levels


def _val(node: Element, name: str) -> str | None:
    child = node.find(f"{W}{name}")
    return None if child is None else child.get(f"{W}val")


def _int(value: str | None, default: int) -> int:
    try:
        return int(value) if value is not None else default
    except ValueError:
        return default
