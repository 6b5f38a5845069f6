"""What people do with index builds: start, watch, cancel, resume, switch, switch back, discard.

A switch is one transaction that holds off the writers of both indexes: what was written before is counted,
and what is written after goes to the index that is active then. It is refused while a paragraph is missing.
"""

from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope, audit
from refdesk.gateway import Gateway
from refdesk.kit.ids import new_id
from refdesk.kit.web import Page
from refdesk.knowledge.access import sees_whole
from refdesk.knowledge.indexing import drop_index, hold_off_writers
from refdesk.knowledge.indexing.tables import IndexBuild
from refdesk.knowledge.queueing import enqueue_build
from refdesk.knowledge.rebuilding.errors import (
    IndexBehind,
    IndexBuildExists,
    IndexBuildNotReady,
    IndexBuildNotRunning,
    IndexBuildNotStopped,
    NoPreviousIndex,
)
from refdesk.knowledge.rebuilding.repository import IndexBuildRepository
from refdesk.knowledge.rebuilding.schemas import IndexBuildView
from refdesk.knowledge.repository import RESOURCE, KnowledgeBaseRepository
from refdesk.knowledge.tables import KnowledgeBase


class IndexBuilds:
    """Index builds of the scope's workspace, within the session's transaction."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self.session = session
        self.scope = scope
        self.repository = IndexBuildRepository(session, scope)
        self.bases = KnowledgeBaseRepository(session, scope)

    async def page(self, base_id: UUID) -> Page[IndexBuildView]:
        """The builds of a base, of which there is one at most."""
        base = await self.bases.get(base_id)
        items = [await self._view(base, build) for build in await self.repository.of_base(base_id)]
        return Page(items=items, next_cursor=None, total=len(items))

    async def view(self, base_id: UUID, build_id: UUID) -> IndexBuildView:
        base = await self.bases.get(base_id)
        return await self._view(base, await self.repository.get(base_id, build_id))

    async def start(self, base_id: UUID, model_id: UUID, gateway: Gateway) -> IndexBuildView:
        """Begin to build another index. The same model is allowed: what is behind its name may have changed.

        Raises `IndexBuildExists`, `UnknownModel`, `WrongModelKind`.
        """
        base = await self.bases.get(base_id, lock=True)
        for build in await self.repository.of_base(base_id):
            raise IndexBuildExists(build_id=str(build.id), state=build.state)
        await gateway.embedder(self.scope, model_id)
        build = IndexBuild(
            id=new_id(),
            workspace_id=self.scope.workspace_id,
            knowledge_base_id=base_id,
            model_id=model_id,
            created_by=self.scope.user_id,
        )
        self.session.add(build)
        await self.session.flush()
        self._audit("index-build.start", build)
        await enqueue_build(self.session, self.scope, build.id)
        return await self._view(base, build)

    async def cancel(self, base_id: UUID, build_id: UUID) -> IndexBuildView:
        """Stop building. The job loses the right to write here and now; what it has done is kept."""
        base, build = await self._locked(base_id, build_id)
        if build.state not in ("queued", "building"):
            raise IndexBuildNotRunning(state=build.state)
        build.state, build.attempt = "cancelled", None
        return await self._view(base, build)

    async def resume(self, base_id: UUID, build_id: UUID) -> IndexBuildView:
        """Go on where it stopped, or take in what is missing where that failed."""
        base, build = await self._locked(base_id, build_id)
        if build.state in ("cancelled", "failed"):
            build.state = "queued"
        elif build.error is None:
            raise IndexBuildNotStopped(state=build.state)
        build.error = None
        await enqueue_build(self.session, self.scope, build.id)
        return await self._view(base, build)

    async def switch(self, base_id: UUID, build_id: UUID) -> IndexBuildView:
        """Search the other index from now on; the former one is kept, and kept up to date.

        Raises `IndexBuildNotReady`, and `IndexBehind` while a paragraph is missing.
        """
        base, build = await self._locked(base_id, build_id)
        if build.state != "built" or build.index_id is None:
            raise IndexBuildNotReady(state=build.state)
        build.previous_index_id = await self._make_active(base, build.index_id)
        build.state = "switched"
        self._audit("index-build.switch", build)
        return await self._view(base, build)

    async def switch_back(self, base_id: UUID, build_id: UUID) -> IndexBuildView:
        """Search the former index again; the other is kept as it was before the switch.

        Raises `NoPreviousIndex`, and `IndexBehind` while a paragraph is missing.
        """
        base, build = await self._locked(base_id, build_id)
        if build.state != "switched" or build.previous_index_id is None:
            raise NoPreviousIndex(state=build.state)
        build.index_id = await self._make_active(base, build.previous_index_id)
        build.previous_index_id, build.state = None, "built"
        self._audit("index-build.back", build)
        return await self._view(base, build)

    async def discard(self, base_id: UUID, build_id: UUID) -> None:
        """Remove the index that is not active; what it was built for ends with it."""
        base, build = await self._locked(base_id, build_id)
        other = build.previous_index_id if build.state == "switched" else build.index_id
        self._audit("index-build.discard", build)
        await self.session.delete(build)
        await self.session.flush()
        if other is not None and other != base.active_index_id:
            await drop_index(self.session, self.scope, other)

    async def _locked(self, base_id: UUID, build_id: UUID) -> tuple[KnowledgeBase, IndexBuild]:
        base = await self.bases.get(base_id, lock=True)
        return base, await self.repository.get(base_id, build_id, lock=True)

    async def _make_active(self, base: KnowledgeBase, index_id: UUID) -> UUID | None:
        """Switch the base to an index; returns the one that was active."""
        former = await self.repository.index(base.active_index_id)
        # In the order in which writers of several take them.
        for held in sorted({index_id, *({former.id} if former is not None else ())}):
            await hold_off_writers(self.session, self.scope, held)
        if former is not None and (behind := await self.repository.behind(former.id, index_id)):
            if await sees_whole(self.session, self.scope, base.id):
                raise IndexBehind(paragraphs=behind)
            raise IndexBehind
        chosen = await self.repository.index(index_id)
        assert chosen is not None  # held, hence there
        chosen.state = "active"
        if former is not None:
            former.state = "retired"
        base.active_index_id, base.embedding_model_id = chosen.id, chosen.model_id
        return None if former is None else former.id

    async def _view(self, base: KnowledgeBase, build: IndexBuild) -> IndexBuildView:
        await self.session.flush()
        await self.session.refresh(build)
        previous = await self.repository.index(build.previous_index_id)
        other = build.previous_index_id if build.state == "switched" else build.index_id
        behind = 0
        if other is not None and base.active_index_id is not None:
            behind = await self.repository.behind(base.active_index_id, other)
        return IndexBuildView.of(
            build,
            behind=behind,
            previous_model_id=None if previous is None else previous.model_id,
            counts=await sees_whole(self.session, self.scope, base.id),
        )

    def _audit(self, action: str, build: IndexBuild) -> None:
        audit(
            self.session,
            self.scope,
            action,
            (RESOURCE, build.knowledge_base_id),
            build_id=str(build.id),
            model_id=str(build.model_id),
        )
