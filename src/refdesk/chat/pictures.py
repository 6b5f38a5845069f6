"""Pictures that are added to questions: kept for whoever asks, shown to nobody else."""

from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from uuid import UUID

from sqlalchemy import ColumnElement, and_, delete, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import undefer

from refdesk.accounts import Scope
from refdesk.chat.errors import PictureNotFound, PictureTooLarge
from refdesk.chat.tables import QuestionPicture
from refdesk.gateway import ImagePart
from refdesk.kit.clock import now
from refdesk.kit.ids import new_id

MAX_PICTURE_BYTES = 10 * 1024 * 1024
MAX_PICTURES = 4
"""Of one question."""

_UNASKED = timedelta(days=1)


async def read_picture(parts: AsyncIterator[bytes]) -> ImagePart:
    """A picture as it arrives. Raises `PictureTooLarge`, `ImageNotUnderstood`."""
    data = bytearray()
    async for part in parts:
        data += part
        if len(data) > MAX_PICTURE_BYTES:
            raise PictureTooLarge(max_bytes=MAX_PICTURE_BYTES)
    return ImagePart.of_bytes(bytes(data))


class PictureRepository:
    """Pictures of the caller."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def add(self, picture: ImagePart) -> UUID:
        """Keep a picture until it is asked with; those of the caller that never were are removed."""
        await self._session.execute(
            delete(QuestionPicture).where(
                self._own(),
                QuestionPicture.conversation_id.is_(None),
                QuestionPicture.created_at < now() - _UNASKED,
            )
        )
        row = QuestionPicture(
            id=new_id(),
            workspace_id=self._scope.workspace_id,
            user_id=self._scope.user_id,
            api_key_id=self._scope.api_key_id,
            media_type=picture.media_type,
            data=picture.data,
        )
        self._session.add(row)
        await self._session.flush()
        return row.id

    async def get(self, picture_id: UUID) -> ImagePart:
        """Raises `PictureNotFound`."""
        return (await self.get_many([picture_id]))[0]

    async def get_many(self, picture_ids: Sequence[UUID]) -> list[ImagePart]:
        """The pictures in this order. Raises `PictureNotFound`."""
        rows = await self._session.scalars(
            select(QuestionPicture)
            .where(self._own(), QuestionPicture.id.in_(picture_ids))
            .options(undefer(QuestionPicture.data))
        )
        found = {row.id: ImagePart(row.data, row.media_type) for row in rows}
        if missing := [str(one) for one in picture_ids if one not in found]:
            raise PictureNotFound(picture_ids=missing)
        return [found[one] for one in picture_ids]

    async def ask_with(self, picture_ids: Sequence[UUID], conversation_id: UUID) -> None:
        """Bind pictures to the conversation they are asked in. Raises `PictureNotFound`."""
        if not picture_ids:
            return
        bound = await self._session.scalars(
            update(QuestionPicture)
            .where(
                self._own(),
                QuestionPicture.id.in_(picture_ids),
                QuestionPicture.conversation_id.is_(None)
                | (QuestionPicture.conversation_id == conversation_id),
            )
            .values(conversation_id=conversation_id)
            .returning(QuestionPicture.id)
        )
        if missing := set(picture_ids) - set(bound):
            raise PictureNotFound(picture_ids=sorted(map(str, missing)))

    def _own(self) -> ColumnElement[bool]:
        user, key = self._scope.user_id, self._scope.api_key_id
        return and_(
            QuestionPicture.workspace_id == self._scope.workspace_id,
            QuestionPicture.user_id == user if user is not None else QuestionPicture.user_id.is_(None),
            QuestionPicture.api_key_id == key if key is not None else QuestionPicture.api_key_id.is_(None),
        )
