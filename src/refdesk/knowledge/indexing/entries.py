"""From paragraphs to what will be written: pieces, their texts, terms and scripts. CPU only, no I/O.

A long paragraph becomes several overlapping pieces, each an entry; every piece is read by the embedder and
by the tokenizer under the paragraph's chain of titles, since "Limits" means little without "Uploads" above.
Each question attached to a paragraph is an entry too, so that one like it finds the paragraph.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from uuid import UUID

from refdesk.knowledge.indexing.bm25 import count_terms
from refdesk.knowledge.indexing.scripts import Script, dominant_script
from refdesk.knowledge.indexing.tokens import NO_TERMS, tokenize
from refdesk.knowledge.indexing.vocabulary import Vocabulary
from refdesk.knowledge.splitting import pieces

# Most embedders read 512 tokens: about 700 Han characters, or 2,000 of a script written in words.
_WORDY = frozenset({Script.LATIN, Script.CYRILLIC})
_PIECE_CHARS = {False: (600, 100), True: (1600, 250)}
SMALLEST_PIECE = 600
"""Characters up to which a paragraph is one piece, whatever it is written in."""


class EntryKind(IntEnum):
    """What of a paragraph an entry holds; the numbers are part of the database.

    Titles and the text of images are in the pieces (decision 16).
    """

    PIECE = 0
    QUESTION = 2


@dataclass(frozen=True, slots=True)
class ParagraphText:
    """A paragraph with the questions attached to it, as the index needs them; `revision` is its own.

    `overlap` is what its pieces share, in characters; None leaves it to the script. `lead` is the end of the
    paragraph before where the first piece is to begin with it (`splitting.leads`).
    """

    id: UUID
    document_id: UUID
    title_chain: Sequence[str]
    content: str
    revision: int
    is_active: bool = True
    acl_id: int = 0
    questions: Sequence[str] = ()
    overlap: int | None = None
    lead: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One row to be: `start`, `end` are offsets in the paragraph's content; `text` is what is embedded, with
    titles above and the lead before.

    `counts` and `length` are those of the text without its titles; terms that only the titles hold are in
    `counts` with 0. `title_terms` are all terms of the titles.
    """

    paragraph: ParagraphText
    kind: EntryKind
    start: int
    end: int
    text: str
    script: Script
    counts: dict[int, int]
    title_terms: frozenset[int]
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


def piece_spans(content: str, overlap: int | None = None) -> list[tuple[int, int]]:
    """Spans of the pieces that a paragraph is indexed in; `overlap` as in `ParagraphText`."""
    limit, usual = _PIECE_CHARS[dominant_script(content) in _WORDY]
    shared = usual if overlap is None else min(overlap, limit // 2)
    return pieces(content, limit_chars=limit, overlap_chars=shared)


def prepare_entries(paragraphs: Sequence[ParagraphText], *, terms: Vocabulary = NO_TERMS) -> PreparedEntries:
    """Cut, tokenize and count. `terms` are the base's own words (see `tokenize`)."""
    entries: list[Entry] = []
    for paragraph in paragraphs:
        titles = " > ".join(title.strip() for title in paragraph.title_chain if title.strip())
        title_terms = frozenset(count_terms(tokenize(titles.replace("\x00", " "), terms=terms)))
        for start, end in piece_spans(paragraph.content, paragraph.overlap):
            body = paragraph.content[start:end]
            if paragraph.lead and not paragraph.content[:start].strip():
                body = f"{paragraph.lead}\n{body}"
            text = f"{titles}\n{body}" if titles else body
            entries.append(_entry(paragraph, EntryKind.PIECE, (start, end), text, body, title_terms, terms))
        for question in paragraph.questions:
            span = (0, len(paragraph.content))
            entries.append(
                _entry(paragraph, EntryKind.QUESTION, span, question, question, frozenset(), terms)
            )
    return PreparedEntries(tuple(paragraphs), tuple(entries))


def _entry(
    paragraph: ParagraphText,
    kind: EntryKind,
    span: tuple[int, int],
    text: str,
    body: str,
    title_terms: frozenset[int],
    terms: Vocabulary,
) -> Entry:
    tokens = tokenize(body.replace("\x00", " "), terms=terms)
    counts = dict.fromkeys(title_terms, 0) | count_terms(tokens)
    return Entry(
        paragraph=paragraph,
        kind=kind,
        start=span[0],
        end=span[1],
        text=text.replace("\x00", " "),
        script=dominant_script(body),
        counts=dict(sorted(counts.items())),
        title_terms=title_terms,
        length=len(tokens),
    )
