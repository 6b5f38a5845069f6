"""Entering, changing, testing and removing models."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope, audit
from refdesk.gateway.calibration import default_pairs, duplicate_pairs, fit
from refdesk.gateway.calls import CompletionRequest, Message, Vectors
from refdesk.gateway.clients import Gateway
from refdesk.gateway.embedded import CALIBRATION, DIMENSIONS
from refdesk.gateway.errors import EmbeddedModelFixed, ModelError, ModelInUse, ModelNameTaken
from refdesk.gateway.openai import OpenAIEmbedder
from refdesk.gateway.repository import ModelRepository
from refdesk.gateway.schemas import CheckResult, Endpoint, ModelChange, ModelDraft
from refdesk.gateway.tables import Model
from refdesk.kit.clock import now
from refdesk.kit.crypto import Cipher, mask
from refdesk.kit.errors import AppError, Invalid
from refdesk.kit.ids import new_id

EMBEDDED_NAME = "multilingual-e5-small"
CHECK_TIMEOUT_S = 30.0
CHECK_QUESTION = "Reply with the one word: ready"


class EmbeddingModelFixed(Invalid):
    """Vectors of two models cannot be mixed, so an embedding model's identity never changes."""

    code = "embedding-model-fixed"
    message = "The model name and dimensions of an embedding model cannot be changed."
    hint = "Add the other model, and choose it for new knowledge bases."


@dataclass(frozen=True, slots=True)
class ModelService:
    """The verbs. `cipher` seals keys; `gateway` makes the calls of a test."""

    session: AsyncSession
    scope: Scope
    gateway: Gateway
    cipher: Cipher

    @property
    def _models(self) -> ModelRepository:
        return ModelRepository(self.session, self.scope)

    async def create(self, draft: ModelDraft) -> Model:
        """Store a model. An embedding model is called first: its dimensions and calibration are measured."""
        model = self.unsaved(draft)
        if model.kind == "EMBEDDING":
            await self._measure(model)
        if draft.is_default or await self._models.default(model.kind) is None:
            await self._make_default(model)
        try:
            async with self.session.begin_nested():
                await self._models.add(model)
        except IntegrityError as error:
            raise ModelNameTaken(name=draft.name) from error
        audit(self.session, self.scope, "model.create", ("model", model.id), name=model.name)
        return model

    async def change(self, model_id: UUID, change: ModelChange) -> Model:
        """Apply the members that are present."""
        model = await self._models.get(model_id)
        given = change.model_fields_set
        if model.provider == "embedded" and given - {"is_default"}:
            raise EmbeddedModelFixed
        self._refuse_identity_change(model, change)
        if "name" in given and change.name is not None:
            model.name = change.name
        if "model_name" in given and change.model_name is not None:
            model.model_name = change.model_name
        if "base_url" in given and change.base_url is not None:
            self._move(model, str(change.base_url), keeps_key="api_key" in given)
        if "api_key" in given:
            self._seal(model, change.api_key.get_secret_value() if change.api_key else None)
        if "parameters" in given and change.parameters is not None:
            model.parameters = change.parameters.model_dump(mode="json")
        if change.is_default:
            await self._make_default(model)
        model.updated_at = now()
        try:
            async with self.session.begin_nested():
                await self.session.flush()
        except IntegrityError as error:
            raise ModelNameTaken(name=change.name) from error
        audit(self.session, self.scope, "model.change", ("model", model.id), members=sorted(given))
        return model

    async def delete(self, model_id: UUID) -> None:
        """Remove a model. Raises `ModelInUse` while knowledge bases are indexed with it."""
        model = await self._models.get(model_id)
        if model.provider == "embedded":
            raise EmbeddedModelFixed
        was_default, kind = model.is_default, model.kind
        try:
            async with self.session.begin_nested():
                await self._models.delete(model)
        except IntegrityError as error:
            raise ModelInUse(model=model.name) from error
        if was_default:
            heirs = await self._models.all(kind)
            if heirs:
                heirs[0].is_default = True
        audit(self.session, self.scope, "model.delete", ("model", model_id), name=model.name)

    async def check(self, model_id: UUID) -> CheckResult:
        """Test a stored model and keep the result."""
        model = await self._models.get(model_id)
        result = await self._try(model)
        model.last_check = result.model_dump(mode="json")
        return result

    async def check_draft(self, draft: ModelDraft) -> CheckResult:
        """Test what is being entered; nothing is stored."""
        return await self._try(self.unsaved(draft))

    def unsaved(self, draft: ModelDraft) -> Model:
        """The row a draft would become."""
        model = Model(
            id=new_id(),
            workspace_id=self.scope.workspace_id,
            kind=draft.kind,
            provider="openai-compatible",
            name=draft.name,
            model_name=draft.model_name,
            base_url=str(draft.base_url).rstrip("/"),
            parameters=draft.parameters.model_dump(mode="json"),
            dimensions=draft.parameters.dimensions,
            is_default=False,
        )
        self._seal(model, draft.api_key.get_secret_value() if draft.api_key else None)
        return model

    async def remote_names(self, endpoint: Endpoint) -> list[str]:
        """The model names the server at an address lists."""
        key = endpoint.api_key.get_secret_value() if endpoint.api_key else None
        connection = self.gateway.connection(str(endpoint.base_url).rstrip("/"), key, CHECK_TIMEOUT_S)
        answer = await connection.json("GET", "/models")
        try:
            return sorted(str(item["id"]) for item in answer["data"])
        except (KeyError, TypeError) as error:
            raise connection.bad_response(str(answer).encode()) from error

    async def _try(self, model: Model) -> CheckResult:
        started = time.perf_counter()
        sample: str | None = None
        dimensions: int | None = None
        failure: AppError | None = None
        try:
            if model.kind == "LLM":
                sample = await self._try_completion(model)
            elif model.provider == "embedded":
                dimensions = DIMENSIONS
            else:
                dimensions = (await _sample_vectors(self.gateway.build_remote_embedder(model))).shape[1]
        except AppError as error:
            failure = error
        return CheckResult(
            ok=failure is None,
            checked_at=now(),
            latency_ms=round((time.perf_counter() - started) * 1000, 1),
            sample=sample,
            dimensions=dimensions,
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

    async def _measure(self, model: Model) -> None:
        embedder = self.gateway.build_remote_embedder(model)
        model.dimensions = int((await _sample_vectors(embedder)).shape[1])
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

    async def _make_default(self, model: Model) -> None:
        await self._models.clear_default(model.kind)
        model.is_default = True

    def _move(self, model: Model, base_url: str, *, keeps_key: bool) -> None:
        # A stored key goes only to the server it was entered for: otherwise whoever may edit a model
        # could read its key by pointing the address at a server of his own.
        changed = base_url.rstrip("/") != model.base_url
        model.base_url = base_url.rstrip("/")
        if changed and not keeps_key:
            self._seal(model, None)

    def _refuse_identity_change(self, model: Model, change: ModelChange) -> None:
        if model.kind != "EMBEDDING" or model.provider == "embedded":
            return
        renamed = change.model_name is not None and change.model_name != model.model_name
        resized = change.parameters is not None and change.parameters.dimensions != model.parameters.get(
            "dimensions"
        )
        if renamed or resized:
            raise EmbeddingModelFixed

    def _seal(self, model: Model, key: str | None) -> None:
        model.credential = self.cipher.seal(key, context=model.id.bytes) if key else None
        model.credential_hint = mask(key) if key else None


async def _cosines(embedder: OpenAIEmbedder, pairs: Sequence[tuple[str, str]]) -> Vectors:
    """Cosine of each pair, every distinct text embedded once."""
    questions = list(dict.fromkeys(question for question, _ in pairs))
    passages = list(dict.fromkeys(passage for _, passage in pairs))
    asked = dict(zip(questions, await embedder.embed_queries(questions), strict=True))
    told = dict(zip(passages, await embedder.embed_passages(passages), strict=True))
    return np.array([asked[question] @ told[passage] for question, passage in pairs], np.float32)


async def _sample_vectors(embedder: OpenAIEmbedder) -> Vectors:
    return await embedder.embed_queries(["refdesk", "参考台"])


async def create_workspace_models(session: AsyncSession, scope: Scope) -> None:
    """Give a new workspace the embedded embedding model, as its default."""
    await ModelRepository(session, scope).add(
        Model(
            id=new_id(),
            kind="EMBEDDING",
            provider="embedded",
            name=EMBEDDED_NAME,
            model_name=EMBEDDED_NAME,
            parameters={},
            dimensions=DIMENSIONS,
            calibration=dict(CALIBRATION.to_json()),
            is_default=True,
        )
    )
