"""Writing down what a walk met at one address, with the document that is made of it.

All within the caller's transaction, which holds the source. What is removed is decided after the walk.
"""

from datetime import datetime
from typing import Any
from urllib.parse import unquote, urlsplit

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.kit.clock import now
from refdesk.knowledge.blobs import IncomingFile
from refdesk.knowledge.repository import DocumentRepository
from refdesk.knowledge.sources.contents import add_document, free_name, problem_of
from refdesk.knowledge.sources.errors import DeletedHere, PageNotWanted
from refdesk.knowledge.sources.files import document_name
from refdesk.knowledge.sources.repository import ItemRepository
from refdesk.knowledge.sources.walks import Outcome
from refdesk.knowledge.tables import Source, SourceItem
from refdesk.knowledge.versions import replace_file

_NAMES_OF_KINDS = (".pdf", ".doc", ".docx", ".xls", ".xlsx", ".pptx", ".odt", ".ods", ".odp", ".epub", ".rtf")
_MISLEADING = (*_NAMES_OF_KINDS, ".zip", ".csv", ".tsv", ".tab", ".ipynb", ".json", ".jsonl", ".md", ".eml")


class PageRecords:
    """Records of the run that began at `since`."""

    def __init__(
        self,
        session: AsyncSession,
        scope: Scope,
        source: Source,
        since: datetime,
        *,
        restore_deleted: bool = False,
    ) -> None:
        self.session = session
        self.scope = scope
        self.source = source
        self.since = since
        self.restore_deleted = restore_deleted
        self.items = ItemRepository(session, scope, source.id)

    async def record(self, outcome: Outcome, file: IncomingFile | None) -> bool:
        """Note an outcome; `file` is its content. False if another address of the run had the same."""
        item = await self.items.find(outcome.address)
        problem = None if outcome.error is None else problem_of(outcome.error)
        if outcome.kind == "gone":
            if item is None:
                await self.note(outcome, "failed", error=problem)
            # One with a document is left to the sweep, which knows how many others are gone.
            return True
        if outcome.kind in ("failed", "skipped"):
            is_unwanted = outcome.kind == "skipped" and item is not None and item.document_id is not None
            if is_unwanted and not isinstance(outcome.error, PageNotWanted):
                await self.note(outcome, "failed", error=problem)
            elif not is_unwanted:
                await self.note(outcome, outcome.kind, error=problem)
            # Where it says that it is not wanted any more, its document goes with the sweep.
            elif item is not None:
                item.links = list(outcome.links)
            return True
        if item is not None and await self._was_deleted(item) and not self.restore_deleted:
            await self.note(outcome, "skipped", error=problem_of(DeletedHere()), document_id=None)
            return True
        if outcome.kind == "same":
            await self.note(outcome, "unchanged", error=None)
            return True
        assert file is not None
        return await self._load(item, outcome, file)

    async def _load(self, item: SourceItem | None, outcome: Outcome, file: IncomingFile) -> bool:
        assert outcome.fetched is not None
        digest = outcome.page.digest if outcome.page else file.sha256
        twin = await self.items.with_content(digest, self.since, outcome.address)
        if twin is not None:
            error = problem_of(PageNotWanted("Another page has the same content.", same_as=twin.key))
            if item is None or item.document_id is None:
                await self.note(outcome, "skipped", error=error)
                return False
        validators = {
            "etag": outcome.fetched.headers.get("etag"),
            "last_modified": outcome.fetched.headers.get("last-modified"),
            "content_hash": digest,
        }
        document = None
        if item is not None and item.document_id is not None:
            document = await DocumentRepository(self.session, self.scope).find(item.document_id)
        if document is not None and item is not None and item.content_hash == digest:
            await self.note(outcome, "unchanged", error=None, **validators)
            return True
        blob = await file.finish(self.session)
        name = await free_name(
            self.session,
            self.scope,
            self.source.id,
            _name(outcome),
            outcome.address,
            None if document is None else document.id,
        )
        if document is not None:
            await replace_file(self.session, self.scope, document.id, blob, name=name, reason="sync")
            await self.note(outcome, "changed", error=None, **validators)
            return True
        meta = {"source_url": outcome.address}
        made = await add_document(self.session, self.scope, self.source, blob, name, meta)
        await self.note(outcome, "added", error=None, document_id=made.id, **validators)
        return True

    async def note(self, outcome: Outcome, state: str, **values: Any) -> None:
        """Save the item with this state; `values` are further columns."""
        links: dict[str, Any] = {} if outcome.kind in ("failed", "gone") else {"links": list(outcome.links)}
        await self.items.save(
            outcome.address, state=state, http_status=outcome.status, seen_at=now(), **links, **values
        )

    async def _was_deleted(self, item: SourceItem) -> bool:
        """Whether a person deleted the document that was made of this page."""
        if item.content_hash is None:
            return False
        if item.document_id is None:
            return item.state != "removed"
        return await DocumentRepository(self.session, self.scope).find(item.document_id) is None


def content_of(outcome: Outcome) -> bytes | None:
    """The bytes of what was loaded."""
    if outcome.kind != "loaded" or outcome.fetched is None:
        return None
    return outcome.page.content if outcome.page else outcome.fetched.body


def _name(outcome: Outcome) -> str:
    """What the document is called: a page by its title, a file by its name."""
    if outcome.page is None:
        assert outcome.fetched is not None
        return document_name(outcome.fetched)
    title = outcome.page.title or unquote(urlsplit(outcome.address).path.strip("/").rsplit("/", 1)[-1])
    title = (title or urlsplit(outcome.address).netloc).replace("/", "∕").replace("\\", "∖")
    # What is called like another kind of file would be read as one.
    return f"{title}.html" if title.lower().endswith(_MISLEADING) else title
