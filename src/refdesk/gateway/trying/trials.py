"""Asking one model once, in the way of its kind."""

import asyncio
import time
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass

from refdesk.accounts import Scope
from refdesk.gateway.calls import Completer, Completion, CompletionRequest, Message, Notice
from refdesk.gateway.clients import Gateway
from refdesk.gateway.content import ImagePart, TextPart
from refdesk.gateway.errors import ModelTimeout, TrialIncomplete, WrongModelKind
from refdesk.gateway.kinds import Kind
from refdesk.gateway.media import PictureQuestion, Recording, TranscriptionRequest
from refdesk.gateway.purpose import Purpose
from refdesk.gateway.tables import Model
from refdesk.gateway.trying.schemas import TryAnswer, TryNotice, TryRequest

TIMEOUT_S = 180.0
ANSWER_TOKENS = 2048


@dataclass(frozen=True, slots=True)
class Trial:
    """One try of one model."""

    gateway: Gateway
    scope: Scope
    model: Model
    request_id: str

    @property
    def purpose(self) -> Purpose:
        return Purpose("try", request_id=self.request_id)

    async def answer(self, asked: TryRequest) -> TryAnswer:
        """Raises `ModelError`s, `TrialIncomplete`, and `WrongModelKind` for kinds with a way of their own."""
        started = time.perf_counter()
        try:
            async with asyncio.timeout(TIMEOUT_S):
                answer = await self._ask(asked)
        except TimeoutError as error:
            raise ModelTimeout(timeout_s=TIMEOUT_S) from error
        answer.latency_ms = round((time.perf_counter() - started) * 1000, 1)
        return answer

    def _ask(self, asked: TryRequest) -> Awaitable[TryAnswer]:
        match self.model.kind:
            case "LLM":
                return self._complete(asked)
            case "EMBEDDING":
                return self._embed(asked)
            case "RERANKER":
                return self._rerank(asked)
            case "STT":
                return self._transcribe(asked)
            case "IMAGE":
                return self._look(asked)
            case kind:
                raise WrongModelKind("Models of this kind are tried in a way of their own.", found=kind)

    async def completer(self) -> Completer:
        """The chat model; raises `WrongModelKind` for any other."""
        return await self.gateway.completer(self.scope, self.model.id, self.purpose)

    def request(self, asked: TryRequest) -> CompletionRequest:
        """What a chat model is asked. Raises `TrialIncomplete`, `ImageNotUnderstood`."""
        content = (*_pictures(asked), TextPart(_text(asked))) if asked.pictures else _text(asked)
        return CompletionRequest(
            [Message("user", content)],
            max_tokens=ANSWER_TOKENS,
            timeout_s=TIMEOUT_S,
            request_id=self.request_id,
        )

    async def _complete(self, asked: TryRequest) -> TryAnswer:
        completer = await self.completer()
        completion = await completer.complete(self.request(asked))
        return answered("LLM", completion, completion.notices)

    async def _embed(self, asked: TryRequest) -> TryAnswer:
        embedder = await self.gateway.embedder(self.scope, self.model.id, self.purpose)
        [question] = await embedder.embed_queries([_text(asked)])
        scores = None
        if asked.texts:
            passages = await embedder.embed_passages(asked.texts)
            scores = [round(float(score), 6) for score in passages @ question]
        return TryAnswer(kind="EMBEDDING", latency_ms=0, scores=scores, dimensions=len(question))

    async def _rerank(self, asked: TryRequest) -> TryAnswer:
        if not asked.texts:
            raise TrialIncomplete(needed="texts")
        reranker = await self.gateway.reranker(self.scope, self.model.id, self.purpose)
        scores = await reranker.rerank(_text(asked), asked.texts, timeout_s=TIMEOUT_S)
        return TryAnswer(kind="RERANKER", latency_ms=0, scores=scores)

    async def _transcribe(self, asked: TryRequest) -> TryAnswer:
        given = asked.recording
        if given is None or not given.data:
            raise TrialIncomplete(needed="recording")
        transcriber = await self.gateway.transcriber(self.scope, self.model.id, self.purpose)
        heard = await transcriber.transcribe(
            TranscriptionRequest(
                Recording(given.data, given.media_type, given.name),
                language=asked.language,
                prompt=asked.text or None,
                timeout_s=TIMEOUT_S,
                request_id=self.request_id,
            )
        )
        return TryAnswer(
            kind="STT",
            latency_ms=0,
            text=heard.text,
            language=heard.language,
            duration_s=heard.duration_s,
        )

    async def _look(self, asked: TryRequest) -> TryAnswer:
        if not asked.pictures:
            raise TrialIncomplete(needed="pictures")
        reader = await self.gateway.picture_reader(self.scope, self.model.id, self.purpose)
        question = PictureQuestion(
            _text(asked),
            _pictures(asked),
            max_tokens=ANSWER_TOKENS,
            timeout_s=TIMEOUT_S,
            request_id=self.request_id,
        )
        completion = await reader.understand(question)
        return answered("IMAGE", completion, completion.notices)


def _text(asked: TryRequest) -> str:
    if not asked.text.strip():
        raise TrialIncomplete(needed="text")
    return asked.text


def _pictures(asked: TryRequest) -> list[ImagePart]:
    return [ImagePart.of_bytes(data) for data in asked.pictures]


def answered(kind: Kind, completion: Completion, notices: Sequence[Notice]) -> TryAnswer:
    """A whole answer as it is shown, with what was done to get it: another model may have given it."""
    usage = completion.usage
    return TryAnswer(
        kind=kind,
        latency_ms=0,
        text=completion.text,
        reasoning=completion.reasoning or None,
        input_tokens=usage.input_tokens if usage else None,
        output_tokens=usage.output_tokens if usage else None,
        notices=[TryNotice(code=one.code, detail=one.detail) for one in notices],
    )
