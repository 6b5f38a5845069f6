"""A paragraph with all that belongs to it, apart from any row: what snapshots keep and matching works on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any
from uuid import UUID

from refdesk.kit.border_types import clean_json, clean_text
from refdesk.kit.ids import new_id
from refdesk.knowledge.splitting import ParagraphDraft

_ORIGIN_BYTES = 16


@dataclass(slots=True)
class ParagraphRecord:
    """The columns of a paragraph that a version is made of, and the questions attached to it.

    See `Paragraph` for what each means. Its place is where it stands in the list it is in.
    """

    id: UUID
    title: str
    title_chain: list[str]
    content: str
    page: int | None = None
    boxes: list[Any] = field(default_factory=list[Any])
    start: int = 0
    end: int = 0
    is_active: bool = True
    is_edited: bool = False
    hit_count: int = 0
    revision: int = 1
    origins: list[str] = field(default_factory=list[str])
    source_title: str | None = None
    source_content: str | None = None
    meta: dict[str, Any] = field(default_factory=dict[str, Any])
    questions: list[str] = field(default_factory=list[str])

    @property
    def source_text(self) -> str:
        """What the file said here, as far as it is known."""
        return self.content if self.source_content is None else self.source_content

    def says_the_same_as(self, other: "ParagraphRecord") -> bool:
        """Whether the index would hold the same of both."""
        mine = (self.title, self.title_chain, self.content, self.is_active, set(self.questions))
        return mine == (
            other.title,
            other.title_chain,
            other.content,
            other.is_active,
            set(other.questions),
        )


def origin_of(title_chain: Sequence[str], title: str, content: str, occurrence: int = 1) -> str:
    """The name of a splitter's paragraph: a hash of what it says, and which of equal ones it is."""
    text = "\x1e".join(("\x1f".join(title_chain), title, content))
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_ORIGIN_BYTES).hexdigest()
    return digest if occurrence == 1 else f"{digest}#{occurrence}"


class OriginNames:
    """Names the paragraphs of one document, so that equal ones are told apart by their order."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def name(self, title_chain: Sequence[str], title: str, content: str) -> str:
        origin = origin_of(title_chain, title, content)
        occurrence = self._seen[origin] = self._seen.get(origin, 0) + 1
        return origin if occurrence == 1 else f"{origin}#{occurrence}"


def fresh_records(drafts: Sequence[ParagraphDraft]) -> list[ParagraphRecord]:
    """What the splitter made, as records with new ids."""
    names = OriginNames()
    records: list[ParagraphRecord] = []
    for draft in drafts:
        title, content = clean_text(draft.title), clean_text(draft.content)
        chain = [clean_text(parent) for parent in draft.title_chain]
        records.append(
            ParagraphRecord(
                id=new_id(),
                title=title,
                title_chain=chain,
                content=content,
                page=draft.page,
                boxes=[[box.page, box.x0, box.y0, box.x1, box.y1] for box in draft.boxes],
                start=draft.start,
                end=draft.end,
                origins=[names.name(chain, title, content)],
                meta=clean_json(draft.meta),
            )
        )
    return records


def record_of(row: Mapping[str, Any], questions: Sequence[str] = ()) -> ParagraphRecord:
    """A record from a row of `paragraphs`, by column names of the mapped class."""
    return ParagraphRecord(
        id=row["id"],
        title=row["title"],
        title_chain=list(row["title_chain"]),
        content=row["content"],
        page=row["page"],
        boxes=list(row["boxes"]),
        start=row["start"],
        end=row["end"],
        is_active=row["is_active"],
        is_edited=row["is_edited"],
        hit_count=row["hit_count"],
        revision=row["revision"],
        origins=list(row["origins"]),
        source_title=row["source_title"],
        source_content=row["source_content"],
        meta=dict(row["meta"]),
        questions=list(questions),
    )
