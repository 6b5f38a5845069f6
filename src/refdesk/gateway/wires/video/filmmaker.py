"""Handing in a job for a film, asking for it, taking it back, fetching what came of it. Waits for nothing
itself: who asks again, and for how long, is for whoever keeps the job."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from refdesk.gateway.errors import ModelBadResponse, ModelNotThere, ModelRefused
from refdesk.gateway.media import MAX_VIDEO_BYTES, Stream, VideoRequest, VideoState
from refdesk.gateway.wires.connection import Connection
from refdesk.gateway.wires.exchanges import ask, download, limited, multipart, with_headers
from refdesk.gateway.wires.refusals import body_error
from refdesk.gateway.wires.video.dialects import DIALECTS, Asked, MiniMax


@dataclass(frozen=True, slots=True)
class RemoteFilmmaker:
    """A filmmaker behind HTTP. `extra` goes into every submission as it is."""

    model_id: UUID
    model_name: str
    connection: Connection
    dialect: str = "openai"
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])

    async def submit(self, request: VideoRequest) -> str:
        """Hand a job in; the vendor's id of it. Raises `ModelError`s."""
        dialect = DIALECTS[self.dialect]
        asked = dialect.submission(self.model_name, request)
        answer = await self._ask(asked, extra=self.extra, request_id=request.request_id)
        try:
            task = dialect.task(answer)
        except (KeyError, TypeError) as error:
            raise ModelBadResponse("The server's answer names no job.") from error
        if not task:
            raise ModelBadResponse("The server's answer names no job.")
        return task

    async def state(self, task: str) -> VideoState:
        """Where the job stands. Raises `ModelError`s."""
        dialect = DIALECTS[self.dialect]
        asked = dialect.question(task)
        answer = await self._ask(asked)
        try:
            state = dialect.state(answer)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise ModelBadResponse("The server's answer does not tell where the job stands.") from error
        if state.stage == "finished" and state.url is None and isinstance(dialect, MiniMax):
            try:
                url = dialect.address(await self._ask(dialect.file(state)))
            except (KeyError, TypeError) as error:
                raise ModelBadResponse("The server's answer does not tell where the film lies.") from error
            return VideoState("finished", state.progress, url)
        return state

    async def cancel(self, task: str) -> bool:
        """Take the job back; False where the vendor has no way to, or it is too late."""
        asked = DIALECTS[self.dialect].withdrawal(task)
        if asked is None:
            return False
        try:
            async with self.connection.send(asked.method, asked.path, asked.body):
                return True
        except (ModelRefused, ModelNotThere):
            return False

    @asynccontextmanager
    async def film(self, task: str, state: VideoState) -> AsyncGenerator[Stream]:
        """The finished film as it arrives. Raises `ModelError`s, `ResponseTooLarge`, `AddressRefused`."""
        asked = DIALECTS[self.dialect].content(task, state)
        if asked is not None:
            async with self.connection.send(asked.method, asked.path) as response:
                media_type = response.headers.get("content-type", "").partition(";")[0].strip()
                yield Stream(_film_type(media_type), limited(response.aiter_bytes(), MAX_VIDEO_BYTES))
            return
        if state.url is None:
            raise ModelBadResponse("The server's answer does not tell where the film lies.")
        async with download(self.connection, state.url, max_bytes=MAX_VIDEO_BYTES) as (media_type, parts):
            yield Stream(_film_type(media_type), parts)

    async def _ask(
        self, asked: Asked, *, extra: Mapping[str, Any] | None = None, request_id: str | None = None
    ) -> dict[str, Any]:
        connection = with_headers(self.connection, asked.headers)
        body: Any = None if asked.body is None else asked.body | dict(extra or {})
        if asked.form is not None:
            form = asked.form | {name: (None, str(value)) for name, value in (extra or {}).items()}
            connection, body = multipart(connection, form)
        return await _answered(connection, asked, body, request_id)


async def _answered(
    connection: Connection, asked: Asked, body: Any, request_id: str | None
) -> dict[str, Any]:
    """A job that failed tells so in an `error` of its own, which is no error of the question."""
    if asked.method == "POST":
        return await ask(connection, asked.method, asked.path, body, request_id=request_id)
    answer = await connection.json(asked.method, asked.path, body, request_id=request_id)
    if not isinstance(answer, dict):
        raise connection.bad_response(str(answer).encode())
    members: dict[str, Any] = dict(answer)  # pyright: ignore[reportUnknownArgumentType]
    if "status" in members and isinstance(members.get("error"), dict):
        members["failure"] = members.pop("error")
    if (words := body_error(members)) is not None and "task_status" not in members:
        raise connection.in_band(words)
    return members


def _film_type(media_type: str) -> str:
    return media_type if media_type.startswith("video/") else "video/mp4"
