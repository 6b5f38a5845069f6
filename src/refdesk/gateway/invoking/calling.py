"""From an input to the typed call of the model's kind, and from its answer to an output.

The only place that knows what the fields of `descriptors.forms` mean.
"""

import base64
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, cast

from refdesk.accounts import Scope
from refdesk.gateway.calls import Completer, CompletionRequest, Message
from refdesk.gateway.clients import Gateway
from refdesk.gateway.content import ImagePart
from refdesk.gateway.embedding import embed_texts
from refdesk.gateway.films.desk import FilmDesk
from refdesk.gateway.films.schemas import FilmIn
from refdesk.gateway.invoking.conversation import choice_of, messages_of, tools_of
from refdesk.gateway.invoking.results import Result, decoded, decoded_text, of_completion
from refdesk.gateway.media import (
    PictureQuestion,
    PictureRequest,
    Recording,
    SpeechRequest,
    TranscriptionRequest,
)
from refdesk.gateway.purpose import Purpose
from refdesk.gateway.routing.snapshot import RoutedModel
from refdesk.kit.border_types import clean_text
from refdesk.kit.database import Database

RERANK_TIMEOUT_S = 60.0

type Input = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call of one model, whatever its kind; the input was checked."""

    gateway: Gateway
    database: Database
    scope: Scope
    model: RoutedModel
    request_id: str

    @property
    def purpose(self) -> Purpose:
        return Purpose("gateway", request_id=self.request_id)

    async def result(self, given: Input) -> Result:
        """Raises `ModelError`s."""
        ways: dict[str, Callable[[Input], Awaitable[Result]]] = {
            "LLM": self._complete,
            "EMBEDDING": self._embed,
            "RERANKER": self._rerank,
            "STT": self._transcribe,
            "TTS": self._speak,
            "IMAGE": self._look,
            "TTI": self._paint,
            "TTV": self._film,
            "ITV": self._film,
        }
        return await ways[self.model.row.kind](given)

    async def completer(self) -> Completer:
        return await self.gateway.completer(self.scope, self.model.id, self.purpose)

    def completion_request(self, given: Input) -> CompletionRequest:
        """The request of a chat model. Raises `ImageNotUnderstood`."""
        messages = (
            messages_of(given["messages"])
            if "messages" in given
            else [Message("user", clean_text(given["prompt"]))]
        )
        return CompletionRequest(
            messages,
            temperature=given.get("temperature"),
            max_tokens=given.get("max_tokens"),
            stop=tuple(given.get("stop", ())),
            tools=tools_of(given.get("tools", ())),
            tool_choice=choice_of(given.get("tool_choice")),
            json_schema=given.get("json_schema"),
            request_id=self.request_id,
        )

    async def _complete(self, given: Input) -> Result:
        completer = await self.completer()
        return of_completion(await completer.complete(self.completion_request(given)), self.model.row.name)

    async def _embed(self, given: Input) -> Result:
        made = await embed_texts(
            self.gateway,
            self.scope,
            self.model.id,
            [clean_text(text) for text in cast("list[str]", given["texts"])],
            input_type="query" if given.get("input_type") == "query" else "passage",
            purpose=self.purpose,
        )
        output = {"embeddings": made.vectors.tolist(), "dimensions": int(made.vectors.shape[1])}
        return Result(output, usage=made.usage)

    async def _rerank(self, given: Input) -> Result:
        reranker = await self.gateway.reranker(self.scope, self.model.id, self.purpose)
        scores = await reranker.rerank(given["query"], given["texts"], timeout_s=RERANK_TIMEOUT_S)
        return Result({"scores": scores})

    async def _transcribe(self, given: Input) -> Result:
        transcriber = await self.gateway.transcriber(self.scope, self.model.id, self.purpose)
        recording = Recording(
            decoded(given, "data"), given.get("media_type", "audio/wav"), given.get("name", "speech.wav")
        )
        heard = await transcriber.transcribe(
            TranscriptionRequest(
                recording, given.get("language"), given.get("prompt"), request_id=self.request_id
            )
        )
        told = {"text": heard.text, "language": heard.language, "duration_s": heard.duration_s}
        return Result({name: value for name, value in told.items() if value is not None}, heard.text)

    async def _speak(self, given: Input) -> Result:
        speaker = await self.gateway.speaker(self.scope, self.model.id, self.purpose)
        request = SpeechRequest(
            clean_text(given["text"]),
            given.get("voice"),
            given.get("format", "mp3"),
            given.get("speed"),
            request_id=self.request_id,
        )
        async with speaker.speak(request) as stream:
            sound = b"".join([part async for part in stream.parts])
        return Result({"data": base64.b64encode(sound).decode(), "media_type": stream.media_type})

    async def _look(self, given: Input) -> Result:
        reader = await self.gateway.picture_reader(self.scope, self.model.id, self.purpose)
        pictures = [ImagePart.of_bytes(decoded_text(one, "pictures")) for one in given["pictures"]]
        question = PictureQuestion(
            clean_text(given["question"]), pictures, given.get("max_tokens"), request_id=self.request_id
        )
        return of_completion(await reader.understand(question), self.model.row.name)

    async def _paint(self, given: Input) -> Result:
        painter = await self.gateway.painter(self.scope, self.model.id, self.purpose)
        pictures = await painter.paint(
            PictureRequest(
                clean_text(given["prompt"]),
                given.get("size"),
                given.get("count", 1),
                given.get("negative_prompt"),
                given.get("seed"),
                request_id=self.request_id,
            )
        )
        return Result({"pictures": [{"data": one.base64, "media_type": one.media_type} for one in pictures]})

    async def _film(self, given: Input) -> Result:
        desk = FilmDesk(self.database, self.gateway, self.scope)
        film = await desk.begin(self.model.id, FilmIn.model_validate(given), self.request_id)
        return Result({"film_id": str(film.id), "stage": film.stage})
