"""Building: only what changed is read, a killed run goes on, and what it costs is told before."""

import json
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from tests.service.graph.conftest import CHAIN, GraphDesk, told

from refdesk.accounts import Role, Scope
from refdesk.gateway import Gateway
from refdesk.gateway.tables import Model
from refdesk.gateway.usage.tables import ModelPrice
from refdesk.jobs import JobContext
from refdesk.kit.crypto import Cipher
from refdesk.kit.ids import new_id
from refdesk.knowledge.access import HiddenDocuments
from refdesk.knowledge.access.schemas import AccessChange
from refdesk.knowledge.access.service import AccessRules
from refdesk.knowledge.graph import GraphBuilding, Graphs, run
from refdesk.knowledge.graph.extraction import asking
from refdesk.knowledge.graph.extraction.facts import Passage
from refdesk.knowledge.graph.jobs import build_graph, remove_graph
from refdesk.knowledge.graph.schemas import GraphBuild
from refdesk.testing import scripted_model as script
from refdesk.testing.scripted_model import scripted_model


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The contents that rules read, in order."""
    contents: list[str] = []
    original = run.read_by_rules

    def reading(passage: Passage) -> Any:
        contents.append(passage.content)
        return original(passage)

    monkeypatch.setattr(run, "read_by_rules", reading)
    return contents


async def test_only_what_changed_is_read_again_and_what_went_is_gone(
    graph: GraphDesk, read: list[str]
) -> None:
    document = await graph.add(CHAIN)
    view = await graph.build()
    assert (view.state, view.relations, view.pending, len(read)) == ("ready", 5, 0, 3)
    read.clear()
    changed = CHAIN.replace("告警中心依赖消息总线。", "告警中心依赖短信网关。").split("## 星河")[0]
    await graph.desk.replace(document, changed.encode(), reason="upload")
    await graph.desk.process(document)
    assert told(await graph.paths("告警中心")) == []  # what the text says no more is not told any more
    assert await graph.desk.jobs("build-graph") >= 1
    view = await graph.run()
    assert read == ["告警中心依赖短信网关。"]
    assert told(await graph.paths("告警中心")) == ["告警中心 depends_on 短信网关"]
    assert view.relations == 3
    assert await graph.desk.count("graph_readings") == 2


async def test_a_killed_run_goes_on_and_writes_nothing_twice(
    graph: GraphDesk, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "RULES_BATCH", 2)
    await graph.add("".join(f"## 第{n}节\n\n模块{n}号依赖总线{n}号。\n\n" for n in range(6)))
    await graph.start()
    with pytest.raises(GraphBuilding):
        await graph.start()

    class Killed(BaseException):
        pass

    original = run.GraphRun._write  # pyright: ignore[reportPrivateUsage]

    async def dies(self: run.GraphRun, reading: Any) -> None:
        if len(read) == 4:
            raise Killed
        await original(self, reading)

    monkeypatch.setattr(run.GraphRun, "_write", dies)
    with pytest.raises(Killed):
        await graph.run()
    monkeypatch.setattr(run.GraphRun, "_write", original)
    assert (await graph.view()).state == "building"
    view = await graph.run()
    assert (view.state, view.relations, view.pending) == ("ready", 6, 0)
    assert len(read) == 8  # the two that were read but not written are read again
    assert await graph.desk.count("graph_relations") == 6


async def test_a_cancelled_run_stops_and_another_start_goes_on(
    graph: GraphDesk, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "RULES_BATCH", 1)
    await graph.add(CHAIN)
    await graph.start()
    original = run.GraphRun._next  # pyright: ignore[reportPrivateUsage]

    async def cancels(self: run.GraphRun, *options: Any) -> Any:
        passages = await original(self, *options)
        if len(read) == 1:
            async with graph.desk.database.transaction() as session:
                await Graphs(session, graph.desk.scope).cancel(graph.base_id)
        return passages

    monkeypatch.setattr(run.GraphRun, "_next", cancels)
    assert (await graph.run()).state == "cancelled"
    monkeypatch.setattr(run.GraphRun, "_next", original)
    assert await graph.desk.count("graph_readings") == 1
    assert (await graph.build()).relations == 5


async def test_a_deleted_graph_leaves_nothing(graph: GraphDesk) -> None:
    await graph.add(CHAIN)
    await graph.build()
    graph_id = await id_of(graph)
    async with graph.desk.database.transaction() as session:
        await Graphs(session, graph.desk.scope).delete(graph.base_id)
    assert (await graph.view()).state == "none"
    assert told(await graph.paths("告警中心")) == []
    await remove_graph(graph.desk.context, str(graph.desk.workspace_id), graph_id)
    for table in ("graph_readings", "graph_mentions", "graph_relations"):
        assert await graph.desk.count(table) == 0


async def test_whoever_does_not_see_all_learns_no_cost(graph: GraphDesk) -> None:
    document = await graph.add(CHAIN)
    async with graph.desk.database.transaction() as session:
        await AccessRules(session, graph.desk.scope).change_document(document, AccessChange(restricted=True))
    editor = Scope(graph.desk.workspace_id, new_id(), Role.EDITOR, "session")
    async with graph.desk.database.transaction() as session:
        with pytest.raises(HiddenDocuments):
            await Graphs(session, editor).estimate(graph.base_id, GraphBuild(), graph.desk.gateway)


async def test_a_model_reads_at_the_price_told_before_and_invents_nothing(
    graph: GraphDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "RETRY_DELAYS_S", ())
    await graph.add("## Kestrel\n\nKestrel hands its records to Falcon.\n\n## Heron\n\nHeron is quiet.\n")
    relations = [
        relation(1, "Kestrel", "connects_to", "hands its records to", "Falcon"),
        relation(1, "Kestrel", "depends_on", "needs", "Albatross"),  # not in the text
        relation(1, "Kestrel", "loves", "loves", "Falcon"),  # no kind of ours
        relation(9, "Kestrel", "supports", "", "Falcon"),  # no such paragraph
    ]
    async with scripted_model() as server:
        gateway = Gateway(graph.desk.settings, graph.desk.database, Cipher(b"k" * 32))
        try:
            model_id = await priced_model(graph, server.base_url)
            body = GraphBuild(method="model", model_id=model_id)
            async with graph.desk.database.transaction() as session:
                graphs = Graphs(session, graph.desk.scope)
                estimate = await graphs.estimate(graph.base_id, body, gateway)
                assert (estimate.paragraphs, estimate.calls, estimate.currency) == (2, 1, "EUR")
                assert estimate.cost == Decimal(estimate.input_tokens + 2 * estimate.output_tokens) / 1000
                assert (await graphs.start(graph.base_id, body, gateway)).follows is False
            found = json.dumps({"relations": relations})

            async def replies(request: script.Request, send: script.Send) -> None:
                shown = str(request.body)
                of_one = "Heron is" not in shown
                text = found if of_one else "I would rather talk about the weather."
                await script.answer(text, input_tokens=500, output_tokens=50)(request, send)

            server.always(replies)
            context = JobContext(graph.desk.settings, graph.desk.database, {Gateway: gateway})
            await build_graph(context, str(graph.desk.workspace_id), await id_of(graph))
            view = await graph.view()
            assert (view.state, view.relations, view.skipped, view.pending) == ("ready", 1, 1, 0)
            assert told(await graph.paths("Kestrel")) == ["Kestrel connects_to Falcon"]
            assert len(server.requests) == 3  # two paragraphs together, then each by itself
            asked = server.requests[0].body
            assert asked["response_format"]["type"] == "json_schema"
            spent = view.input_tokens + 2 * view.output_tokens
            assert view.cost == Decimal(spent) / 1000
            assert (view.input_tokens, view.output_tokens) == (1_500, 150)
            server.always(script.refuses(401, "who are you"))
            await graph.add("## Osprey\n\nOsprey needs Heron.\n", "b.md")
            async with graph.desk.database.transaction() as session:
                await Graphs(session, graph.desk.scope).start(graph.base_id, body, gateway)
            await build_graph(context, str(graph.desk.workspace_id), await id_of(graph))
            view = await graph.view()
            assert view.state == "failed"
            assert (view.error or {})["code"] == "model-authentication"
            assert (view.relations, view.pending) == (1, 1)  # what was read stays
        finally:
            await gateway.close()


async def id_of(graph: GraphDesk) -> str:
    statement = "SELECT id FROM knowledge_graphs WHERE knowledge_base_id = :base"
    return str((await graph.desk.rows(statement, base=graph.base_id))[0][0])


def relation(paragraph: int, source: str, kind: str, label: str, target: str) -> dict[str, Any]:
    return {"paragraph": paragraph, "source": source, "kind": kind, "label": label, "target": target}


async def priced_model(graph: GraphDesk, base_url: str) -> Any:
    """A model at a thousandth of a euro a token in, and two out."""
    model_id = new_id()
    fixed = {"workspace_id": graph.desk.workspace_id}
    async with graph.desk.database.transaction() as session:
        session.add(
            Model(
                id=model_id,
                **fixed,
                kind="LLM",
                provider="openai-compatible",
                name="reader",
                model_name="reader-1",
                base_url=base_url,
                parameters={},
                is_default=False,
            )
        )
        await session.flush()
        session.add(
            ModelPrice(
                id=new_id(),
                **fixed,
                model_id=model_id,
                valid_from=date(2020, 1, 1),
                currency="EUR",
                input_per_million=Decimal(1000),
                output_per_million=Decimal(2000),
            )
        )
    return model_id
