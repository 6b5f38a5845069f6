"""What the tests of index builds work at: a base, a second model, the verbs of a build."""

from typing import Any
from uuid import UUID

from refdesk.accounts import Scope
from refdesk.gateway import Gateway, UnknownModel
from refdesk.gateway.tables import Model
from refdesk.jobs import JobContext
from refdesk.kit.database import Database
from refdesk.kit.ids import new_id
from refdesk.knowledge import Paragraphs
from refdesk.knowledge.jobs import index_paragraphs, process_document
from refdesk.knowledge.rebuilding import (
    IndexBuilds,
    IndexBuildView,
)
from refdesk.knowledge.rebuilding.jobs import build_index, finish_index_build
from refdesk.knowledge.schemas import ParagraphUpdate
from refdesk.testing.desk import Desk, InstantGateway, make_desk
from refdesk.testing.embedder import HashingEmbedder


class TwoModels(InstantGateway):
    """The desk's model and another one."""

    def __init__(self, first: HashingEmbedder, second: HashingEmbedder) -> None:
        super().__init__(first)
        self.second = second
        self.gone = False

    async def embedder(self, scope: Scope, model_id: UUID, purpose: object = None) -> HashingEmbedder:
        if model_id == self.second.model_id:
            if self.gone:
                raise UnknownModel(model_id=str(model_id))
            return self.second
        if model_id != self.instant.model_id:
            raise UnknownModel(model_id=str(model_id))
        return self.instant


class Bench:
    """A base with two documents, a second model, and the verbs of a build."""

    def __init__(self, desk: Desk, gateway: TwoModels, base_id: UUID) -> None:
        self.desk, self.gateway, self.base_id = desk, gateway, base_id

    @property
    def context(self) -> JobContext:
        return JobContext(self.desk.settings, self.desk.database, {Gateway: self.gateway})

    async def start(self) -> IndexBuildView:
        async with self.desk.database.transaction() as session:
            model = self.gateway.second.model_id
            return await IndexBuilds(session, self.desk.scope).start(self.base_id, model, self.gateway)

    async def act(self, name: str, build: IndexBuildView) -> Any:
        async with self.desk.database.transaction() as session:
            return await getattr(IndexBuilds(session, self.desk.scope), name)(self.base_id, build.id)

    async def run(self, build: IndexBuildView) -> IndexBuildView:
        """The job, and the one that finishes."""
        workspace = str(self.desk.workspace_id)
        await build_index(self.context, workspace, str(build.id))
        await finish_index_build(self.context, workspace, str(build.id))
        return await self.act("view", build)

    async def built(self) -> IndexBuildView:
        return await self.run(await self.start())

    async def file(self, data: bytes, name: str = "a.md") -> UUID:
        document_id = await self.desk.file(self.base_id, data, name)
        await process_document(self.context, str(self.desk.workspace_id), str(document_id))
        return document_id

    async def indexes(self) -> tuple[UUID, UUID]:
        """The active index, and the other one."""
        [(active,)] = await self.desk.rows(
            "SELECT active_index_id FROM knowledge_bases WHERE id = :id", id=self.base_id
        )
        [(other,)] = await self.desk.rows(
            "SELECT id FROM indexes WHERE knowledge_base_id = :base AND id <> :id",
            base=self.base_id,
            id=active,
        )
        return active, other

    async def held(self, index_id: UUID) -> list[Any]:
        """What an index holds but for the vectors: comparable between two indexes of one base."""
        return await self.desk.rows(
            "SELECT e.paragraph_id, e.kind, e.start_, e.end_, e.is_active, e.acl_id, i.revision"
            " FROM index_entries e LEFT JOIN indexed_paragraphs i"
            " ON i.index_id = e.index_id AND i.paragraph_id = e.paragraph_id"
            " WHERE e.index_id = :id ORDER BY 1, 2, 3, 4",
            id=index_id,
        )

    async def in_step(self) -> bool:
        active, other = await self.indexes()
        return await self.held(active) == await self.held(other)

    async def paragraphs(self, document_id: UUID) -> list[Any]:
        statement = "SELECT id, revision FROM paragraphs WHERE document_id = :id ORDER BY position"
        return await self.desk.rows(statement, id=document_id)

    async def edit(self, paragraph_id: UUID, content: str) -> None:
        async with self.desk.database.transaction() as session:
            await Paragraphs(session, self.desk.scope).update(paragraph_id, ParagraphUpdate(content=content))

    async def index_edits(self, document_id: UUID) -> None:
        await index_paragraphs(self.context, str(self.desk.workspace_id), str(document_id))


async def bench_on(database: Database) -> Bench:
    """A bench in a workspace of its own."""
    desk = await make_desk(database)
    second = HashingEmbedder(new_id(), 96)
    async with database.transaction() as session:
        session.add(
            Model(
                id=second.model_id,
                workspace_id=desk.workspace_id,
                kind="EMBEDDING",
                provider="embedded",
                name="hashing too",
                model_name="hashing",
                parameters={},
                dimensions=96,
            )
        )
    gateway = TwoModels(desk.embedder, second)
    desk.gateway = gateway
    return Bench(desk, gateway, (await desk.base()).id)
