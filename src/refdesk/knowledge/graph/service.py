"""What people do with the graph of a knowledge base: see what it costs, build, watch, cancel, delete."""

from math import ceil
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope, audit
from refdesk.gateway import Gateway, Money, load_prices
from refdesk.kit.ids import new_id
from refdesk.knowledge.access import require_whole, sees_whole
from refdesk.knowledge.graph.errors import GraphBuilding, GraphModelNeeded, GraphNotFound, GraphNotRunning
from refdesk.knowledge.graph.exploring import Explorer
from refdesk.knowledge.graph.extraction import asking, rules
from refdesk.knowledge.graph.queueing import enqueue_build, enqueue_removal
from refdesk.knowledge.graph.repository import GraphRepository, Size
from refdesk.knowledge.graph.run import WORKING
from refdesk.knowledge.graph.schemas import NO_GRAPH, GraphBuild, GraphEstimate, GraphView, Method
from refdesk.knowledge.graph.tables import KnowledgeGraph
from refdesk.knowledge.repository import RESOURCE, KnowledgeBaseRepository


class Graphs:
    """Graphs of the scope's workspace, within the session's transaction.

    What counts or costs takes in every document of a base, so it is refused to whom some are hidden from.
    """

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self.session = session
        self.scope = scope
        self.repository = GraphRepository(session, scope)
        self.bases = KnowledgeBaseRepository(session, scope)

    async def view(self, base_id: UUID) -> GraphView:
        """The graph as far as the caller may see it; state `none` for a base without one."""
        await self.bases.get(base_id)
        graph = await self.repository.of_base(base_id)
        if graph is None:
            return NO_GRAPH
        counts = await Explorer(self.session, self.scope, base_id).counts()
        pending = await self.repository.count_pending(graph)
        view = GraphView.model_validate(
            {
                "state": graph.state,
                "method": graph.method,
                "model_id": graph.model_id,
                "follows": graph.follows,
                "progress_done": graph.progress_done,
                "progress_total": graph.progress_total,
                "pending": pending,
                "entities": counts.entities,
                "relations": counts.relations,
                "paragraphs": counts.paragraphs,
                "skipped": graph.skipped,
                "input_tokens": graph.input_tokens,
                "output_tokens": graph.output_tokens,
                "cost": graph.cost,
                "currency": graph.currency,
                "error": graph.error,
                "updated_at": graph.updated_at,
            }
        )
        if await sees_whole(self.session, self.scope, base_id):
            return view
        done, total = graph.progress_done, graph.progress_total
        hidden = {
            "progress_done": 100 * done // max(total, 1),
            "progress_total": 100 if total else 0,
            "pending": min(pending, 1),
            "skipped": 0,
            "input_tokens": 0,
            "output_tokens": 0,
            "cost": None,
            "currency": None,
        }
        return view.model_copy(update=hidden)

    async def estimate(self, base_id: UUID, body: GraphBuild, gateway: Gateway) -> GraphEstimate:
        """What a build would read and about cost. Raises `HiddenDocuments`, and what a model raises."""
        await self.bases.get(base_id)
        await require_whole(self.session, self.scope, base_id)
        model_id = await self._model(body, gateway)
        graph = await self.repository.of_base(base_id)
        size = await self.repository.size(
            base_id, None if graph is None else graph.id, _recipe(body.method, model_id)
        )
        if model_id is None:
            return _estimate("rules", None, size, None)
        rough = _estimate("model", model_id, size, None)
        prices = await load_prices(self.session)
        one = prices.cost(self.scope.workspace_id, model_id, rough.input_tokens, rough.output_tokens)
        per_call = prices.cost(self.scope.workspace_id, model_id, 0, 0)
        if one is None or per_call is None:
            return rough
        return _estimate(
            "model",
            model_id,
            size,
            Money(one.amount + per_call.amount * max(rough.calls - 1, 0), one.currency),
        )

    async def start(self, base_id: UUID, body: GraphBuild, gateway: Gateway) -> GraphView:
        """Build the graph, or go on with it: only paragraphs not read yet by this method are read.

        Raises `GraphBuilding`, `GraphModelNeeded`, `HiddenDocuments`, `UnknownModel`, `WrongModelKind`.
        """
        await self.bases.get(base_id, lock=True)
        await require_whole(self.session, self.scope, base_id)
        model_id = await self._model(body, gateway)
        graph = await self.repository.of_base(base_id, lock=True)
        if graph is not None and graph.state in WORKING:
            raise GraphBuilding(state=graph.state)
        graph = await self._begin(base_id, graph, body, model_id)
        self._audit("graph.build", graph, method=graph.method, model_id=str(model_id) if model_id else None)
        return await self.view(base_id)

    async def begin_by_rules(self, base_id: UUID, *, follows: bool) -> None:
        """Build the graph of a base that was just imported; nothing where it has one already."""
        if await self.repository.of_base(base_id) is None:
            await self._begin(base_id, None, GraphBuild(method="rules", follows=follows), None)

    async def cancel(self, base_id: UUID) -> GraphView:
        """Stop building. The run loses the right to write here and now; what it has read is kept."""
        graph = await self._locked(base_id)
        if graph.state not in WORKING:
            raise GraphNotRunning(state=graph.state)
        graph.state, graph.attempt = "cancelled", None
        await self.session.flush()
        self._audit("graph.cancel", graph)
        return await self.view(base_id)

    async def follow(self, base_id: UUID, follows: bool) -> GraphView:
        """Whether new and edited paragraphs are read by themselves."""
        graph = await self._locked(base_id)
        graph.follows = follows
        await self.session.flush()
        self._audit("graph.follow", graph, follows=follows)
        if follows and graph.state == "ready":
            await enqueue_build(self.session, self.scope, graph)
        return await self.view(base_id)

    async def delete(self, base_id: UUID) -> None:
        """Remove the graph. It is gone at once; a job removes its rows."""
        graph = await self._locked(base_id)
        self._audit("graph.delete", graph)
        await enqueue_removal(self.session, self.scope, graph)
        await self.session.delete(graph)

    async def _begin(
        self, base_id: UUID, graph: KnowledgeGraph | None, body: GraphBuild, model_id: UUID | None
    ) -> KnowledgeGraph:
        if graph is None:
            graph = KnowledgeGraph(
                id=new_id(),
                workspace_id=self.scope.workspace_id,
                knowledge_base_id=base_id,
                created_by=self.scope.user_id,
            )
            self.session.add(graph)
        graph.method, graph.model_id = body.method, model_id
        graph.recipe = _recipe(body.method, model_id)
        graph.follows = body.method == "rules" if body.follows is None else body.follows
        graph.state, graph.attempt, graph.error = "queued", None, None
        graph.progress_done, graph.progress_total = 0, 0
        await self.session.flush()
        await enqueue_build(self.session, self.scope, graph)
        return graph

    async def _locked(self, base_id: UUID) -> KnowledgeGraph:
        await self.bases.get(base_id)
        graph = await self.repository.of_base(base_id, lock=True)
        if graph is None:
            raise GraphNotFound
        return graph

    async def _model(self, body: GraphBuild, gateway: Gateway) -> UUID | None:
        if body.method == "rules":
            return None
        model_id = body.model_id or await gateway.default_model(self.scope, "LLM")
        if model_id is None:
            raise GraphModelNeeded
        await gateway.completer(self.scope, model_id)
        return model_id

    def _audit(self, action: str, graph: KnowledgeGraph, **details: object) -> None:
        audit(self.session, self.scope, action, (RESOURCE, graph.knowledge_base_id), **details)


def _recipe(method: Method, model_id: UUID | None) -> str:
    return rules.RECIPE if method == "rules" or model_id is None else f"{asking.RECIPE}-{model_id.hex}"


def _estimate(method: Method, model_id: UUID | None, size: Size, cost: Money | None) -> GraphEstimate:
    """By rules nothing is asked of a model."""
    calls = (
        0 if method == "rules" else max(ceil(size.characters / asking.CALL_CHARS), min(size.paragraphs, 1))
    )
    return GraphEstimate(
        method=method,
        model_id=model_id,
        paragraphs=size.paragraphs,
        characters=size.characters,
        calls=calls,
        input_tokens=size.tokens + calls * asking.INSTRUCTION_TOKENS if calls else 0,
        output_tokens=int(size.tokens * asking.OUTPUT_SHARE) if calls else 0,
        cost=None if cost is None else cost.amount,
        currency=None if cost is None else cost.currency,
    )
