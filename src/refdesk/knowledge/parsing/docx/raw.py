"""The independent reading of a DOCX: text nodes of the final text, without any of the parser's structure.

Deleted and moved text, fallbacks of alternatives and hidden runs are no part of the final text.
"""

from collections.abc import Iterator, Mapping

from refdesk.knowledge.parsing.container import Container
from refdesk.knowledge.parsing.docx.numbering import W
from refdesk.knowledge.parsing.docx.runs import MC, M, is_hidden
from refdesk.knowledge.parsing.xml_tree import Element

_SKIPPED = frozenset((f"{W}del", f"{W}moveFrom", f"{MC}Fallback"))
_TEXT = frozenset((f"{W}t", f"{M}t"))
_REFERENCE = "Reference"


def raw_text(root: Element) -> str:
    """The text below a node. Characters of symbol fonts are left out: what they show is a matter of fonts."""
    texts = (node.text or "" for node in _shown(root) if node.tag in _TEXT)
    return "".join(char for text in texts for char in text if not "\uf000" <= char <= "\uf0ff")


def raw_notes(body: Element, notes: Mapping[str, Mapping[str, Element]], *, comments: bool) -> Iterator[str]:
    """Texts of the notes (and comments) that the shown text refers to, each once."""
    kinds = ("footnote", "endnote", "comment") if comments else ("footnote", "endnote")
    marks = {f"{W}{kind}{_REFERENCE}": kind for kind in kinds}
    seen = {(marks[node.tag], node.get(f"{W}id", "")) for node in _shown(body) if node.tag in marks}
    for kind, number in seen:
        note = notes[kind].get(number)
        if note is not None:
            yield raw_text(note)


def raw_diagrams(container: Container, part: str) -> Iterator[str]:
    """Texts of the diagrams of a part."""
    for member in container.related(part, "diagramData"):
        root = container.xml(member)
        for point in root.iter("{*}pt") if root is not None else ():
            yield "".join(node.text or "" for node in point.iterfind("{*}t//{*}t"))


def _shown(root: Element) -> Iterator[Element]:
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        for child in reversed(node):
            if child.tag in _SKIPPED or (child.tag == f"{W}r" and is_hidden(child)):
                continue
            if child.tag == f"{W}tc" and child.find(f"{W}tcPr/{W}cellDel") is not None:
                continue
            if child.tag == f"{W}tr" and child.find(f"{W}trPr/{W}del") is not None:
                continue
            pending.append(child)
