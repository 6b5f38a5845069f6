"""Terms at the border."""

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from refdesk.kit.border_types import PlainLine
from refdesk.kit.web import Page
from refdesk.knowledge.terms.words import MAX_SYNONYMS


class TermDraft(BaseModel):
    """A term as entered."""

    model_config = ConfigDict(extra="forbid")

    word: PlainLine = Field(description="Kept whole in texts and questions.")
    synonyms: list[PlainLine] = Field(
        default=[], max_length=MAX_SYNONYMS, description="Words of the same meaning, in any language."
    )


class TermChange(BaseModel):
    """Members that are present are changed."""

    model_config = ConfigDict(extra="forbid")

    word: PlainLine | None = None
    synonyms: list[PlainLine] | None = Field(default=None, max_length=MAX_SYNONYMS)


class TermView(BaseModel):
    """A term as shown."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    word: str
    synonyms: list[str]
    created_at: datetime
    updated_at: datetime


class TermProgress(BaseModel):
    """Whether the index follows the terms: words count in questions from when `is_current` is true.

    The counts are 0 for whom documents of the base are hidden from.
    """

    is_current: bool
    done: int = Field(description="Paragraphs written anew.")
    total: int = Field(description="Paragraphs that hold a changed word; 0 until they were looked for.")


class TermPage(Page[TermView]):
    """Terms of a base, and how far the index is with them."""

    progress: TermProgress


class RefusedLine(BaseModel):
    """A line of a file that was left out."""

    line: int
    word: str
    code: str
    message: str
    details: dict[str, str | int] = Field(
        default={}, description="The facts of the message: `line` it stands in already, `word`, `term`."
    )


class TermImport(BaseModel):
    """What a file of terms brings, or would bring (`is_dry_run`). Lists of words are cut at 100 each."""

    is_dry_run: bool
    new: int
    changed: int
    unchanged: int
    refused: int
    new_words: list[str]
    changed_words: list[str]
    refused_lines: list[RefusedLine]
    encoding: str = Field(description="As which the file was read.")
