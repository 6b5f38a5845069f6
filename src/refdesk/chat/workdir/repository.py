"""All SQL of working directories, and their limits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, and_, delete, func, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.chat.workdir.errors import WorkingDirectoryFull, WorkingFileNotFound, WorkingPathInvalid
from refdesk.chat.workdir.tables import WorkingFile
from refdesk.kit.clock import now

MAX_BYTES = 20 * 1024 * 1024
MAX_FILES = 200
MAX_PATH_CHARS = 300


@dataclass(frozen=True, slots=True)
class FileEntry:
    path: str
    size: int
    changed_at: datetime


def clean_path(path: str) -> str:
    """A path without what says nothing (`./a//b`). Raises `WorkingPathInvalid`."""
    steps = [step for step in path.strip().split("/") if step not in ("", ".")]
    bad = path.strip().startswith("/") or ".." in steps or "\\" in path or "\x00" in path
    if bad or not steps or len("/".join(steps)) > MAX_PATH_CHARS:
        raise WorkingPathInvalid(path=path[:MAX_PATH_CHARS])
    return "/".join(steps)


class WorkingFileRepository:
    """Files of one conversation. Whose it is, the conversation's own repository tells."""

    def __init__(self, session: AsyncSession, scope: Scope, conversation_id: UUID) -> None:
        self._session = session
        self._scope = scope
        self._conversation_id = conversation_id

    @property
    def _its(self) -> ColumnElement[bool]:
        return and_(
            WorkingFile.conversation_id == self._conversation_id,
            WorkingFile.workspace_id == self._scope.workspace_id,
        )

    async def entries(self) -> list[FileEntry]:
        rows = await self._session.execute(
            select(WorkingFile.path, WorkingFile.size, WorkingFile.changed_at)
            .where(self._its)
            .order_by(WorkingFile.path)
        )
        return [FileEntry(*row) for row in rows]

    async def all(self) -> dict[str, bytes]:
        """Every file with its content."""
        rows = await self._session.execute(select(WorkingFile.path, WorkingFile.content).where(self._its))
        return dict(rows.all())

    async def get(self, path: str) -> bytes:
        """Raises `WorkingFileNotFound` and `WorkingPathInvalid`."""
        content = await self._session.scalar(
            select(WorkingFile.content).where(self._its, WorkingFile.path == clean_path(path))
        )
        if content is None:
            raise WorkingFileNotFound(path=path[:MAX_PATH_CHARS])
        return content

    async def put(self, files: Mapping[str, bytes]) -> None:
        """Write files; those of these paths are replaced. Raises `WorkingDirectoryFull`."""
        await self._lock()
        for path, content in files.items():
            values = {"size": len(content), "content": content, "changed_at": now()}
            statement = insert(WorkingFile).values(
                conversation_id=self._conversation_id,
                workspace_id=self._scope.workspace_id,
                path=clean_path(path),
                **values,
            )
            await self._session.execute(
                statement.on_conflict_do_update(
                    index_elements=[WorkingFile.conversation_id, WorkingFile.path], set_=values
                )
            )
        count, size = (
            await self._session.execute(
                select(func.count(), func.coalesce(func.sum(WorkingFile.size), 0)).where(self._its)
            )
        ).one()
        if count > MAX_FILES or size > MAX_BYTES:
            raise WorkingDirectoryFull(max_files=MAX_FILES, max_bytes=MAX_BYTES)

    async def remove(self, paths: Sequence[str]) -> int:
        """Remove files; how many there were."""
        wanted = [clean_path(path) for path in paths]
        rows = await self._session.scalars(
            delete(WorkingFile).where(self._its, WorkingFile.path.in_(wanted)).returning(WorkingFile.path)
        )
        return len(list(rows))

    async def _lock(self) -> None:  # scope: a lock, no row
        """Writers of one directory wait for each other, so that its limit holds."""
        await self._session.execute(
            text("SELECT pg_advisory_xact_lock(hashtextextended(:key, 7))"),
            {"key": str(self._conversation_id)},
        )
