"""Paragraph styles of a DOCX: outline level, list and role, through the chain of `basedOn`."""

import re
from dataclasses import dataclass, field

from refdesk.knowledge.parsing.docx.numbering import W
from refdesk.knowledge.parsing.xml_tree import Element

_HEADING = re.compile(r"^(?:heading|标题|標題|berschrift|titre|überschrift|見出し)\s*([1-9])$", re.IGNORECASE)
_CHAIN = 20


@dataclass(frozen=True, slots=True)
class Style:
    """What matters of a style: `outline` is the heading level from 1, `number` is (list, level from 0).

    `ids` are the style and those it is based on, as far as its number is inherited from them.
    """

    name: str
    outline: int | None = None
    number: tuple[str, int | None] | None = None
    parent: str | None = None
    ids: tuple[str, ...] = ()


@dataclass(slots=True)
class Styles:
    """Styles by id, with what they inherit."""

    by_id: dict[str, Style] = field(default_factory=dict[str, Style])

    @classmethod
    def read(cls, root: Element | None) -> "Styles":
        """From `word/styles.xml`; empty where the part is missing."""
        made = cls()
        if root is None:
            return made
        for node in root.iter(f"{W}style"):
            if node.get(f"{W}type") != "paragraph":
                continue
            properties = node.find(f"{W}pPr")
            name_node, parent = node.find(f"{W}name"), node.find(f"{W}basedOn")
            name = (name_node.get(f"{W}val") or "") if name_node is not None else ""
            named = _HEADING.match(name.strip())
            made.by_id[node.get(f"{W}styleId", "")] = Style(
                name=name.strip().lower(),
                outline=int(named[1]) if named else outline_level(properties),
                number=number_of(properties),
                parent=parent.get(f"{W}val") if parent is not None else None,
            )
        return made

    def resolve(self, style_id: str | None) -> Style:
        """The style with inherited outline level and numbering filled in."""
        name, outline, number = "", None, None
        ids: list[str] = []
        for _ in range(_CHAIN):
            style = self.by_id.get(style_id or "")
            if style is None:
                break
            name = name or style.name
            outline = outline if outline is not None else style.outline
            ids.append(style_id or "")
            if number is None or number[0] == "":
                number = style.number if number is None else (style.number or number)
            style_id = style.parent
        level = outline if outline is not None and outline <= 9 else None
        return Style(name, level, number, ids=tuple(ids))


def outline_level(properties: Element | None) -> int | None:
    """Heading level from 1, or None; body text (9) gives 10, which stops inheritance."""
    node = properties.find(f"{W}outlineLvl") if properties is not None else None
    value = node.get(f"{W}val", "") if node is not None else ""
    return int(value) + 1 if value.isdigit() else None


def number_of(properties: Element | None) -> tuple[str, int | None] | None:
    """(list id, level from 0 or None) of numbering properties; list id `0` means numbering is off."""
    node = properties.find(f"{W}numPr") if properties is not None else None
    if node is None:
        return None
    number, level = node.find(f"{W}numId"), node.find(f"{W}ilvl")
    value = level.get(f"{W}val", "") if level is not None else ""
    return (
        number.get(f"{W}val", "") if number is not None else "",
        int(value) if value.isdigit() else None,
    )
