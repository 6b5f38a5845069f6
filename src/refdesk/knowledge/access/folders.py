"""What can be done with the folders of a base, and where a document lies.

Every change takes the lock of the base first: a folder's list and what comes into it never cross.
A folder's documents and folders move to the one above when it is deleted, which shows them to nobody new:
a folder with a list of its own is deleted only when nothing lies in it but what has a list of its own and is
hidden from whoever deletes it. What is hidden from the caller takes no name and refuses nothing.
"""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope, audit
from refdesk.kit.ids import new_id
from refdesk.knowledge.access.errors import (
    FolderMoveInvalid,
    FolderNameInvalid,
    FolderNameTaken,
    FolderNotFound,
    FolderTooDeep,
    RestrictedFolderNotEmpty,
    TooManyFolders,
)
from refdesk.knowledge.access.following import follow
from refdesk.knowledge.access.repository import FolderRepository, ListRepository, Relisted
from refdesk.knowledge.access.schemas import FolderList, FolderUpdate, FolderView, NewFolderRequest
from refdesk.knowledge.access.tables import Folder
from refdesk.knowledge.access.tree import FolderTree
from refdesk.knowledge.access.visibility import EVERYONE
from refdesk.knowledge.filenames import clean_title
from refdesk.knowledge.repository import KnowledgeBaseRepository
from refdesk.knowledge.schemas.shapes import Access
from refdesk.knowledge.tables import Document

MAX_FOLDERS = 5_000
MAX_DEPTH = 16


class Folders:
    """The folders of the scope's workspace, within the session's transaction."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self.session = session
        self.scope = scope
        self.repository = FolderRepository(session, scope)
        self.lists = ListRepository(session, scope)
        self.bases = KnowledgeBaseRepository(session, scope)

    async def all(self, base_id: UUID) -> FolderList:
        """The folders of a base that the caller may see."""
        await self.bases.get(base_id)
        tree = await self.tree(base_id)
        own = await self.lists.own()
        counts = await self.repository.document_counts(base_id)
        shown = [one for one in tree.folders.values() if _is_shown(tree, one, own)]
        return FolderList(items=[_view(tree, one, own, counts.get(one.id, 0)) for one in shown])

    async def hidden(self, base_id: UUID) -> frozenset[UUID]:
        """The folders of a base that the caller may not see."""
        own = await self.lists.own()
        if own is None:
            return frozenset()
        tree = await self.tree(base_id)
        return frozenset(one.id for one in tree.folders.values() if not _is_shown(tree, one, own))

    async def create(self, base_id: UUID, body: NewFolderRequest) -> FolderView:
        """Raises `FolderNotFound`, `FolderNameTaken`, `FolderNameInvalid`, `FolderTooDeep`,
        `TooManyFolders`.
        """
        await self.bases.get(base_id, lock=True)
        tree = await self.tree(base_id)
        if body.parent_id is not None:
            await self.require_shown(tree, body.parent_id)
        if len(tree.folders) >= MAX_FOLDERS:
            raise TooManyFolders(limit=MAX_FOLDERS)
        if tree.depth(body.parent_id) >= MAX_DEPTH:
            raise FolderTooDeep(limit=MAX_DEPTH)
        folder = Folder(
            id=new_id(),
            workspace_id=self.scope.workspace_id,
            knowledge_base_id=base_id,
            parent_id=body.parent_id,
            name=_clean_name(body.name),
        )
        _require_free(tree, folder, await self.lists.own())
        self.session.add(folder)
        audit(self.session, self.scope, "folder.create", ("folder", folder.id), name=folder.name)
        return await self._shown(folder)

    async def update(self, folder_id: UUID, body: FolderUpdate) -> FolderView:
        """Rename a folder, or move it with all that lies in it; what it inherits is then the new parent's."""
        folder, tree = await self.lock(folder_id)
        before = {"name": folder.name, "parent_id": str(folder.parent_id)}
        if body.name is not None:
            folder.name = _clean_name(body.name)
        relisted: list[Relisted] = []
        moves = "parent_id" in body.model_fields_set and body.parent_id != folder.parent_id
        if moves:
            if body.parent_id is not None:
                await self.require_shown(tree, body.parent_id)
                if body.parent_id in tree.subtree(folder_id):
                    raise FolderMoveInvalid
            if tree.depth(body.parent_id) + tree.height(folder_id) > MAX_DEPTH:
                raise FolderTooDeep(limit=MAX_DEPTH)
            folder.parent_id = body.parent_id
        _require_free(tree, folder, await self.lists.own())
        await self.session.flush()
        if moves:
            relisted = await self.settle(tree, folder_id)
        audit(
            self.session,
            self.scope,
            "folder.update",
            ("folder", folder_id),
            before=before,
            after={"name": folder.name, "parent_id": str(folder.parent_id)},
        )
        await follow(self.session, self.scope, folder.knowledge_base_id, relisted)
        return await self._shown(folder)

    async def delete(self, folder_id: UUID) -> None:
        """Delete a folder; what lies in it moves to the one above. Raises `RestrictedFolderNotEmpty`."""
        folder, tree = await self.lock(folder_id)
        own = await self.lists.own()
        below = [one for one in tree.folders.values() if one.parent_id == folder_id]
        shown = [one for one in below if _is_shown(tree, one, own)]
        if folder.access_list_id is not None and (shown or await self.repository.holds_documents(folder_id)):
            raise RestrictedFolderNotEmpty
        for one in below:
            one.parent_id = folder.parent_id
        for one in shown:
            _require_free(tree, one, own, other_than=folder_id)
        await self.session.flush()
        await self.repository.move_documents(folder_id, folder.parent_id)
        audit(self.session, self.scope, "folder.delete", ("folder", folder_id), name=folder.name)
        list_id = folder.access_list_id
        await self.session.delete(folder)
        await self.session.flush()
        if list_id is not None:
            await self.lists.remove(list_id)

    async def place(self, document: Document, folder_id: UUID | None) -> None:
        """Put a document into a folder, or at the top; base and document are locked, or the latter is new.

        It counts under the list of the folder from now on, unless it has its own.
        """
        base_id = document.knowledge_base_id
        tree = await self.tree(base_id)
        if folder_id is not None:
            await self.require_shown(tree, folder_id)
        document.folder_id = folder_id
        if document.access_list_id is None:
            document.acl_id = tree.list_of(folder_id)

    async def move(self, document: Document, folder_id: UUID | None) -> None:
        """The same of a document that is there, with what the index holds of it, and on record."""
        before, listed = document.folder_id, document.acl_id
        if before == folder_id:
            return
        await self.place(document, folder_id)
        await self.session.flush()
        audit(
            self.session,
            self.scope,
            "document.move",
            ("document", document.id),
            before=str(before),
            after=str(folder_id),
        )
        if document.acl_id != listed:
            relisted = Relisted(document.id, document.paragraph_count)
            await follow(self.session, self.scope, document.knowledge_base_id, [relisted])

    async def tree(self, base_id: UUID) -> FolderTree:
        return FolderTree.of(await self.repository.of_base(base_id))

    async def get(self, folder_id: UUID) -> tuple[Folder, FolderTree]:
        """The folder and its base's tree, or `FolderNotFound`."""
        folder = await self.repository.find(folder_id)
        if folder is None or await self.bases.find(folder.knowledge_base_id) is None:
            raise FolderNotFound
        tree = await self.tree(folder.knowledge_base_id)
        await self.require_shown(tree, folder_id)
        return folder, tree

    async def lock(self, folder_id: UUID) -> tuple[Folder, FolderTree]:
        """The same with the base locked, so that it stays so until the transaction ends."""
        folder, _ = await self.get(folder_id)
        await self.bases.get(folder.knowledge_base_id, lock=True)
        return await self.get(folder_id)

    async def require_shown(self, tree: FolderTree, folder_id: UUID) -> None:
        """Raise `FolderNotFound` unless the folder is one of the tree's that the caller may see."""
        folder = tree.folders.get(folder_id)
        if folder is None or not _is_shown(tree, folder, await self.lists.own()):
            raise FolderNotFound

    async def settle(self, tree: FolderTree, folder_id: UUID) -> list[Relisted]:
        """Let all below a folder count under the list that holds there now."""
        lists = {one: tree.list_of(one) for one in tree.subtree(folder_id)}
        base_id = tree.folders[folder_id].knowledge_base_id
        return await self.repository.settle(base_id, lists)

    async def _shown(self, folder: Folder) -> FolderView:
        await self.session.flush()
        await self.session.refresh(folder)
        tree = await self.tree(folder.knowledge_base_id)
        counts = await self.repository.document_counts(folder.knowledge_base_id)
        return _view(tree, folder, await self.lists.own(), counts.get(folder.id, 0))


async def require_folder(session: AsyncSession, scope: Scope, base_id: UUID, folder_id: UUID | None) -> None:
    """Raise `FolderNotFound` unless it is a folder of the base that the caller may see, or none is named."""
    if folder_id is not None:
        folders = Folders(session, scope)
        await folders.require_shown(await folders.tree(base_id), folder_id)


async def hidden_folders_of(
    session: AsyncSession, scope: Scope, documents: Sequence[Document]
) -> frozenset[UUID]:
    """The folders that must not be named of these documents, all of which the caller may see.

    Only a document with a list of its own is seen where its folder is not.
    """
    bases = {
        document.knowledge_base_id
        for document in documents
        if document.folder_id is not None and document.access_list_id is not None
    }
    folders = Folders(session, scope)
    hidden: set[UUID] = set()
    for base_id in bases:
        hidden |= await folders.hidden(base_id)
    return frozenset(hidden)


def _is_shown(tree: FolderTree, folder: Folder, own: frozenset[int] | None) -> bool:
    return own is None or tree.list_of(folder.id) in own


def _view(tree: FolderTree, folder: Folder, own: frozenset[int] | None, documents: int) -> FolderView:
    above = list(tree.upwards(folder.parent_id))
    shown = next((one.id for one in above if _is_shown(tree, one, own)), None)
    access: Access = "restricted"
    if folder.access_list_id is None:
        access = "everyone" if tree.list_of(folder.id) == EVERYONE else "inherited"
    return FolderView(
        id=folder.id,
        knowledge_base_id=folder.knowledge_base_id,
        parent_id=shown,
        name=folder.name,
        access=access,
        documents=documents,
        created_at=folder.created_at,
        updated_at=folder.updated_at,
    )


def _clean_name(raw: str) -> str:
    name = clean_title(raw)
    if "/" in name or "\\" in name or name in (".", ".."):
        raise FolderNameInvalid
    return name


def _require_free(
    tree: FolderTree, folder: Folder, own: frozenset[int] | None, *, other_than: UUID | None = None
) -> None:
    """Raise `FolderNameTaken` if a folder that the caller may see lies there by that name."""
    for one in tree.folders.values():
        same_place = one.parent_id == folder.parent_id and one.name == folder.name
        if same_place and one.id not in (folder.id, other_than) and _is_shown(tree, one, own):
            raise FolderNameTaken(name=folder.name)
