"""Lists of a binary Word document: what their numbers look like ([MS-DOC] 2.9.131, 2.9.147, 2.9.150)."""

from refdesk.knowledge.parsing.doc.layout import Layout, u16, u32
from refdesk.knowledge.parsing.errors import CorruptFile
from refdesk.knowledge.parsing.numbering import Level, Numbering

_LISTS, _USES = 73, 74
_FORMS: dict[int, str] = dict(
    (
        *((1, "upperRoman"), (2, "lowerRoman"), (3, "upperLetter"), (4, "lowerLetter"), (22, "decimalZero")),
        *((18, "decimalEnclosedCircle"), (23, "bullet"), (255, "none")),
        *((form, "chineseCounting") for form in (10, 16, 33, 35, 37, 39)),
    )
)
_MAX_LISTS = 5_000


def read_lists(layout: Layout) -> Numbering:
    """All lists, each use (`list_id` of a paragraph) under its number; a damaged table gives none."""
    made = Numbering()
    try:
        _definitions(layout, made)
        _uses(layout, made)
    except CorruptFile:
        return Numbering()  # costs the numbers, not the text
    return made


def _definitions(layout: Layout, made: Numbering) -> None:
    table = layout.part(_LISTS)
    if len(table) < 2:
        return
    count = u16(table, 0)
    if count > _MAX_LISTS:
        raise CorruptFile(reason="too many lists")
    # The levels lie behind the part that the header names.
    data = layout.table
    at = layout.place(_LISTS) + 2 + 28 * count
    for number in range(count):
        entry = table[2 + 28 * number : 30 + 28 * number]
        levels: dict[int, Level] = {}
        for depth in range(1 if len(entry) > 26 and entry[26] & 1 else 9):
            levels[depth], at = _level(data, at)
        made.levels[str(u32(entry, 0))] = levels


def _level(data: bytes, at: int) -> tuple[Level, int]:
    head = data[at : at + 28]
    if len(head) < 28:
        raise CorruptFile(reason="the lists are cut off")
    start, form, flags = u32(head, 0), head[4], head[5]
    restarts = head[26] if flags & 8 else None
    at += 28 + head[24] + head[25]
    size = u16(data, at)
    units = [u16(data, at + 2 + 2 * i) for i in range(size)]
    text = "".join(f"%{unit + 1}" if unit < 9 else chr(unit) for unit in units)
    level = Level(_FORMS.get(form, "decimal"), text, start, restarts=restarts, legal=bool(flags & 4))
    return level, at + 2 + 2 * size


def _uses(layout: Layout, made: Numbering) -> None:
    table = layout.part(_USES)
    if len(table) < 4:
        return
    count = u32(table, 0)
    if count > _MAX_LISTS:
        raise CorruptFile(reason="too many lists")
    at = 4 + 16 * count
    for number in range(count):
        entry = table[4 + 16 * number : 20 + 16 * number]
        use = str(number + 1)
        made.abstract[use] = str(u32(entry, 0))
        at += 4
        for _ in range(entry[12]):
            start, flags = u32(table, at), u32(table, at + 4)
            at += 8
            depth = flags & 15
            if flags & 32:
                level, at = _level(table, at)
                levels = made.changed.get(use) or made.levels.get(made.abstract[use], {})
                made.changed[use] = levels | {depth: level}
                start = level.start
            if flags & 48:
                made.overrides[use, depth] = start
