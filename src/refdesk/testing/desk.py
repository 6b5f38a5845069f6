"""A workspace with an instant embedder and what a worker needs: the setting for documents on their real way.

Files are stored, jobs enqueued and run as in the product; only the embedding model is a stand-in.
"""

from dataclasses import dataclass, field
from typing import Any, cast
from uuid import UUID

from sqlalchemy import text

from refdesk.accounts import Scope
from refdesk.accounts.tables import Workspace
from refdesk.gateway import Gateway
from refdesk.gateway.kinds import Kind
from refdesk.gateway.tables import Model
from refdesk.jobs import JobContext
from refdesk.kit.database import Database
from refdesk.kit.ids import new_id
from refdesk.kit.settings import Settings
from refdesk.knowledge import Documents, KnowledgeBases
from refdesk.knowledge.blobs import IncomingFile
from refdesk.knowledge.documents import enqueue_processing
from refdesk.knowledge.jobs import process_document
from refdesk.knowledge.schemas import DocumentView, KnowledgeBaseCreate, KnowledgeBaseView
from refdesk.knowledge.tables import Document
from refdesk.knowledge.versions import add_document, replace_file
from refdesk.testing.embedder import HashingEmbedder


class InstantGateway(Gateway):
    """A gateway with one embedder for every model id, which needs no loading."""

    def __init__(self, embedder: HashingEmbedder) -> None:
        self.instant = embedder

    async def embedder(self, scope: Scope, model_id: UUID, *_: Any, **__: Any) -> HashingEmbedder:
        return self.instant

    async def default_model(self, scope: Scope, kind: Kind, *purposes: str | None) -> UUID | None:
        return self.instant.model_id if kind == "EMBEDDING" else None


@dataclass
class Desk:
    """One workspace and what the tests do in it."""

    database: Database
    settings: Settings
    workspace_id: UUID
    embedder: HashingEmbedder
    gateway: InstantGateway = field(init=False)

    def __post_init__(self) -> None:
        self.gateway = InstantGateway(self.embedder)

    @property
    def scope(self) -> Scope:
        return Scope.system(self.workspace_id)

    @property
    def context(self) -> JobContext:
        return JobContext(self.settings, self.database, {Gateway: self.gateway})

    async def base(self, **options: Any) -> KnowledgeBaseView:
        body = KnowledgeBaseCreate(name=f"Base {new_id()}", **options)
        async with self.database.transaction() as session:
            return await KnowledgeBases(session, self.scope, self.settings).create(body, self.gateway)

    async def file(self, base_id: UUID, data: bytes, name: str = "a.md", **split: Any) -> UUID:
        """A document made from a file, waiting to be processed; `split` are its split settings."""
        incoming = IncomingFile(self.database, self.scope, 10**9, "none")
        await incoming.write(data)
        document_id = new_id()
        async with self.database.transaction() as session:
            blob = await incoming.finish(session)
            document = Document(
                id=document_id,
                workspace_id=self.workspace_id,
                knowledge_base_id=base_id,
                blob_id=blob.id,
                name=name,
                warnings=[],
                meta={},
                split_settings=split,
            )
            await add_document(session, document)
            await enqueue_processing(session, self.scope, document_id)
        return document_id

    async def replace(self, document_id: UUID, data: bytes, **options: Any) -> None:
        """Give a document another file; it then waits to be processed."""
        incoming = IncomingFile(self.database, self.scope, 10**9, "none")
        await incoming.write(data)
        async with self.database.transaction() as session:
            blob = await incoming.finish(session)
            await replace_file(session, self.scope, document_id, blob, **options)

    async def process(self, document_id: UUID) -> DocumentView:
        await process_document(self.context, str(self.workspace_id), str(document_id))
        return await self.view(document_id)

    async def view(self, document_id: UUID) -> DocumentView:
        async with self.database.transaction() as session:
            return await Documents(session, self.scope).view(document_id)

    async def rows(self, statement: str, **parameters: Any) -> list[Any]:
        async with self.database.transaction() as session:
            return list((await session.execute(text(statement), parameters)).all())

    async def count(self, table: str) -> int:
        """Rows of this workspace in a table."""
        statement = f"SELECT count(*) FROM {table} WHERE workspace_id = :workspace"
        return cast(int, (await self.rows(statement, workspace=self.workspace_id))[0][0])

    async def jobs(self, name: str) -> int:
        statement = "SELECT count(*) FROM procrastinate_jobs WHERE task_name = :name AND status = 'todo'"
        return cast(int, (await self.rows(statement, name=name))[0][0])


async def make_desk(database: Database, settings: Settings | None = None) -> Desk:
    """A desk in a new workspace; everything is committed."""
    workspace_id, model_id = new_id(), new_id()
    async with database.transaction() as session:
        session.add(Workspace(id=workspace_id, name=f"Desk {workspace_id}"))
        await session.flush()
        session.add(
            Model(
                id=model_id,
                workspace_id=workspace_id,
                kind="EMBEDDING",
                provider="embedded",
                name="hashing",
                model_name="hashing",
                parameters={},
                dimensions=64,
            )
        )
    used = settings or Settings(index_batch_size=4)
    return Desk(database, used, workspace_id, HashingEmbedder(model_id, 64))


def markdown(paragraphs: int, words: str = "the lamp of the harbour") -> bytes:
    """A document of as many paragraphs: each heading makes one."""
    return "\n".join(
        f"## Part {n}\n\nPart {n} tells of {words} and ERR-{n:04d}.\n" for n in range(paragraphs)
    ).encode()
