"""A graph by rules is built again where its base is imported."""

from tests.service.exchange.conftest import archive_of, take_in
from tests.service.graph.conftest import CHAIN, GraphDesk, told

from refdesk.testing.desk import make_desk


async def test_an_imported_base_has_its_graph_built_by_rules(graph: GraphDesk) -> None:
    await graph.add(CHAIN)
    await graph.build()
    data = await archive_of(graph.desk, graph.base_id)
    other = await make_desk(graph.desk.database)
    imported = GraphDesk(other, (await take_in(other, data)).knowledge_base_id)
    assert (await imported.view()).state == "queued"
    assert (await imported.run()).relations == 5
    assert told(await imported.paths("告警中心"))[0] == "告警中心 depends_on 消息总线"
