"""Overlap across paragraphs: what the index takes along of the paragraph before.

Paragraphs never overlap, and one of 512 characters is a single index piece. Where nothing but length divides
them, as in a PDF without structure under the profile `structured`, a sentence at the border would be found
from neither side. There the first piece of a paragraph begins, for the index alone, with the end of the
paragraph before.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

from refdesk.knowledge.splitting.sentences import sentences
from refdesk.knowledge.splitting.settings import overlap_of

if TYPE_CHECKING:
    from uuid import UUID  # the parsing process starts quicker without it


class Divided(Protocol):
    """A paragraph in its place."""

    @property
    def title(self) -> str: ...
    @property
    def title_chain(self) -> Sequence[str]: ...
    @property
    def content(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph without a row of its own."""

    title: str
    title_chain: Sequence[str]
    content: str


class Kept(Divided, Protocol):
    """One that has a row."""

    @property
    def id(self) -> "UUID": ...
    @property
    def is_active(self) -> bool: ...


def lead_chars(kind: str | None, chosen: Mapping[str, Any]) -> int:
    """How many characters the index takes along under these split settings; 0 where it takes nothing."""
    if kind != "pdf" or chosen.get("profile") != "structured":
        return 0
    return overlap_of(chosen) or 0


def lead(before: Divided | None, after: Divided, chars: int) -> str:
    """What `after` takes along of the paragraph right before it, at most `chars` characters."""
    if before is None or not chars or _has_structure(before) or _has_structure(after):
        return ""
    return _end_of(before.content, chars)


def leads(paragraphs: Iterable[Kept], chars: int) -> "dict[UUID, str]":
    """The leads of all paragraphs of a document, in their order; those without are left out."""
    if not chars:
        return {}
    found = ((b.id, lead(a, b, chars)) for a, b in pairwise(paragraphs) if a.is_active)
    return {key: text for key, text in found if text}


def _has_structure(paragraph: Divided) -> bool:
    return bool(paragraph.title or paragraph.title_chain)


def _end_of(text: str, chars: int) -> str:
    """Whole sentences where one begins in reach, else whole words."""
    text = text.rstrip()
    begin = len(text) - chars
    if begin <= 0:
        return text.lstrip()
    starts = [start for start, _ in sentences(text[-4 * chars :])]
    shift = max(0, len(text) - 4 * chars)
    at = bisect_left(starts, begin - shift)
    if at < len(starts):
        return text[starts[at] + shift :]
    tail = text[begin:]
    if text[begin - 1].isspace() or not (text[begin - 1].isascii() and tail[0].isascii()):
        return tail.lstrip()
    return tail.partition(" ")[2].lstrip()
