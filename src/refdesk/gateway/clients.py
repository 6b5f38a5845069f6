"""The process-wide gateway: clients by model id, made once and kept until the model's row changes."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Request

from refdesk.accounts import Scope
from refdesk.gateway.building import ClientBuilder
from refdesk.gateway.calls import Completer, Embedder, OnEmbedded, Reranker
from refdesk.gateway.controls import Controls
from refdesk.gateway.embedded import AsyncEmbeddedEmbedder, EmbeddedEmbedder
from refdesk.gateway.embedded_model import EmbeddedModel, RecordedEmbedder
from refdesk.gateway.errors import WrongModelKind
from refdesk.gateway.gates import Gates
from refdesk.gateway.kinds import Kind
from refdesk.gateway.media import Filmmaker, Painter, PictureReader, Speaker, Transcriber
from refdesk.gateway.picture_reading import CompletingReader
from refdesk.gateway.purpose import NO_PURPOSE, Purpose
from refdesk.gateway.routing.capabilities import Abilities
from refdesk.gateway.routing.governed import GovernedCompleter, GovernedEmbedder, GovernedReranker
from refdesk.gateway.routing.governed_media import (
    GovernedFilmmaker,
    GovernedPainter,
    GovernedSpeaker,
    GovernedTranscriber,
)
from refdesk.gateway.routing.service import Routing
from refdesk.gateway.routing.snapshot import RoutedModel
from refdesk.gateway.tables import Model
from refdesk.gateway.vendors import ANY
from refdesk.gateway.wires import Connection, RemoteEmbedder
from refdesk.gateway.wires.reranking import RemoteReranker
from refdesk.kit.crypto import Cipher
from refdesk.kit.database import Database
from refdesk.kit.http import guarded_client
from refdesk.kit.settings import Settings


@dataclass(frozen=True, slots=True)
class _Cached:
    updated_at: datetime
    client: Any


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
        self._builder = ClientBuilder(self._http, cipher)
        self._cache: dict[UUID, _Cached] = {}
        self._embedded: AsyncEmbeddedEmbedder | None = None
        self.controls = Controls(settings, database)
        self.routing = Routing(database, self._http, self.controls)

    async def start(self) -> None:
        """Listen for changes and probe models; a gateway that is only used begins to listen by itself."""
        await self.routing.start()

    async def embedder(
        self,
        scope: Scope,
        model_id: UUID,
        purpose: Purpose = NO_PURPOSE,
        *,
        on_usage: OnEmbedded | None = None,
    ) -> Embedder:
        """The embedding model; `on_usage` hears of each call that is made of it.

        Raises `UnknownModel` or `WrongModelKind`, as all below.
        """
        model = await self._read(scope, model_id, "EMBEDDING")
        client = self._client(model)
        if model.row.provider == "embedded":
            recorded = RecordedEmbedder(client, self.controls.usage, scope, purpose, on_usage)
            return self.controls.embeddings.wrap(recorded, EMBEDDED_FINGERPRINT)
        governed = GovernedEmbedder(self.routing.flow, self._client, scope, purpose, model, client, on_usage)
        return self.controls.embeddings.wrap(governed, _fingerprint(model.row))

    async def completer(self, scope: Scope, model_id: UUID, purpose: Purpose = NO_PURPOSE) -> Completer:
        """The chat model."""
        model = await self._read(scope, model_id, "LLM")
        return GovernedCompleter(
            self.routing.flow, self._client, self.controls.responses, scope, purpose, model
        )

    async def reranker(self, scope: Scope, model_id: UUID, purpose: Purpose = NO_PURPOSE) -> Reranker:
        """The reranker."""
        model = await self._read(scope, model_id, "RERANKER")
        client = self._client(model)
        return GovernedReranker(self.routing.flow, self._client, scope, purpose, model, client)

    async def transcriber(self, scope: Scope, model_id: UUID, purpose: Purpose = NO_PURPOSE) -> Transcriber:
        """The model that writes speech down."""
        model = await self._read(scope, model_id, "STT")
        return GovernedTranscriber(self.routing.flow, self._client, scope, purpose, model)

    async def speaker(self, scope: Scope, model_id: UUID, purpose: Purpose = NO_PURPOSE) -> Speaker:
        """The model that speaks."""
        model = await self._read(scope, model_id, "TTS")
        return GovernedSpeaker(self.routing.flow, self._client, scope, purpose, model)

    async def picture_reader(
        self, scope: Scope, model_id: UUID, purpose: Purpose = NO_PURPOSE
    ) -> PictureReader:
        """The model that answers questions about pictures."""
        model = await self._read(scope, model_id, "IMAGE")

        def completer_of(routed: RoutedModel) -> Completer:
            return self._client(routed).completer

        responses = self.controls.responses
        return CompletingReader(
            GovernedCompleter(self.routing.flow, completer_of, responses, scope, purpose, model)
        )

    async def painter(self, scope: Scope, model_id: UUID, purpose: Purpose = NO_PURPOSE) -> Painter:
        """The model that makes pictures."""
        model = await self._read(scope, model_id, "TTI")
        return GovernedPainter(self.routing.flow, self._client, scope, purpose, model)

    async def filmmaker(self, scope: Scope, model_id: UUID, purpose: Purpose = NO_PURPOSE) -> Filmmaker:
        """The model that makes films: of words, or of words and a picture."""
        model = await self._read(scope, model_id, "TTV", "ITV")
        return GovernedFilmmaker(self.routing.flow, self._client, scope, purpose, model)

    async def default_model(self, scope: Scope, kind: Kind, *purposes: str | None) -> UUID | None:
        """The id of the model that serves the first of these purposes that has one of its own, else of the
        workspace's default model of the kind."""
        await self.routing.snapshot.ready()
        snapshot = self.routing.snapshot
        routed = (snapshot.route(scope, one, kind) for one in purposes if one is not None)
        return next((one for one in routed if one is not None), None) or snapshot.default(scope, kind)

    async def find_chat_model(self, scope: Scope, wanted: str, *, by_name: bool) -> UUID | None:
        """The chat model of this id or name that the caller may ask by itself: a key that is bound to one
        thing may not."""
        if scope.resource is not None:
            return None
        await self.routing.snapshot.ready()
        return self.routing.snapshot.find_by(scope, "LLM", wanted, by_name=by_name)

    async def abilities(self, scope: Scope, model_id: UUID) -> Abilities:
        """What a model can do. Raises `UnknownModel`."""
        await self.routing.snapshot.ready()
        return self.routing.snapshot.get(scope, model_id).abilities

    async def preload(self) -> None:
        """Load the embedded model now, so that the first question does not wait for it."""
        await self._engine().embed_queries(["preload"])

    async def close(self) -> None:
        await self.routing.close()
        await self.controls.close()
        await self._http.aclose()
        if self._embedded is not None:
            await self._embedded.aclose()

    @property
    def builder(self) -> ClientBuilder:
        """Makes clients for rows, stored or not."""
        return self._builder

    def connection(
        self, base_url: str, api_key: str | None, timeout_s: float = 60.0, *, vendor_id: str = ANY
    ) -> Connection:
        """A connection that is not kept, for tests of what is being entered."""
        return self._builder.connection(base_url, api_key, timeout_s, vendor_id=vendor_id)

    def build_completer(self, model: Model) -> Completer:
        """A chat client for a row, stored or not."""
        return self._builder.completer(model)

    def build_remote_embedder(self, model: Model) -> RemoteEmbedder:
        """An embedding client for a row, stored or not. 0 dimensions accept any."""
        return self._builder.remote_embedder(model)

    def build_reranker(self, model: Model) -> RemoteReranker:
        """A reranker's client for a row, stored or not."""
        return self._builder.reranker(model)

    async def _read(self, scope: Scope, model_id: UUID, *kinds: Kind) -> RoutedModel:
        """The model as it is now: from memory, unless this process cannot know whether it is fresh."""
        await self.routing.snapshot.ready()
        model = self.routing.snapshot.get(scope, model_id)
        if model.row.kind not in kinds:
            raise WrongModelKind(needed=" / ".join(kinds), found=model.row.kind)
        return model

    def _client(self, model: RoutedModel) -> Any:
        """The client of a model's kind, kept until its row changes."""
        row = model.row
        found = self._cache.get(row.id)
        if found is None or found.updated_at != row.updated_at:
            found = self._cache[row.id] = _Cached(row.updated_at, self._build(row))
        return found.client

    def _build(self, row: Model) -> Any:
        builders: dict[str, Callable[[Model], Any]] = {
            "LLM": self.build_completer,
            "EMBEDDING": self._build_embedder,
            "RERANKER": self.build_reranker,
            "STT": self._builder.transcriber,
            "TTS": self._builder.speaker,
            "IMAGE": self._builder.picture_reader,
            "TTI": self._builder.painter,
            "TTV": self._builder.filmmaker,
            "ITV": self._builder.filmmaker,
        }
        return builders[row.kind](row)

    def _build_embedder(self, model: Model) -> Embedder:
        if model.provider == "embedded":
            return EmbeddedModel(model.id, self._engine(), gates=Gates.from_json(model.gates))
        return self.build_remote_embedder(model)

    def _engine(self) -> AsyncEmbeddedEmbedder:
        if self._embedded is None:
            self._embedded = AsyncEmbeddedEmbedder(EmbeddedEmbedder.from_settings(self._settings))
        return self._embedded


# To be raised with the weights or their arithmetic: vectors that are kept would not fit new ones.
EMBEDDED_FINGERPRINT = "multilingual-e5-small int8 1"


def _fingerprint(model: Model) -> str:
    """All that makes a model's vectors what they are, beside the text."""
    parameters = model.parameters
    said = [parameters.get(name) for name in ("query_prefix", "passage_prefix", "dimensions", "extra_body")]
    return repr((model.base_url, model.model_name, model.dimensions, said))


def get_gateway(request: Request) -> Gateway:
    """The gateway of the running application."""
    found: Gateway = request.app.state.gateway
    return found


GatewayDep = Annotated[Gateway, Depends(get_gateway)]
