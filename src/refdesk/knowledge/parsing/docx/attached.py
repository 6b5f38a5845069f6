"""What stands in a Word document but lies in other parts: pictures, charts, diagrams, other documents."""

from dataclasses import dataclass, field

from refdesk.knowledge.parsing.blocks import BlockList, ParseOptions
from refdesk.knowledge.parsing.charts import chart_table
from refdesk.knowledge.parsing.container import Container
from refdesk.knowledge.parsing.embedded_pictures import Pictures
from refdesk.knowledge.parsing.errors import ParseError
from refdesk.knowledge.parsing.grid import markdown_table

# Stands for a character that the parser of a document inside did not keep.
_LOST = "\ue000"


@dataclass(slots=True)
class Attached:
    """Writes the blocks of attached parts; `sources` are the texts of documents inside, for the coverage."""

    container: Container
    part: str
    found: BlockList
    options: ParseOptions
    sources: list[str] = field(default_factory=list[str])
    pictures: Pictures = field(init=False)

    def __post_init__(self) -> None:
        self.pictures = Pictures(self.container, self.found, self.options)

    def draw(self, kind: str, relation: str) -> None:
        """A `picture`, `chart` or `diagram` by its relation."""
        member = self.container.relation_target(self.part, relation)
        if member is None:
            return
        if kind == "picture":
            self.pictures.add(member)
            return
        root = self.container.xml(member)
        if root is None:
            return
        if kind == "chart":
            title, rows = chart_table(root)
            self.found.add("caption", title)
            self.found.add("table", markdown_table(rows))
            return
        for point in root.iter("{*}pt"):
            for paragraph in point.iterfind("{*}t/{*}p"):
                text = "".join(node.text or "" for node in paragraph.iter("{*}t"))
                self.found.add("list_item", f"- {text}" if text.strip() else "", level=0)

    def chunk(self, relation: str) -> None:
        """Another document that Word shows in this place (`altChunk`), read by its own parser."""
        # Loaded here: the choice of a parser knows this one.
        from refdesk.knowledge.parsing.selection import parse

        member = self.container.relation_target(self.part, relation)
        if member is None:
            return
        try:
            inner = parse(self.container.read(member), member.rpartition("/")[2], self.options)
        except ParseError as error:
            self.found.warn("part-skipped", f"A document inside the document was not read: {error.text}")
            return
        for block in inner.blocks:
            self.found.add(block.kind, block.text, level=block.level, confidence=block.confidence)
            self.sources.append(block.text)
        self.sources.append(_LOST * (inner.extracted_chars - inner.kept_chars))
