"""The folders of a base as a tree, and which list counts in each. No I/O."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from uuid import UUID

from refdesk.knowledge.access.tables import Folder
from refdesk.knowledge.access.visibility import EVERYONE


@dataclass(frozen=True, slots=True)
class FolderTree:
    """All folders of one base by id."""

    folders: Mapping[UUID, Folder]

    @classmethod
    def of(cls, folders: Iterable[Folder]) -> "FolderTree":
        return cls({folder.id: folder for folder in folders})

    def upwards(self, folder_id: UUID | None) -> Iterator[Folder]:
        """The folder and those it lies in, the nearest first."""
        while folder_id is not None:
            folder = self.folders[folder_id]
            yield folder
            folder_id = folder.parent_id

    def deciding(self, folder_id: UUID | None) -> Folder | None:
        """The nearest folder upwards that has a list of its own."""
        return next((one for one in self.upwards(folder_id) if one.access_list_id is not None), None)

    def list_of(self, folder_id: UUID | None) -> int:
        """The list that counts for what lies in the folder (None: at the top)."""
        folder = self.deciding(folder_id)
        return EVERYONE if folder is None or folder.access_list_id is None else folder.access_list_id

    def subtree(self, folder_id: UUID) -> list[UUID]:
        """The folder and all below it."""
        below: dict[UUID | None, list[UUID]] = {}
        for folder in self.folders.values():
            below.setdefault(folder.parent_id, []).append(folder.id)
        found = [folder_id]
        for one in found:
            found += below.get(one, ())
        return found

    def depth(self, folder_id: UUID | None) -> int:
        """How many folders lead to it, itself included."""
        return sum(1 for _ in self.upwards(folder_id))

    def height(self, folder_id: UUID) -> int:
        """How many levels the folder and those below it take."""
        top = self.depth(folder_id)
        return max(self.depth(one) for one in self.subtree(folder_id)) - top + 1
