"""Paths: what they join, that each edge opens its paragraph, and what the caller may not see."""

from tests.service.graph.conftest import CHAIN, GraphDesk, told


async def test_two_things_are_joined_over_what_both_touch(graph: GraphDesk) -> None:
    await graph.add(CHAIN)
    view = await graph.build()
    print(view)
    found = await graph.paths("告警中心", "星河H200采集网关")
    print(told(found))
    assert told(found) == ["告警中心 depends_on 消息总线 supports MQTT 协议 attribute 星河 H200 采集网关"]
