"""All SQL of folders and access lists. Bound to the scope's workspace."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import delete, func, insert, select, text, update
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.kit.ids import new_id
from refdesk.knowledge.access.tables import AccessList, AccessListMember, Folder
from refdesk.knowledge.access.visibility import EVERYONE, lists_of, may_see, sees_all
from refdesk.knowledge.tables import Document, KnowledgeBase

_SETTLE = text("""
UPDATE documents d SET acl_id = f.acl_id, updated_at = now()
FROM unnest(CAST(:folders AS uuid[]), CAST(:lists AS bigint[])) AS f(id, acl_id)
WHERE d.folder_id = f.id AND d.access_list_id IS NULL AND d.acl_id <> f.acl_id
    AND d.workspace_id = :workspace_id AND d.knowledge_base_id = :base_id
RETURNING d.id, d.paragraph_count
""")


@dataclass(frozen=True, slots=True)
class Relisted:
    """A document that counts under another list now, and how many paragraphs it has."""

    document_id: UUID
    paragraphs: int


class FolderRepository:
    """Folders of one workspace. Which of them the caller may see is the service's to say."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self.session = session
        self.scope = scope

    async def find(self, folder_id: UUID) -> Folder | None:
        return await self.session.scalar(
            select(Folder)
            .join(KnowledgeBase, KnowledgeBase.id == Folder.knowledge_base_id)
            .where(
                Folder.workspace_id == self.scope.workspace_id,
                Folder.id == folder_id,
                KnowledgeBase.deleted_at.is_(None),
            )
            .execution_options(populate_existing=True)
        )

    async def of_base(self, base_id: UUID) -> list[Folder]:
        """All folders of a base by name, whoever may see them."""
        rows = await self.session.scalars(
            select(Folder)
            .where(Folder.workspace_id == self.scope.workspace_id, Folder.knowledge_base_id == base_id)
            .order_by(func.lower(Folder.name), Folder.name)
            .execution_options(populate_existing=True)
        )
        return list(rows)

    async def document_counts(self, base_id: UUID) -> Mapping[UUID, int]:
        """Documents right in each folder that the caller may see."""
        rows = await self.session.execute(
            select(Document.folder_id, func.count())
            .where(
                Document.workspace_id == self.scope.workspace_id,
                Document.knowledge_base_id == base_id,
                Document.folder_id.is_not(None),
                Document.deleted_at.is_(None),
                Document.is_draft.is_(False),
                may_see(self.scope),
            )
            .group_by(Document.folder_id)
        )
        return {folder_id: count for folder_id, count in rows if folder_id is not None}

    async def holds_documents(self, folder_id: UUID) -> bool:
        """Whether anything that the caller may see lies in it, previews included."""
        found = await self.session.scalar(
            select(Document.id)
            .where(
                Document.workspace_id == self.scope.workspace_id,
                Document.folder_id == folder_id,
                Document.deleted_at.is_(None),
                may_see(self.scope),
            )
            .limit(1)
        )
        return found is not None

    async def move_documents(self, folder_id: UUID, to: UUID | None) -> None:
        """Let what lies in a folder lie in another one."""
        await self.session.execute(
            update(Document)
            .where(Document.workspace_id == self.scope.workspace_id, Document.folder_id == folder_id)
            .values(folder_id=to)
            .execution_options(synchronize_session=False)
        )

    async def settle(self, base_id: UUID, lists: Mapping[UUID, int]) -> list[Relisted]:
        """Let what lies in these folders count under these lists, but for what has a list of its own."""
        rows = await self.session.execute(
            _SETTLE,
            {
                "folders": list(lists),
                "lists": list(lists.values()),
                "workspace_id": self.scope.workspace_id,
                "base_id": base_id,
            },
        )
        return [Relisted(*row) for row in rows]

    async def lock_some_documents(self, base_id: UUID, after: UUID, limit: int) -> list[UUID]:
        """The next documents of a base by id; none of them gets another list until the transaction ends."""
        rows = await self.session.scalars(
            select(Document.id)
            .where(
                Document.workspace_id == self.scope.workspace_id,
                Document.knowledge_base_id == base_id,
                Document.id > after,
            )
            .order_by(Document.id)
            .limit(limit)
            .with_for_update(read=True, key_share=False)
        )
        return list(rows)


class ListRepository:
    """Access lists of one workspace."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self.session = session
        self.scope = scope

    async def own(self) -> frozenset[int] | None:  # scope: `lists_of` names the workspace
        """All lists the caller is on; None: every one."""
        if sees_all(self.scope):
            return None
        return frozenset((EVERYONE, *await self.session.scalars(lists_of(self.scope))))

    async def add(self, base_id: UUID) -> int:
        made = AccessList(workspace_id=self.scope.workspace_id, knowledge_base_id=base_id)
        self.session.add(made)
        await self.session.flush()
        return made.id

    async def remove(self, list_id: int) -> None:
        await self.session.execute(
            delete(AccessList).where(
                AccessList.workspace_id == self.scope.workspace_id, AccessList.id == list_id
            )
        )

    async def members(self, list_id: int) -> tuple[set[UUID], set[UUID]]:
        """The ids of the users and of the groups on a list."""
        rows = await self.session.execute(
            select(AccessListMember.user_id, AccessListMember.group_id).where(
                AccessListMember.workspace_id == self.scope.workspace_id,
                AccessListMember.access_list_id == list_id,
            )
        )
        pairs: Sequence[tuple[UUID | None, UUID | None]] = [(row[0], row[1]) for row in rows]
        return {user for user, _ in pairs if user}, {group for _, group in pairs if group}

    async def replace_members(
        self, list_id: int, user_ids: Collection[UUID], group_ids: Collection[UUID]
    ) -> None:
        await self.session.execute(
            delete(AccessListMember).where(
                AccessListMember.workspace_id == self.scope.workspace_id,
                AccessListMember.access_list_id == list_id,
            )
        )
        rows = [{"user_id": key, "group_id": None} for key in sorted(user_ids)]
        rows += [{"user_id": None, "group_id": key} for key in sorted(group_ids)]
        fixed = {"workspace_id": self.scope.workspace_id, "access_list_id": list_id}
        if rows:
            await self.session.execute(
                insert(AccessListMember), [{"id": new_id(), **fixed, **row} for row in rows]
            )


async def forget_member(session: AsyncSession, scope: Scope, user_id: UUID) -> None:
    """Take a user who leaves the workspace off all its lists: who comes back is on none."""
    await session.execute(
        delete(AccessListMember).where(
            AccessListMember.workspace_id == scope.workspace_id, AccessListMember.user_id == user_id
        )
    )
