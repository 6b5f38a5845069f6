"""Calling a vendor about a model: connection tests, measuring an embedding model, the vendor's list.

Never within a transaction: a vendor may take half a minute, and a pool has few connections.
"""

import asyncio
import time
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from refdesk.accounts import Scope
from refdesk.gateway.calibration import default_pairs, duplicate_pairs, fit
from refdesk.gateway.calls import CompletionRequest, Message, Vectors
from refdesk.gateway.clients import Gateway
from refdesk.gateway.errors import ModelError, ModelTimeout
from refdesk.gateway.media_probing import MediaProbe
from refdesk.gateway.schemas import CheckResult, Endpoint, ModelDraft
from refdesk.gateway.tables import Model
from refdesk.gateway.vendors import vendor
from refdesk.gateway.wires import RemoteEmbedder
from refdesk.gateway.wires.reranking import SHAPES, Shape, detect_shape
from refdesk.kit.clock import now
from refdesk.kit.crypto import Cipher, mask
from refdesk.kit.errors import AppError
from refdesk.kit.ids import new_id

CHECK_TIMEOUT_S = 30.0
MEDIA_CHECK_TIMEOUT_S = 120.0
MEASURE_TIMEOUT_S = 300.0
SAMPLES = ("refdesk", "参考台")
RERANK_SAMPLE = ("refund period", ("Refunds are paid within 14 days.", "The office is on the third floor."))
CHECK_QUESTION = "Reply with the one word: ready"


def seal(cipher: Cipher, model: Model, key: str | None) -> None:
    """Put a key into a model's row, sealed for that row; None takes it away."""
    model.credential = cipher.seal(key, context=model.id.bytes) if key else None
    model.credential_hint = mask(key) if key else None


@dataclass(frozen=True, slots=True)
class ModelProbe:
    """Every call has a deadline for the whole of it, whatever the server drips meanwhile."""

    scope: Scope
    gateway: Gateway
    cipher: Cipher

    async def prepare(self, draft: ModelDraft) -> Model:
        """The row a draft becomes; an embedding model is called for its dimensions and calibration."""
        model = self.unsaved(draft)
        if model.kind == "EMBEDDING":
            await self.measure(model)
        if model.kind == "RERANKER" and draft.parameters.shape is None:
            reranker = self.gateway.build_reranker(model)
            offer = vendor(model.provider).offer("RERANKER")
            if offer is not None and offer.wire in SHAPES:
                return model
            shape = await _within(CHECK_TIMEOUT_S, detect_shape(reranker, timeout_s=CHECK_TIMEOUT_S))
            model.parameters = model.parameters | {"shape": shape}
        return model

    async def measure(self, model: Model) -> None:
        """Call an embedding model for its dimensions and calibration, which go into its row."""
        await _within(MEASURE_TIMEOUT_S, self._measure(model))

    async def check(self, model: Model) -> CheckResult:
        """Test a model, stored or not."""
        return await self._try(model)

    def unsaved(self, draft: ModelDraft) -> Model:
        """The row a draft would become."""
        model = Model(
            id=new_id(),
            workspace_id=self.scope.workspace_id,
            kind=draft.kind,
            provider=draft.provider,
            name=draft.name,
            model_name=draft.model_name,
            base_url=draft.address,
            parameters=draft.parameters.model_dump(mode="json"),
            dimensions=draft.parameters.dimensions,
            is_default=False,
        )
        seal(self.cipher, model, draft.api_key.get_secret_value() if draft.api_key else None)
        return model

    async def remote_names(self, endpoint: Endpoint) -> list[str]:
        """The model names the vendor lists at an address; the catalogue's where it has no list."""
        return sorted(await self.remote_entries(endpoint))

    async def remote_entries(self, endpoint: Endpoint) -> dict[str, dict[str, Any]]:
        """What the vendor's list tells of each model, by its name; of the catalogue's nothing more."""
        found = vendor(endpoint.provider)
        if not found.lists_models:
            return {name: {} for offer in found.kinds.values() for name in offer.models}
        key = endpoint.api_key.get_secret_value() if endpoint.api_key else None
        url = found.models_url(endpoint.address)
        connection = self.gateway.connection(url, key, CHECK_TIMEOUT_S, vendor_id=found.id)
        answer = await _within(CHECK_TIMEOUT_S, connection.json("GET", ""))
        try:
            rows = answer["data"] if "data" in answer else answer["models"]
            named = {str(row["id"] if "id" in row else row["name"]): dict(row) for row in rows}
        except (KeyError, TypeError, ValueError) as error:
            raise connection.bad_response(str(answer).encode()) from error
        return {name.removeprefix("models/"): row for name, row in named.items()}

    async def _try(self, model: Model) -> CheckResult:
        started = time.perf_counter()
        sample: str | None = None
        dimensions: int | None = None
        shape: Shape | None = None
        failure: AppError | None = None
        try:
            if model.kind == "LLM":
                sample = await _within(CHECK_TIMEOUT_S, self._try_completion(model))
            elif model.kind == "RERANKER":
                shape, sample = await _within(CHECK_TIMEOUT_S, self._try_reranking(model))
            elif model.kind == "EMBEDDING":
                vectors = await _within(CHECK_TIMEOUT_S, self._try_embedding(model))
                dimensions = int(vectors.shape[1])
            else:
                probe = MediaProbe(self.gateway.builder, MEDIA_CHECK_TIMEOUT_S)
                sample = await _within(MEDIA_CHECK_TIMEOUT_S, probe.sample(model))
        except AppError as error:
            failure = error
        return CheckResult(
            ok=failure is None,
            checked_at=now(),
            latency_ms=round((time.perf_counter() - started) * 1000, 1),
            sample=sample,
            dimensions=dimensions,
            shape=shape,
            error=None
            if failure is None
            else {
                "code": failure.code,
                "message": failure.text,
                "hint": failure.hint_text,
                "details": failure.details,
            },
        )

    async def _try_completion(self, model: Model) -> str:
        completer = self.gateway.build_completer(model)
        # Enough tokens for models that think first: with fewer their visible answer is empty.
        request = CompletionRequest(
            [Message("user", CHECK_QUESTION)], max_tokens=256, timeout_s=CHECK_TIMEOUT_S
        )
        completion = await completer.complete(request)
        return (completion.text or completion.reasoning)[:200]

    async def _try_reranking(self, model: Model) -> tuple[Shape, str]:
        """The dialect, and the scores of a text that answers and of one that does not."""
        reranker = self.gateway.build_reranker(model)
        shape: Shape | None = model.parameters.get("shape")
        if shape is None:
            shape = await detect_shape(reranker, timeout_s=CHECK_TIMEOUT_S)
        scores = await replace(reranker, shape=shape).rerank(*RERANK_SAMPLE, timeout_s=CHECK_TIMEOUT_S)
        return shape, " / ".join(f"{score:.4g}" for score in scores)

    async def _try_embedding(self, model: Model) -> Vectors:
        if model.provider == "embedded":
            embedder = await self.gateway.embedder(self.scope, model.id)
            return await embedder.embed_queries(SAMPLES)
        return await self.gateway.build_remote_embedder(model).embed_queries(SAMPLES)

    async def _measure(self, model: Model) -> None:
        embedder = self.gateway.build_remote_embedder(model)
        model.dimensions = int((await embedder.embed_queries(SAMPLES)).shape[1])
        embedder = self.gateway.build_remote_embedder(model)
        pairs = default_pairs()
        cosines = await _cosines(embedder, [(question, passage) for question, passage, _ in pairs])
        matching = np.array([label for _, _, label in pairs], dtype=bool)
        duplicates = await _cosines(embedder, duplicate_pairs())
        try:
            calibration = fit(cosines[matching], cosines[~matching], duplicate=duplicates)
        except ValueError as error:
            raise ModelError(
                "This model does not tell matching passages from others, so it cannot be used for search.",
                model=model.name,
            ) from error
        model.calibration = dict(calibration.to_json())


async def _cosines(embedder: RemoteEmbedder, pairs: Sequence[tuple[str, str]]) -> Vectors:
    """Cosine of each pair, every distinct text embedded once."""
    questions = list(dict.fromkeys(question for question, _ in pairs))
    passages = list(dict.fromkeys(passage for _, passage in pairs))
    asked = dict(zip(questions, await embedder.embed_queries(questions), strict=True))
    told = dict(zip(passages, await embedder.embed_passages(passages), strict=True))
    return np.array([asked[question] @ told[passage] for question, passage in pairs], np.float32)


async def _within[T](seconds: float, call: Awaitable[T]) -> T:
    try:
        async with asyncio.timeout(seconds):
            return await call
    except TimeoutError as error:
        raise ModelTimeout(timeout_s=seconds) from error
