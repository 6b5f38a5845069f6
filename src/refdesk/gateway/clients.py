"""The process-wide gateway: clients by model id, made once and kept until the model's row changes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from fastapi import Depends, Request

from refdesk.accounts import Scope
from refdesk.gateway.calibration import Calibration
from refdesk.gateway.calls import Completer, Embedder, Reranker, Vectors
from refdesk.gateway.embedded import CALIBRATION, DIMENSIONS, AsyncEmbeddedEmbedder, EmbeddedEmbedder
from refdesk.gateway.errors import WrongModelKind
from refdesk.gateway.gates import DEFAULT_GATES, Gates, least_score_of
from refdesk.gateway.repository import ModelRepository
from refdesk.gateway.schemas import Parameters
from refdesk.gateway.tables import Model
from refdesk.gateway.wires import Connection, RemoteEmbedder, build_completer, embedding_format
from refdesk.gateway.wires.reranking import DEFAULT_SHAPE, RemoteReranker
from refdesk.kit.crypto import Cipher
from refdesk.kit.database import Database
from refdesk.kit.http import guarded_client
from refdesk.kit.settings import Settings

EMBEDDED_BATCH = 32


@dataclass(frozen=True, slots=True)
class _EmbeddedModel:
    """The embedded model under the id it has in one workspace."""

    model_id: UUID
    engine: AsyncEmbeddedEmbedder
    dimensions: int = DIMENSIONS
    calibration: Calibration = CALIBRATION
    gates: Gates = DEFAULT_GATES
    max_batch: int = EMBEDDED_BATCH

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return await self.engine.embed_queries(texts)

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return await self.engine.embed_passages(texts)


@dataclass(frozen=True, slots=True)
class _Cached:
    updated_at: datetime
    client: Embedder | Completer | Reranker


class Gateway:
    """Models by id. Business code never sees a vendor.

    The embedded model is loaded at its first use, once a process, however many workspaces use it.
    """

    def __init__(self, settings: Settings, database: Database, cipher: Cipher) -> None:
        self._settings = settings
        self._database = database
        self._cipher = cipher
        self._http = guarded_client(
            allow_private=settings.allow_private_endpoints,
            max_connections=max(200, settings.run_concurrency),  # an answer holds one while it is written
        )
        self._cache: dict[UUID, _Cached] = {}
        self._embedded: AsyncEmbeddedEmbedder | None = None

    async def embedder(self, scope: Scope, model_id: UUID) -> Embedder:
        """The embedding model. Raises `UnknownModel` or `WrongModelKind`."""
        model = await self._read(scope, model_id, "EMBEDDING")
        return self._cached(model, self._build_embedder)

    async def completer(self, scope: Scope, model_id: UUID) -> Completer:
        """The chat model. Raises `UnknownModel` or `WrongModelKind`."""
        model = await self._read(scope, model_id, "LLM")
        return self._cached(model, self.build_completer)

    async def reranker(self, scope: Scope, model_id: UUID) -> Reranker:
        """The reranker. Raises `UnknownModel` or `WrongModelKind`."""
        model = await self._read(scope, model_id, "RERANKER")
        return self._cached(model, self.build_reranker)

    async def default_model(self, scope: Scope, kind: Literal["LLM", "EMBEDDING", "RERANKER"]) -> UUID | None:
        """The id of the workspace's default model of a kind."""
        async with self._database.transaction() as session:
            model = await ModelRepository(session, scope).default(kind)
        return model.id if model is not None else None

    async def preload(self) -> None:
        """Load the embedded model now, so that the first question does not wait for it."""
        await self._engine().embed_queries(["preload"])

    async def close(self) -> None:
        await self._http.aclose()
        if self._embedded is not None:
            await self._embedded.aclose()

    def connection(self, base_url: str, api_key: str | None, timeout_s: float = 60.0) -> Connection:
        """A connection that is not kept, for tests of what is being entered."""
        return Connection(self._http, base_url, api_key, timeout_s)

    def build_completer(self, model: Model) -> Completer:
        """A chat client for a row, stored or not."""
        parameters = Parameters.model_validate(model.parameters)
        defaults = dict(parameters.extra_body)
        if parameters.temperature is not None:
            defaults["temperature"] = parameters.temperature
        if parameters.max_tokens is not None:
            defaults["max_tokens"] = parameters.max_tokens
        return build_completer(
            "openai",
            model_id=model.id,
            model_name=model.model_name,
            connection=self._connect(model, parameters),
            context_tokens=parameters.context_tokens,
            defaults=defaults,
        )

    def build_remote_embedder(self, model: Model) -> RemoteEmbedder:
        """An embedding client for a row, stored or not. 0 dimensions accept any."""
        parameters = Parameters.model_validate(model.parameters)
        stored = Calibration.from_json(model.calibration) if model.calibration else None
        return RemoteEmbedder(
            model_id=model.id,
            model_name=model.model_name,
            connection=self._connect(model, parameters),
            format=embedding_format("openai"),
            dimensions=model.dimensions or parameters.dimensions or 0,
            calibration=stored or CALIBRATION,
            gates=Gates.from_json(model.gates),
            max_batch=parameters.batch_size,
            query_prefix=parameters.query_prefix,
            passage_prefix=parameters.passage_prefix,
            request_dimensions=parameters.dimensions is not None,
        )

    def build_reranker(self, model: Model) -> RemoteReranker:
        """A reranker's client for a row, stored or not."""
        parameters = Parameters.model_validate(model.parameters)
        return RemoteReranker(
            model_id=model.id,
            model_name=model.model_name,
            connection=self._connect(model, parameters),
            shape=parameters.shape or DEFAULT_SHAPE,
            max_batch=parameters.batch_size,
            extra_body=parameters.extra_body,
            least_score=least_score_of(model.gates),
        )

    async def _read(self, scope: Scope, model_id: UUID, kind: str) -> Model:
        async with self._database.transaction() as session:
            model = await ModelRepository(session, scope).get(model_id)
        if model.kind != kind:
            raise WrongModelKind(needed=kind, found=model.kind)
        return model

    def _cached[C: (Embedder, Completer, Reranker)](self, model: Model, build: Callable[[Model], C]) -> C:
        found = self._cache.get(model.id)
        if found is None or found.updated_at != model.updated_at:
            found = _Cached(model.updated_at, build(model))
            self._cache[model.id] = found
        return found.client  # pyright: ignore[reportReturnType] — one kind a model id

    def _build_embedder(self, model: Model) -> Embedder:
        if model.provider == "embedded":
            return _EmbeddedModel(model.id, self._engine(), gates=Gates.from_json(model.gates))
        return self.build_remote_embedder(model)

    def _engine(self) -> AsyncEmbeddedEmbedder:
        if self._embedded is None:
            self._embedded = AsyncEmbeddedEmbedder(EmbeddedEmbedder.from_settings(self._settings))
        return self._embedded

    def _connect(self, model: Model, parameters: Parameters) -> Connection:
        assert model.base_url is not None
        key = self._cipher.open(model.credential, context=model.id.bytes) if model.credential else None
        return self.connection(model.base_url, key, parameters.timeout_s)


def get_gateway(request: Request) -> Gateway:
    """The gateway of the running application."""
    found: Gateway = request.app.state.gateway
    return found


GatewayDep = Annotated[Gateway, Depends(get_gateway)]
