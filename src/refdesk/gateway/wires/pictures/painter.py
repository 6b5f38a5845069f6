"""Asking for pictures, waiting for them where they are a job, and fetching them."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from refdesk.gateway.content import ImageNotUnderstood, ImagePart
from refdesk.gateway.errors import ModelBadResponse, ModelTimeout
from refdesk.gateway.media import MAX_PICTURE_BYTES, PictureRequest
from refdesk.gateway.wires.connection import Connection
from refdesk.gateway.wires.exchanges import ask, decoded, fetch, with_headers
from refdesk.gateway.wires.pictures.dialects import DIALECTS, Dialect, JobFailed

MAX_PICTURES = 10


@dataclass(frozen=True, slots=True)
class RemotePainter:
    """A painter behind HTTP. `timeout_s` of a request bounds the whole of it, waiting and fetching too."""

    model_id: UUID
    model_name: str
    connection: Connection
    dialect: str = "openai"
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])
    poll_s: float = 2.0

    async def paint(self, request: PictureRequest) -> list[ImagePart]:
        """The pictures. Raises `ModelError`s, `ResponseTooLarge`, `AddressRefused`."""
        seconds = request.timeout_s or max(self.connection.timeout_s, 180.0)
        try:
            async with asyncio.timeout(seconds):
                return await self._paint(request, DIALECTS[self.dialect])
        except TimeoutError as error:
            raise ModelTimeout(timeout_s=seconds) from error

    async def _paint(self, request: PictureRequest, dialect: Dialect) -> list[ImagePart]:
        asked = dialect.asked(self.model_name, request)
        connection = with_headers(self.connection, asked.headers)
        answer = await ask(
            connection,
            "POST",
            asked.path,
            asked.body | dict(self.extra),
            timeout_s=request.timeout_s,
            request_id=request.request_id,
        )
        try:
            while (path := dialect.job(answer)) is not None:
                await asyncio.sleep(self.poll_s)
                answer = await ask(self.connection, "GET", path, request_id=request.request_id)
            found = dialect.found(answer)
        except JobFailed as error:
            raise self.connection.in_band(error.text) from error
        except (KeyError, TypeError) as error:
            raise ModelBadResponse("The server's answer holds no pictures.") from error
        pictures = [await self._picture(one) for one in found[:MAX_PICTURES]]
        if not pictures:
            raise ModelBadResponse("The server's answer holds no pictures.")
        return pictures

    async def _picture(self, found: Any) -> ImagePart:
        try:
            inline, url = found.get("b64_json"), found.get("url")
        except AttributeError as error:
            raise ModelBadResponse("The server's answer holds no pictures.") from error
        if inline:
            data = decoded(inline)
        elif isinstance(url, str) and url.startswith("data:"):
            data = decoded(url)
        elif isinstance(url, str):
            data = await fetch(self.connection, url, max_bytes=MAX_PICTURE_BYTES)
        else:
            words = found.get("message") or found.get("code") or "a picture without content"
            raise self.connection.in_band(str(words))
        try:
            return ImagePart.of_bytes(data)
        except ImageNotUnderstood as error:
            raise ModelBadResponse("What the server sent is no picture.") from error
