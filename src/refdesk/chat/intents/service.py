"""What people do with an application's intents. Each change counts the tree's version up and is audited."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope, audit, key_resources
from refdesk.chat.intents.errors import (
    IntentBasesUnknown,
    IntentCodeTaken,
    IntentPlaceInvalid,
    IntentToolMissing,
    TooManyIntents,
)
from refdesk.chat.intents.repository import IntentRepository
from refdesk.chat.intents.schemas import IntentCreate, IntentMove, IntentOut, IntentPatch, IntentTreeOut
from refdesk.chat.intents.tables import IntentNode
from refdesk.chat.intents.tree import MOST_DEPTH, IntentKind
from refdesk.kit.clock import now
from refdesk.kit.errors import NotFound
from refdesk.kit.ids import new_id
from refdesk.knowledge import KnowledgeBaseRepository

RESOURCE = "application"
MOST_INTENTS = 1_000
MOST_EXAMPLES = 20_000
# What was deleted can be brought back for so long.
KEPT = timedelta(days=30)


class IntentService:
    """The intents of one application, within the session's transaction."""

    def __init__(self, session: AsyncSession, scope: Scope, application_id: UUID) -> None:
        self.session = session
        self.scope = scope
        self.application_id = application_id
        self.repository = IntentRepository(session, scope, application_id)

    @classmethod
    async def open(cls, session: AsyncSession, scope: Scope, application_id: UUID) -> "IntentService":
        """Raises `ApplicationNotFound` unless the application is one the caller may see."""
        await key_resources[RESOURCE](session, scope, application_id)
        return cls(session, scope, application_id)

    async def tree(self) -> IntentTreeOut:
        nodes = await self.repository.all()
        return IntentTreeOut(items=shown(nodes), version=await self.repository.version())

    async def create(self, draft: IntentCreate) -> IntentOut:
        """Raises the errors of this room for what does not fit."""
        await self.repository.changed()
        nodes = await self.repository.all()
        depth = 0
        if draft.parent_id is not None:
            parent = await self.repository.get(draft.parent_id)
            depth = _depth(nodes, parent.id) + 1
        if depth >= MOST_DEPTH:
            raise IntentPlaceInvalid(levels=MOST_DEPTH)
        node = IntentNode(id=new_id(), parent_id=draft.parent_id, position=_end(nodes, draft.parent_id))
        fill(node, draft.model_dump(exclude={"parent_id"}))
        await self.check(node)
        check_size([*nodes, node])
        await self._store(node)
        self._audit("create", node)
        return IntentOut.of(node, depth, is_leaf=True)

    async def update(self, intent_id: UUID, patch: IntentPatch) -> IntentOut:
        """Change what was sent and nothing else."""
        await self.repository.changed()
        node = await self.repository.get(intent_id)
        sent = patch.model_dump(include=patch.model_fields_set)
        fill(node, {k: v for k, v in sent.items() if v is not None or k in ("tool_id", "top_k")})
        await self.check(node)
        await self._store()
        self._audit("update", node, fields=sorted(sent))
        nodes = await self.repository.all()
        check_size(nodes)
        return next(one for one in shown(nodes) if one.id == intent_id)

    async def move(self, intent_id: UUID, move: IntentMove) -> IntentTreeOut:
        """Put a node, with what is below it, in another place."""
        await self.repository.changed()
        node = await self.repository.get(intent_id)
        nodes = await self.repository.all()
        depth = 0
        if move.parent_id is not None:
            parent = await self.repository.get(move.parent_id)
            if parent.id in {one.id for one in below(nodes, node)}:
                raise IntentPlaceInvalid
            depth = _depth(nodes, parent.id) + 1
        if depth + _height(nodes, node) > MOST_DEPTH:
            raise IntentPlaceInvalid(levels=MOST_DEPTH)
        siblings = [one for one in nodes if one.parent_id == move.parent_id and one.id != node.id]
        place = len(siblings)
        if move.before_id is not None:
            places = [at for at, one in enumerate(siblings) if one.id == move.before_id]
            if not places:
                raise IntentPlaceInvalid(before_id=str(move.before_id))
            place = places[0]
        node.parent_id = move.parent_id
        for position, one in enumerate([*siblings[:place], node, *siblings[place:]]):
            one.position = position
        await self.session.flush()
        self._audit("move", node)
        return await self.tree()

    async def delete(self, intent_id: UUID) -> None:
        """Delete a node with what is below it; `restore` brings all of it back."""
        await self.repository.changed()
        node = await self.repository.get(intent_id)
        moment = now()
        gone = below(await self.repository.all(), node)
        await self.repository.remove([one.id for one in gone], moment)
        await self.repository.forget_deleted(moment - KEPT)
        self._audit("delete", node, intents=len(gone))

    async def restore(self, intent_id: UUID) -> IntentTreeOut:
        """Bring back what was deleted with this node, at the top where its parent is gone meanwhile."""
        await self.repository.changed()
        nodes = await self.repository.deleted(intent_id)
        present = {one.id for one in await self.repository.all()} | {one.id for one in nodes}
        for node in nodes:
            node.deleted_at = None
            if node.parent_id not in present:
                node.parent_id = None
        await self._store()
        everything = await self.repository.all()
        check_size(everything)
        if any(_depth(everything, node.id) >= MOST_DEPTH for node in nodes):
            raise IntentPlaceInvalid(levels=MOST_DEPTH)
        self._audit("restore", next(one for one in nodes if one.id == intent_id), intents=len(nodes))
        return await self.tree()

    async def check(self, node: IntentNode) -> None:
        """Raise `IntentToolMissing` or `IntentBasesUnknown` where a node cannot be stored."""
        if node.kind == IntentKind.MCP and not (node.tool_id or "").strip():
            raise IntentToolMissing(code=node.code)
        if node.knowledge_base_ids:
            node.knowledge_base_ids = list(dict.fromkeys(node.knowledge_base_ids))
            try:
                await KnowledgeBaseRepository(self.session, self.scope).get_many(node.knowledge_base_ids)
            except NotFound as error:
                raise IntentBasesUnknown(**error.details) from None

    async def _store(self, *added: IntentNode) -> None:
        codes = [node.code for node in added]
        try:
            async with self.session.begin_nested():
                await self.repository.add(*added)
        except IntegrityError:
            raise IntentCodeTaken(codes=codes) from None

    def _audit(self, verb: str, node: IntentNode, **details: Any) -> None:
        target = (RESOURCE, self.application_id)
        audit(self.session, self.scope, f"intent.{verb}", target, code=node.code, name=node.name, **details)


async def has_intents(session: AsyncSession, scope: Scope, application_id: UUID) -> bool:
    """Whether an application has any intent."""
    return await IntentRepository(session, scope, application_id).exists()


def fill(node: IntentNode, values: dict[str, Any]) -> None:
    """Set a node's columns; examples are kept once each."""
    for name, value in values.items():
        setattr(node, name, list(dict.fromkeys(value)) if name == "examples" else value)


def shown(nodes: Sequence[IntentNode]) -> list[IntentOut]:
    """The nodes as shown, each before those below it."""
    children: dict[UUID | None, list[IntentNode]] = {}
    for node in nodes:
        children.setdefault(node.parent_id, []).append(node)
    found: list[IntentOut] = []

    def walk(node: IntentNode, depth: int) -> None:
        under = children.get(node.id, [])
        found.append(IntentOut.of(node, depth, is_leaf=not under))
        for one in under:
            walk(one, depth + 1)

    for root in children.get(None, []):
        walk(root, 0)
    return found


def below(nodes: Sequence[IntentNode], node: IntentNode) -> list[IntentNode]:
    """A node and all below it."""
    found = [node]
    for one in found:
        found += [child for child in nodes if child.parent_id == one.id]
    return found


def check_size(nodes: Sequence[IntentNode]) -> None:
    """Raise `TooManyIntents` for more than an application can have."""
    examples = sum(len(node.examples) for node in nodes)
    if len(nodes) > MOST_INTENTS or examples > MOST_EXAMPLES:
        raise TooManyIntents(most_intents=MOST_INTENTS, most_examples=MOST_EXAMPLES)


def _depth(nodes: Sequence[IntentNode], intent_id: UUID) -> int:
    parents = {node.id: node.parent_id for node in nodes}
    depth, above = 0, parents.get(intent_id)
    while above is not None and depth < MOST_DEPTH:
        depth, above = depth + 1, parents.get(above)
    return depth


def _height(nodes: Sequence[IntentNode], node: IntentNode) -> int:
    return 1 + max((_height(nodes, child) for child in nodes if child.parent_id == node.id), default=0)


def _end(nodes: Sequence[IntentNode], parent_id: UUID | None) -> int:
    return 1 + max((one.position for one in nodes if one.parent_id == parent_id), default=-1)
