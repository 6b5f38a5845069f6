"""Documents that a program hands over as text, under ids of its own.

They take the way of an uploaded file, so limits, versions and edits hold for them as for any other. Id, title
and address as they were given lie among what is said of the document, under keys that no metadata of a
program can have. Owns these keys; searching is not done here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Role, Scope
from refdesk.kit.database import Database
from refdesk.kit.errors import NotFound
from refdesk.kit.ids import new_id
from refdesk.kit.settings import Settings
from refdesk.knowledge.access import may_see
from refdesk.knowledge.blobs import IncomingFile
from refdesk.knowledge.documents import Documents, require_room
from refdesk.knowledge.errors import MetaInvalid
from refdesk.knowledge.filenames import display_name
from refdesk.knowledge.metadata import checked_metadata, effective_metadata
from refdesk.knowledge.queueing import enqueue_processing
from refdesk.knowledge.repository import DocumentFilter, DocumentRepository, KnowledgeBaseRepository
from refdesk.knowledge.schemas import DocumentUpdate
from refdesk.knowledge.tables import Document
from refdesk.knowledge.versions import add_document, replace_file
from refdesk.knowledge.views import upload_limit

_ID, _TITLE, _URL = "refdesk:id", "refdesk:title", "refdesk:url"
_OWN = frozenset((_ID, _TITLE, _URL))


@dataclass(frozen=True, slots=True)
class HandedText:
    """What is handed over. `id` is the program's own."""

    id: str
    title: str
    text: str
    meta: Mapping[str, str | int | float | bool] = field(default_factory=dict[str, str | int | float | bool])
    url: str | None = None


@dataclass(frozen=True, slots=True)
class HandedDocument:
    """A document as a program sees it: `id` is the one it was handed over by, else the document's own."""

    id: str
    title: str
    url: str | None
    meta: Mapping[str, Any]
    state: str
    error: Mapping[str, Any] | None


class HandedDocuments:
    """The documents of one base for one caller. Opens its own transactions."""

    def __init__(self, database: Database, scope: Scope, settings: Settings, base_id: UUID) -> None:
        self._database = database
        self._scope = scope
        self._settings = settings
        self._base_id = base_id

    async def put(self, handed: HandedText) -> UUID:
        """Make the document, or give the one of this id another text, and have it processed.

        Until that is done the text it had before is found. Raises `Forbidden`, `NotFound`, `FileTooLarge`,
        `DocumentLimitReached` and `MetaInvalid`.
        """
        self._scope.require(Role.EDITOR, "write")
        meta = checked_metadata(handed.meta) | {
            _ID: handed.id, _TITLE: handed.title, _URL: handed.url or "",
        }  # fmt: skip
        name = display_name(f"{handed.title or handed.id}.txt")
        async with self._database.transaction() as session:
            base = await KnowledgeBaseRepository(session, self._scope).get(self._base_id)
            limit = upload_limit(base, self._settings)
        file = IncomingFile(self._database, self._scope, limit, "the limit of a file's size")
        try:
            await file.write(handed.text.encode())
            async with self._database.transaction() as session:
                blob = await file.finish(session)
                # Locks the base, so that of two documents of one new id the second finds the first.
                bases = KnowledgeBaseRepository(session, self._scope)
                base = await bases.get(self._base_id, lock=True)
                present = await self._find(session, handed.id)
                if present is not None:
                    document = await replace_file(session, self._scope, present.id, blob, name=name)
                    document.meta = meta
                    return document.id
                await require_room(session, self._scope, self._base_id)
                document = Document(
                    id=new_id(),
                    workspace_id=self._scope.workspace_id,
                    knowledge_base_id=self._base_id,
                    blob_id=blob.id,
                    name=name,
                    warnings=[],
                    meta=meta,
                    split_settings=base.settings.get("split", {}),
                    created_by=self._scope.user_id,
                )
                await add_document(session, document)
                await enqueue_processing(session, self._scope, document.id)
                return document.id
        except BaseException:  # also a cancel: the file that was received must not stay behind
            await file.discard()
            raise

    async def set_metadata(self, handed_id: str, meta: Mapping[str, str | int | float | bool]) -> None:
        """Set these keys, the others stay. Raises `Forbidden`, `NotFound` and `MetaInvalid`."""
        self._scope.require(Role.EDITOR, "write")
        async with self._database.transaction() as session:
            found = await self._find(session, handed_id)
            if found is None:
                raise NotFound("There is no such document.")
            document = await DocumentRepository(session, self._scope).get(found.id, lock=True)
            said = {**document.meta, **meta}
            await Documents(session, self._scope).update(document.id, DocumentUpdate(meta=said))

    async def read(self, document_ids: Sequence[UUID]) -> dict[UUID, HandedDocument]:
        """Those of these documents that the caller may see."""
        async with self._database.transaction() as session:
            documents = await DocumentRepository(session, self._scope).reread(document_ids)
            return {document.id: _seen(document) for document in documents}

    async def matching(self, meta: Mapping[str, str | int | float | bool]) -> list[UUID]:
        """The documents of which all these pairs hold, as far as the caller may see them.

        A value is read as metadata are: a date in any form finds its day.
        """
        pairs: list[tuple[str, str]] = []
        for key, value in meta.items():
            try:
                checked = checked_metadata({key: value})[key]
            except MetaInvalid:
                return []  # nothing can have such a value
            values = cast(list[Any], checked) if isinstance(checked, list) else [checked]
            pairs += [(key, _as_stored(one)) for one in values]
        async with self._database.transaction() as session:
            conditions = DocumentFilter(meta=pairs).conditions()
            query = select(Document.id).where(*self._here(), *conditions)
            return list(await session.scalars(query))

    async def _find(self, session: AsyncSession, handed_id: str) -> Document | None:
        """The document of a program's id, or of an id of ours."""
        query = select(Document).where(*self._here(), Document.meta[_ID].astext == handed_id)
        found = await session.scalar(query.order_by(Document.id).limit(1))
        if found is not None:
            return found
        try:
            document_id = UUID(handed_id)
        except ValueError:
            return None
        return await session.scalar(select(Document).where(*self._here(), Document.id == document_id))

    def _here(self) -> tuple[Any, ...]:
        return (
            Document.workspace_id == self._scope.workspace_id,
            Document.knowledge_base_id == self._base_id,
            Document.deleted_at.is_(None),
            Document.is_draft.is_(False),
            may_see(self._scope),
        )


def _as_stored(value: str | int | float | bool) -> str:
    """A value as PostgreSQL tells it of JSON."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _seen(document: Document) -> HandedDocument:
    said = document.meta
    # What a file made of a handed text says of itself (its encoding) nobody has said.
    meta = effective_metadata({} if _ID in said else document.found_meta, said)
    return HandedDocument(
        id=str(said.get(_ID) or document.id),
        title=str(said.get(_TITLE) or document.name),
        url=str(said.get(_URL) or "") or None,
        meta={key: value for key, value in meta.items() if key not in _OWN},
        state=document.state,
        error=document.error,
    )
