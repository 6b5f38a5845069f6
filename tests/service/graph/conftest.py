"""A desk with one base, and what tests of knowledge graphs do with it."""

from dataclasses import dataclass
from uuid import UUID

import pytest

from refdesk.accounts import Scope
from refdesk.kit.database import Database
from refdesk.knowledge.graph import FoundPaths, Graphs, find_paths
from refdesk.knowledge.graph.jobs import build_graph
from refdesk.knowledge.graph.schemas import GraphBuild, GraphView
from refdesk.testing.desk import Desk, make_desk

CHAIN = """## 告警中心

告警中心依赖消息总线。

## 消息总线

消息总线由青禾科技研发，消息总线支持 MQTT 协议。

## 星河 H200 采集网关

| 参数 | 数值 |
| --- | --- |
| 工作电压 | 24 V |
| 通信协议 | MQTT 协议 |
"""


@dataclass
class GraphDesk:
    """A desk with one base."""

    desk: Desk
    base_id: UUID

    async def add(self, text: str, name: str = "a.md") -> UUID:
        document_id = await self.desk.file(self.base_id, text.encode(), name)
        assert (await self.desk.process(document_id)).state == "ready"
        return document_id

    async def start(self, **options: object) -> GraphView:
        async with self.desk.database.transaction() as session:
            graphs = Graphs(session, self.desk.scope)
            return await graphs.start(self.base_id, GraphBuild.model_validate(options), self.desk.gateway)

    async def run(self) -> GraphView:
        """Run the background job once, as the queue would."""
        rows = await self.desk.rows(
            "SELECT id FROM knowledge_graphs WHERE knowledge_base_id = :base", base=self.base_id
        )
        await build_graph(self.desk.context, str(self.desk.workspace_id), str(rows[0][0]))
        return await self.view()

    async def build(self) -> GraphView:
        await self.start()
        return await self.run()

    async def view(self, scope: Scope | None = None) -> GraphView:
        async with self.desk.database.transaction() as session:
            return await Graphs(session, scope or self.desk.scope).view(self.base_id)

    async def paths(self, *entities: str, scope: Scope | None = None, **options: object) -> FoundPaths:
        async with self.desk.database.transaction() as session:
            return await find_paths(
                session,
                scope or self.desk.scope,
                [self.base_id],
                entities=entities,
                **options,  # type: ignore[arg-type]
            )


def told(found: FoundPaths) -> list[str]:
    """Paths as text: names with the kinds between them."""
    lines: list[str] = []
    for path in found.paths:
        parts = [path.entities[0].name]
        for entity, edge in zip(path.entities[1:], path.edges, strict=True):
            parts += [edge.kind, entity.name]
        lines.append(" ".join(parts))
    return lines


@pytest.fixture
async def graph(database: Database) -> GraphDesk:
    """A base of its own for each test."""
    desk = await make_desk(database)
    return GraphDesk(desk, (await desk.base()).id)
