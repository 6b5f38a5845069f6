"""The independent reading of a presentation: text nodes of its parts, without shapes, lists and tables.

Running places and fields that change from day to day are no text; fallbacks repeat what stands beside them.
"""

from collections.abc import Iterator

from refdesk.knowledge.parsing.container import Container
from refdesk.knowledge.parsing.xml_tree import Element, local_name

_RUNNING = ("dt", "ftr", "sldNum", "hdr")
_CHANGING = ("slidenum", "datetime")


def raw_slide(container: Container, part: str, root: Element, *, comments: bool) -> Iterator[str]:
    """Texts of a slide, of its diagrams, its notes and, where asked for, its comments."""
    tree = root.find("{*}cSld/{*}spTree")
    if tree is not None:
        yield _texts(tree)
    for member in container.related(part, "diagramData"):
        diagram = container.xml(member)
        for point in diagram.iter("{*}pt") if diagram is not None else ():
            yield "".join(node.text or "" for node in point.iterfind("{*}t//{*}t"))
    for member in container.related(part, "notesSlide"):
        notes = container.xml(member)
        for shape in notes.iter("{*}sp") if notes is not None else ():
            if _place(shape) == "body":
                yield _texts(shape)
    for kind in ("comments", "comment") if comments else ():
        for member in container.related(part, kind):
            thread = container.xml(member)
            yield (
                "".join(node.text or "" for node in thread.iter("{*}text", "{*}t"))
                if thread is not None
                else ""
            )


def _texts(tree: Element) -> str:
    parts: list[str] = []
    pending = [tree]
    while pending:
        node = pending.pop()
        kind = local_name(node)
        if kind == "t":
            parts.append(node.text or "")
        running = kind == "sp" and _place(node) in _RUNNING
        changing = kind == "fld" and (node.get("type") or "").startswith(_CHANGING)
        if not (running or changing or kind == "Fallback"):
            pending.extend(node)
    return "".join(parts)


def _place(shape: Element) -> str:
    place = shape.find("{*}nvSpPr/{*}nvPr/{*}ph")
    return (place.get("type") or "") if place is not None else ""
