"""From paragraphs to what will be written: pieces, their texts, terms and scripts. CPU only, no I/O.

A long paragraph becomes several overlapping pieces, each an entry; every piece is read by the embedder and
by the tokenizer under the paragraph's chain of titles, since "Limits" means little without "Uploads" above.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from uuid import UUID

from refdesk.knowledge.indexing.bm25 import count_terms
from refdesk.knowledge.indexing.scripts import Script, dominant_script
from refdesk.knowledge.indexing.tokens import tokenize
from refdesk.knowledge.splitting import pieces

# Most embedders read 512 tokens: about 700 Han characters, or 2,000 of a script written in words.
_WORDY = frozenset({Script.LATIN, Script.CYRILLIC})
_PIECE_CHARS = {False: (600, 100), True: (1600, 250)}


class EntryKind(IntEnum):
    """What of a paragraph an entry holds; the numbers are part of the database."""

    PIECE = 0
    TITLE = 1
    QUESTION = 2
    IMAGE = 3


@dataclass(frozen=True, slots=True)
class ParagraphText:
    """A paragraph as the index needs it. `revision` is the one this text is of."""

    id: UUID
    document_id: UUID
    title_chain: Sequence[str]
    content: str
    revision: int
    is_active: bool = True
    acl_id: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """One row to be: `start`, `end` are offsets in the paragraph's content; `text` is what is embedded."""

    paragraph: ParagraphText
    kind: EntryKind
    start: int
    end: int
    text: str
    script: Script
    counts: dict[int, int]
    length: int


@dataclass(frozen=True, slots=True)
class PreparedEntries:
    """A batch ready to be embedded and written. A paragraph without text has no entries but is marked."""

    paragraphs: tuple[ParagraphText, ...]
    entries: tuple[Entry, ...]

    @property
    def texts(self) -> list[str]:
        """The passages to embed, one an entry, in the order `IndexWriter.write` wants their vectors."""
        return [entry.text for entry in self.entries]


def prepare_entries(paragraphs: Sequence[ParagraphText], *, terms: Sequence[str] = ()) -> PreparedEntries:
    """Cut, tokenize and count. `terms` are the base's own words (see `tokenize`)."""
    entries: list[Entry] = []
    for paragraph in paragraphs:
        titles = " > ".join(title.strip() for title in paragraph.title_chain if title.strip())
        limit, overlap = _PIECE_CHARS[dominant_script(paragraph.content) in _WORDY]
        for start, end in pieces(paragraph.content, limit_chars=limit, overlap_chars=overlap):
            body = paragraph.content[start:end]
            text = (f"{titles}\n{body}" if titles else body).replace("\x00", " ")
            tokens = tokenize(text, terms=terms)
            entries.append(
                Entry(
                    paragraph=paragraph,
                    kind=EntryKind.PIECE,
                    start=start,
                    end=end,
                    text=text,
                    script=dominant_script(body),
                    counts=count_terms(tokens),
                    length=len(tokens),
                )
            )
    return PreparedEntries(tuple(paragraphs), tuple(entries))
