"""Paths: what they join, that each edge opens its paragraph, and what the caller may not see."""

import pytest
from tests.service.graph.conftest import CHAIN, GraphDesk, told

from refdesk.accounts import Role, Scope
from refdesk.kit.ids import new_id
from refdesk.knowledge.access.schemas import AccessChange
from refdesk.knowledge.access.service import AccessRules
from refdesk.knowledge.graph import GraphEntityNotFound, GraphQuestionEmpty
from refdesk.knowledge.graph.exploring import Explorer
from refdesk.knowledge.graph.keys import entity_id, entity_key
from refdesk.knowledge.paragraphs import Paragraphs
from refdesk.knowledge.terms import Terms
from refdesk.knowledge.terms.jobs import reindex_terms
from refdesk.knowledge.terms.schemas import TermDraft

JOINED = "告警中心 depends_on 消息总线 supports MQTT 协议 attribute 星河 H200 采集网关"


async def test_two_things_are_joined_and_every_edge_opens_its_paragraph(graph: GraphDesk) -> None:
    await graph.add(CHAIN)
    await graph.build()
    found = await graph.paths("告警中心", "星河H200采集网关")
    assert told(found) == [JOINED]
    asked = await graph.paths(question="告警中心和星河 H200 采集网关是怎么连起来的？")
    assert told(asked) == [JOINED]
    edges = [edge for path in found.paths for edge in path.edges]
    assert edges
    for edge in edges:
        for place in edge.paragraphs:
            async with graph.desk.database.transaction() as session:
                view = await Paragraphs(session, graph.desk.scope).view(place.paragraph_id)
            assert view.document_id == place.document_id
            assert view.content[place.start : place.end] == place.quote
            assert edge.target.name in place.quote
            assert edge.source.name in place.quote + view.title + "".join(view.title_chain)


async def test_of_one_thing_what_the_question_asks_for_comes_first(graph: GraphDesk) -> None:
    await graph.add(CHAIN)
    await graph.build()
    found = await graph.paths(question="消息总线是谁研发的？")
    assert told(found)[0] == "消息总线 made_by 青禾科技"
    assert told(await graph.paths("没有这个东西")) == []
    with pytest.raises(GraphQuestionEmpty):
        await graph.paths()


async def test_no_path_leads_through_a_value_or_further_than_asked(graph: GraphDesk) -> None:
    await graph.add("## 甲型网关\n\n工作电压：24 V\n\n## 乙型网关\n\n工作电压：24 V\n\n甲型网关依赖总线。\n")
    await graph.build()
    assert told(await graph.paths("甲型网关", "24 V")) == ["甲型网关 attribute 24 V"]
    joined = [line for line in told(await graph.paths("甲型网关", "乙型网关")) if "乙型网关" in line]
    assert all("甲型网关" not in line for line in joined)
    await graph.add(CHAIN, "b.md")
    await graph.run()
    near = told(await graph.paths("告警中心", "星河 H200 采集网关", max_hops=2))
    assert JOINED not in near


async def test_two_names_are_one_thing_by_the_text_or_by_the_term_base(graph: GraphDesk) -> None:
    await graph.add(
        "数据采集服务（以下简称 DCS）很稳定。DCS依赖缓存。\n\nThe router depends on the message bus.\n"
    )
    await graph.add(CHAIN, "b.md")
    await graph.build()
    assert told(await graph.paths("数据采集服务", "缓存", max_hops=1)) == [
        "数据采集服务 alias DCS depends_on 缓存"
    ]
    assert told(await graph.paths("router", "青禾科技")) != ["router depends_on 消息总线 made_by 青禾科技"]
    async with graph.desk.database.transaction() as session:
        draft = TermDraft(word="消息总线", synonyms=["message bus"])
        await Terms(session, graph.desk.scope).create(graph.base_id, draft)
    await reindex_terms(graph.desk.context, str(graph.desk.workspace_id), str(graph.base_id))
    (path,) = (await graph.paths("router", "青禾科技")).paths
    assert [edge.kind for edge in path.edges] == ["depends_on", "made_by"]
    assert {path.entities[1].name, *path.entities[1].also} == {"消息总线", "message bus"}


async def test_what_is_hidden_joins_nothing_and_counts_in_nothing(graph: GraphDesk) -> None:
    await graph.add("告警中心依赖消息总线。\n")
    secret = await graph.add("消息总线由青禾科技研发。消息总线（又称神经网）很快。\n", "secret.md")
    await graph.build()
    viewer = Scope(graph.desk.workspace_id, new_id(), Role.VIEWER, "session")
    assert told(await graph.paths("告警中心", "青禾科技", scope=viewer))
    assert (await graph.view(viewer)).relations == 3
    async with graph.desk.database.transaction() as session:
        rules = AccessRules(session, graph.desk.scope)
        await rules.change_document(secret, AccessChange(restricted=True))
    assert (await graph.paths("青禾科技", scope=viewer)).entities == ()
    assert (await graph.paths("神经网", scope=viewer)).entities == ()
    assert told(await graph.paths("告警中心", scope=viewer)) == ["告警中心 depends_on 消息总线"]
    seen = await graph.view(viewer)
    assert (seen.entities, seen.relations, seen.paragraphs, seen.progress_total) == (2, 1, 1, 100)
    async with graph.desk.database.transaction() as session:
        explorer = Explorer(session, viewer, graph.base_id)
        listed = await explorer.entities(None, values=True, limit=10, cursor=None)
        assert (listed.total, {item.name for item in listed.items}) == (2, {"告警中心", "消息总线"})
        with pytest.raises(GraphEntityNotFound):
            await explorer.around(entity_id(entity_key("青禾科技")), limit=10)
        assert len((await explorer.overview(limit=50)).edges) == 1
    assert told(await graph.paths("告警中心", "青禾科技"))  # owners see all
