"""What can be done with a knowledge base: create, find, change, delete."""

from collections.abc import Awaitable, Callable, Sequence
from uuid import UUID

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope, audit
from refdesk.gateway import Gateway
from refdesk.jobs import enqueue
from refdesk.kit.clock import now
from refdesk.kit.ids import new_id
from refdesk.kit.settings import Settings
from refdesk.kit.web import Page
from refdesk.knowledge.access import require_whole
from refdesk.knowledge.errors import KnowledgeBaseModelFixed, NameTaken, NoEmbeddingModel
from refdesk.knowledge.filenames import clean_title
from refdesk.knowledge.indexing import create_index, drop_index
from refdesk.knowledge.rebuilding.errors import IndexBuildExists
from refdesk.knowledge.rebuilding.repository import IndexBuildRepository
from refdesk.knowledge.repository import (
    RESOURCE,
    Counts,
    DocumentRepository,
    KnowledgeBaseRepository,
    RemovalRepository,
)
from refdesk.knowledge.schemas import (
    KnowledgeBaseCreate,
    KnowledgeBaseUpdate,
    KnowledgeBaseUsage,
    KnowledgeBaseView,
)
from refdesk.knowledge.split_checks import require_usable
from refdesk.knowledge.tables import KnowledgeBase
from refdesk.knowledge.views import base_view

REMOVE_BASE = "remove-knowledge-base"

type NamesOfUsers = Callable[[AsyncSession, Scope, UUID], Awaitable[Sequence[str]]]
# Rooms above tell here by which names they use a base, so that people know before they delete it.
users_of_bases: list[NamesOfUsers] = []


async def enqueue_base_removal(session: AsyncSession, workspace_id: UUID, base_id: UUID) -> None:
    """Have the rows of a base with a deletion mark removed."""
    await enqueue(
        session,
        REMOVE_BASE,
        lock=f"knowledge-base:{base_id}",
        unique=True,
        line=base_id,
        workspace_id=str(workspace_id),
        knowledge_base_id=str(base_id),
    )


class KnowledgeBases:
    """The knowledge bases of the scope's workspace, within the session's transaction."""

    def __init__(self, session: AsyncSession, scope: Scope, settings: Settings) -> None:
        self.session = session
        self.scope = scope
        self.settings = settings
        self.repository = KnowledgeBaseRepository(session, scope)

    async def get(self, base_id: UUID) -> KnowledgeBase:
        return await self.repository.get(base_id)

    async def view(self, base_id: UUID) -> KnowledgeBaseView:
        return await self._view(await self.repository.get(base_id))

    async def usage(self, base_id: UUID) -> KnowledgeBaseUsage:
        """The names of what would lose the base with its deletion."""
        await self.repository.get(base_id)
        found = [name for names in users_of_bases for name in await names(self.session, self.scope, base_id)]
        return KnowledgeBaseUsage(applications=sorted(found))

    async def page(self, *, limit: int, cursor: str | None, q: str | None) -> Page[KnowledgeBaseView]:
        """Bases by name; the cursor is the last name seen."""
        bases, total = await self.repository.page(limit=limit + 1, after=cursor, q=q)
        shown = bases[:limit]
        counts = await self.repository.counts([base.id for base in shown])
        items = [base_view(base, counts[base.id], self.settings) for base in shown]
        following = shown[-1].name if len(bases) > limit else None
        return Page(items=items, next_cursor=following, total=total)

    async def create(self, body: KnowledgeBaseCreate, gateway: Gateway) -> KnowledgeBaseView:
        """A new, empty base with an index for the chosen or default embedding model."""
        await require_usable(body.split_settings)
        base_id = new_id()
        name = clean_title(body.name)
        await self._require_free(name)
        model_id = body.embedding_model_id or await gateway.default_model(self.scope, "EMBEDDING")
        if model_id is None:
            raise NoEmbeddingModel
        embedder = await gateway.embedder(self.scope, model_id)
        base = KnowledgeBase(
            id=base_id,
            workspace_id=self.scope.workspace_id,
            name=name,
            description=body.description,
            embedding_model_id=model_id,
            max_file_bytes=body.max_file_bytes,
            max_documents=body.max_documents,
            settings={"split": body.split_settings.model_dump(exclude_defaults=True)},
            meta=body.meta,
            created_by=self.scope.user_id,
        )
        self.session.add(base)
        await self._flush_named(name)
        index = await create_index(self.session, self.scope, base_id, model_id, embedder.dimensions)
        base.active_index_id = index.id
        audit(self.session, self.scope, "knowledge-base.create", (RESOURCE, base_id), name=name)
        return await self._view(base)

    async def update(self, base_id: UUID, body: KnowledgeBaseUpdate, gateway: Gateway) -> KnowledgeBaseView:
        """Change what the body names. New limits and split settings hold for what is added from now on."""
        if body.split_settings is not None:
            await require_usable(body.split_settings)
        base = await self.repository.get(base_id, lock=True)
        sent = body.model_fields_set
        if body.name is not None and (name := clean_title(body.name)) != base.name:
            await self._require_free(name)
            base.name = name
            await self._flush_named(name)
        if body.description is not None:
            base.description = body.description
        if "max_file_bytes" in sent:
            base.max_file_bytes = body.max_file_bytes
        if "max_documents" in sent:
            base.max_documents = body.max_documents
        if body.split_settings is not None:
            base.settings = {**base.settings, "split": body.split_settings.model_dump(exclude_defaults=True)}
        if body.meta is not None:
            # What the server itself keeps here is not shown as meta and cannot be overwritten unseen.
            kept = {key: base.meta[key] for key in ("suggested_questions",) if key in base.meta}
            base.meta = kept | body.meta
        if body.embedding_model_id is not None and body.embedding_model_id != base.embedding_model_id:
            await self._change_model(base, body.embedding_model_id, gateway)
        return await self._view(base)

    async def delete(self, base_id: UUID) -> None:
        """Hide the base and everything in it at once; a job removes the rows in bounded batches.

        Its name is free from now on, and jobs that work on its documents lose the right to write. Raises
        `HiddenDocuments`: nobody deletes what they cannot see.
        """
        base = await self.repository.get(base_id, lock=True)
        await require_whole(self.session, self.scope, base_id)
        at = now()
        audit(self.session, self.scope, "knowledge-base.delete", (RESOURCE, base_id), name=base.name)
        base.deleted_at = at
        base.name = f"{base.name[:150]} (deleted {base_id})"
        base.active_index_id = None
        await RemovalRepository(self.session, self.scope).mark_documents(base_id, at)
        await enqueue_base_removal(self.session, self.scope.workspace_id, base_id)

    async def _change_model(self, base: KnowledgeBase, model_id: UUID, gateway: Gateway) -> None:
        everybody = Scope.system(self.scope.workspace_id)
        if await DocumentRepository(self.session, everybody).count(base.id):
            raise KnowledgeBaseModelFixed
        for build in await IndexBuildRepository(self.session, self.scope).of_base(base.id):
            raise IndexBuildExists(build_id=str(build.id), state=build.state)
        embedder = await gateway.embedder(self.scope, model_id)
        former = base.active_index_id
        index = await create_index(self.session, self.scope, base.id, model_id, embedder.dimensions)
        base.embedding_model_id = model_id
        base.active_index_id = index.id
        await self.session.flush()
        if former is not None:
            await drop_index(self.session, self.scope, former)

    async def _require_free(self, name: str) -> None:
        existing = await self.repository.by_name(name)
        if existing is not None:
            raise NameTaken(name=name, knowledge_base_id=str(existing.id))

    async def _flush_named(self, name: str) -> None:
        """Flush; someone who took the name since it was looked up makes this a conflict too."""
        try:
            async with self.session.begin_nested():
                await self.session.flush()
        except IntegrityError as error:
            if "uq_knowledge_bases_workspace_id_name" in str(error.orig):
                raise NameTaken(name=name) from None
            raise

    async def _view(self, base: KnowledgeBase) -> KnowledgeBaseView:
        await self.session.flush()
        await self.session.refresh(base)
        counts = await self.repository.counts([base.id])
        return base_view(base, counts.get(base.id, Counts()), self.settings)
