"""What lists a DOCX defines (`word/numbering.xml`)."""

from refdesk.knowledge.parsing.numbering import Level, Numbering
from refdesk.knowledge.parsing.xml_tree import Element

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def read_numbering(root: Element | None) -> Numbering:
    """From `word/numbering.xml`; empty where the part is missing."""
    made = Numbering()
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


def _levels(node: Element) -> dict[int, Level]:
    """The levels that a list defines, or that one of its uses defines anew."""
    levels: dict[int, Level] = {}
    for lvl in node.iter(f"{W}lvl"):
        restarts = _val(lvl, "lvlRestart")
        legal = lvl.find(f"{W}isLgl")
        levels[_int(lvl.get(f"{W}ilvl"), 0)] = Level(
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
