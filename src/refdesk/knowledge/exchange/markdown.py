"""A single document as Markdown: what a person would want to take along, with their edits in it.

The archive of one document (`?format=zip`) is what another Refdesk takes in again.
"""

from collections.abc import AsyncGenerator, Sequence
from uuid import UUID

from refdesk.accounts import Scope
from refdesk.kit.database import Database
from refdesk.knowledge.paragraph_repository import ParagraphRepository
from refdesk.knowledge.tables import Paragraph

BATCH = 500
_DEEPEST = 6


async def markdown(database: Database, scope: Scope, document_id: UUID, name: str) -> AsyncGenerator[bytes]:
    """The document's paragraphs under their titles, each batch read in a transaction of its own."""
    yield f"# {name}\n".encode()
    chain: list[str] = []
    position = 0
    while True:
        async with database.transaction() as session:
            rows = await ParagraphRepository(session, scope).after(document_id, position, BATCH)
        if not rows:
            return
        text = ""
        for row in rows:
            titles = [title for title in (*row.title_chain, row.title) if title.strip()]
            text += _headings(chain, titles) + f"\n{_content(row)}\n"
            chain = titles
        yield text.encode()
        position = rows[-1].position + 1


def _headings(before: Sequence[str], titles: Sequence[str]) -> str:
    """Headings of those titles that have changed."""
    same = 0
    while same < min(len(before), len(titles)) and before[same] == titles[same]:
        same += 1
    lines = [
        f"\n{'#' * min(level + 2, _DEEPEST)} {' '.join(titles[level].split())}\n"
        for level in range(same, len(titles))
    ]
    return "".join(lines)


def _content(paragraph: Paragraph) -> str:
    """The text. A heading in it that only repeats its title is left out."""
    text = paragraph.content.strip("\n")
    first, _, rest = text.partition("\n")
    if paragraph.title and first.strip().lstrip("#").strip() == paragraph.title.strip() and rest.strip():
        return rest.strip("\n")
    return text
