"""Paragraphs over HTTP, and what can be done with them."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, Field, computed_field

from refdesk.kit.border_types import CleanJson, CleanText
from refdesk.kit.web import Page
from refdesk.knowledge.schemas.shapes import Change, Input
from refdesk.knowledge.splitting import display_title

ParagraphAction = Literal["activate", "deactivate", "delete"]


class QuestionRef(BaseModel):
    """A question attached to a paragraph. `id` is null in an earlier version."""

    id: UUID | None
    content: str


class ParagraphSource(BaseModel):
    """What the file says where a person wrote something else."""

    title: str
    content: str


class ParagraphView(BaseModel):
    """A paragraph. `boxes` are `[page, x0, y0, x1, y1]`, PDF points from the top left.

    `position` counts from 0. `is_indexed`: searches already see this revision. `is_current` is false for one
    that is in `version` of the document, but not in the present one.
    """

    id: UUID
    document_id: UUID
    knowledge_base_id: UUID
    position: int
    title: str
    title_chain: list[str]
    content: str
    page: int | None
    boxes: list[list[float]]
    start: int
    end: int
    is_active: bool
    is_edited: bool
    is_indexed: bool
    hit_count: int
    questions: list[QuestionRef]
    source: ParagraphSource | None
    meta: dict[str, Any] = Field(
        description="What holds of the passage: `source_doc_id`, what is said of its document (`doc_type`, "
        "`effective_date`, `published_at`, `department`), what reading it brought (`has_table`, `has_image`, "
        "`image_type`, `image_url`, `ocr_text`, `confidence_score`), and `own_meta`, which wins."
    )
    own_meta: dict[str, Any] = Field(description="What people say of this paragraph.")
    is_current: bool
    version: int
    revision: int
    updated_at: datetime

    @computed_field(description="The title without its number (第六章, 1.2), where room is scarce.")
    @property
    def display_title(self) -> str:
        return display_title(self.title)


def _with_text(content: str) -> str:
    if not content.strip():
        raise ValueError("the text of a paragraph must not be empty or of white space only")
    return content


ParagraphText = Annotated[CleanText, Field(min_length=1, max_length=100_000), AfterValidator(_with_text)]


class ParagraphPage(Page[ParagraphView]):
    """Paragraphs in reading order; `previous_cursor` leads back (null at the start)."""

    previous_cursor: str | None = None


class ParagraphUpdate(Change):
    """What changes. `revision`, if sent, must be the present one: an edit never overwrites one unseen."""

    nullable = frozenset(("revision",))

    title: CleanText | None = Field(default=None, max_length=2_000)
    content: ParagraphText | None = None
    is_active: bool | None = None
    meta: CleanJson | None = Field(
        default=None, description="All that people say of it; kept when the file is read again. Null hides."
    )
    revision: int | None = None


class AddedParagraph(Input):
    """A paragraph that a person adds. `after`: left out, it goes to the end; null, to the beginning."""

    title: CleanText = Field(default="", max_length=2_000)
    title_chain: list[CleanText] = Field(default_factory=list, max_length=16)
    content: ParagraphText
    questions: list[CleanText] = Field(default_factory=list, max_length=200)
    after: UUID | None = None


class ParagraphSplit(Input):
    """Where to cut, in characters (Unicode code points) of the content."""

    offset: int = Field(ge=0, le=100_000)
    revision: int | None = None


class ParagraphMerge(Input):
    """How to join with the next paragraph. `separator` is what stands between both, of white space only."""

    separator: str = Field(default="\n\n", max_length=16, pattern=r"^[ \t\n]*$")
    revision: int | None = None
    next_revision: int | None = None


class ParagraphRevert(Input):
    """`revision`, if sent, must be the present one."""

    revision: int | None = None


class ConflictDecision(Input):
    """What becomes of edits that the file disagrees with: `mine` stay, or the file's text is taken."""

    keep: Literal["mine", "theirs"]
    paragraph_ids: list[UUID] | None = Field(
        default=None, min_length=1, max_length=5_000, description="Left out: all that wait for a decision."
    )


class ParagraphPair(BaseModel):
    """The two halves of a paragraph that was cut."""

    first: ParagraphView
    second: ParagraphView


class ParagraphActions(Input):
    """What to do to many paragraphs of one document."""

    ids: list[UUID] = Field(min_length=1, max_length=5_000)
    action: ParagraphAction


class ParagraphActionResult(BaseModel):
    """How many paragraphs were changed or removed."""

    changed: int
