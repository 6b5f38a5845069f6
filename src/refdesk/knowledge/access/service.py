"""Restricting documents and folders to people and groups, and lifting that.

Who may change a document and see it may change who sees it; owners always may. Who restricts something goes
onto the list, unless they see everything, so that nobody locks themselves out. Changing who is on a list
changes no document and no entry, and holds from the next request on.
"""

from collections.abc import Collection
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope, audit, people_and_groups
from refdesk.knowledge.access.errors import UnknownPeople
from refdesk.knowledge.access.folders import Folders
from refdesk.knowledge.access.following import follow
from refdesk.knowledge.access.repository import ListRepository, Relisted
from refdesk.knowledge.access.schemas import (
    AccessChange,
    AccessView,
    GroupRef,
    InheritedAccess,
    PersonRef,
)
from refdesk.knowledge.access.tables import Folder
from refdesk.knowledge.access.tree import FolderTree
from refdesk.knowledge.access.visibility import sees_all
from refdesk.knowledge.repository import DocumentRepository, KnowledgeBaseRepository
from refdesk.knowledge.tables import Document


class AccessRules:
    """Who may see what, within the session's transaction."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self.session = session
        self.scope = scope
        self.documents = DocumentRepository(session, scope)
        self.folders = Folders(session, scope)
        self.lists = ListRepository(session, scope)

    async def of_document(self, document_id: UUID) -> AccessView:
        document = await self.documents.get(document_id)
        tree = await self.folders.tree(document.knowledge_base_id)
        return await self._view(document.access_list_id, tree, document.folder_id)

    async def of_folder(self, folder_id: UUID) -> AccessView:
        folder, tree = await self.folders.get(folder_id)
        return await self._view(folder.access_list_id, tree, folder.parent_id)

    async def change_document(self, document_id: UUID, body: AccessChange) -> AccessView:
        """Restrict a document to these people and groups, or lift that. Raises `UnknownPeople`."""
        base_id = (await self.documents.get(document_id)).knowledge_base_id
        await KnowledgeBaseRepository(self.session, self.scope).get(base_id, lock=True)
        document = await self.documents.get(document_id, lock=True)
        tree = await self.folders.tree(base_id)
        before = document.acl_id
        former = await self._change(document, body)
        document.acl_id = document.access_list_id or tree.list_of(document.folder_id)
        await self.session.flush()
        self._note("document", document_id, body)
        relisted = [Relisted(document.id, document.paragraph_count)] if document.acl_id != before else []
        return await self._changed(former, relisted, document, tree, document.folder_id)

    async def change_folder(self, folder_id: UUID, body: AccessChange) -> AccessView:
        """The same of all that lies in a folder and the folders below, but for what has its own list."""
        folder, tree = await self.folders.lock(folder_id)
        former = await self._change(folder, body)
        await self.session.flush()
        relisted = await self.folders.settle(tree, folder_id)
        self._note("folder", folder_id, body)
        return await self._changed(former, relisted, folder, tree, folder.parent_id)

    async def _change(self, subject: Document | Folder, body: AccessChange) -> int | None:
        """Give the subject its list or take it. Returns the list that is to go."""
        former = subject.access_list_id
        if not body.restricted:
            subject.access_list_id = None
            return former
        users, groups = set(body.user_ids), set(body.group_ids)
        people, named = await people_and_groups(self.session, self.scope, users, groups)
        unknown = (users - {one.id for one in people}) | (groups - {one.id for one in named})
        if unknown:
            raise UnknownPeople(unknown=sorted(map(str, unknown)))
        own = self.scope.user_id
        if own is not None and not sees_all(self.scope) and groups.isdisjoint(self.scope.group_ids):
            users.add(own)
        if former is None:
            subject.access_list_id = await self.lists.add(subject.knowledge_base_id)
        assert subject.access_list_id is not None
        await self.lists.replace_members(subject.access_list_id, users, groups)
        return None

    async def _changed(
        self,
        former: int | None,
        relisted: Collection[Relisted],
        subject: Document | Folder,
        tree: FolderTree,
        above: UUID | None,
    ) -> AccessView:
        in_background = await follow(self.session, self.scope, subject.knowledge_base_id, list(relisted))
        if former is not None:
            await self.lists.remove(former)
        view = await self._view(subject.access_list_id, tree, above)
        view.in_background = in_background
        return view

    def _note(self, kind: str, subject_id: UUID, body: AccessChange) -> None:
        audit(
            self.session,
            self.scope,
            f"{kind}.restrict" if body.restricted else f"{kind}.share",
            (kind, subject_id),
            users=sorted(map(str, body.user_ids)) if body.restricted else [],
            groups=sorted(map(str, body.group_ids)) if body.restricted else [],
        )

    async def _view(self, list_id: int | None, tree: FolderTree, above: UUID | None) -> AccessView:
        users, groups = ([], []) if list_id is None else await self._named(list_id)
        inherited = None
        deciding = tree.deciding(above)
        if list_id is None and deciding is not None and deciding.access_list_id is not None:
            own = await self.lists.own()
            if own is None or deciding.access_list_id in own:
                its_users, its_groups = await self._named(deciding.access_list_id)
                inherited = InheritedAccess(
                    folder_id=deciding.id, name=deciding.name, users=its_users, groups=its_groups
                )
            else:
                inherited = InheritedAccess(folder_id=None, name=None, users=[], groups=[])
        return AccessView(restricted=list_id is not None, users=users, groups=groups, inherited=inherited)

    async def _named(self, list_id: int) -> tuple[list[PersonRef], list[GroupRef]]:
        people, groups = await people_and_groups(self.session, self.scope, *await self.lists.members(list_id))
        return (
            [PersonRef(id=one.id, name=one.name, email=one.email) for one in people],
            [GroupRef(id=one.id, name=one.name) for one in groups],
        )
