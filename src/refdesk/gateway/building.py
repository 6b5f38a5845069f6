"""From a model's row to the client of its wire; the catalogue says which, where and how to enter."""

from dataclasses import dataclass
from typing import Any

from refdesk.gateway.calibration import Calibration
from refdesk.gateway.calls import Completer
from refdesk.gateway.embedded import CALIBRATION
from refdesk.gateway.errors import WrongModelKind
from refdesk.gateway.gates import Gates, least_score_of
from refdesk.gateway.media import Filmmaker, Painter, PictureReader, Speaker, Transcriber
from refdesk.gateway.picture_reading import CompletingReader
from refdesk.gateway.schemas import Parameters
from refdesk.gateway.tables import Model
from refdesk.gateway.vendors import Offer, Vendor, vendor
from refdesk.gateway.wires import (
    Authentication,
    Connection,
    RemoteEmbedder,
    build_completer,
    embedding_format,
    fitted,
)
from refdesk.gateway.wires.pictures import RemotePainter
from refdesk.gateway.wires.reranking import DEFAULT_SHAPE, SHAPES, RemoteReranker, Shape
from refdesk.gateway.wires.speech import RemoteSpeaker, RemoteTranscriber
from refdesk.gateway.wires.video import RemoteFilmmaker
from refdesk.kit.crypto import Cipher
from refdesk.kit.http import GuardedClient


@dataclass(frozen=True, slots=True)
class ClientBuilder:
    """Makes clients; keeps none."""

    http: GuardedClient
    cipher: Cipher

    def connection(
        self,
        base_url: str,
        api_key: str | None,
        timeout_s: float = 60.0,
        *,
        vendor_id: str,
        kind: str | None = None,
    ) -> Connection:
        """The way to a vendor's server for one kind of model."""
        found = vendor(vendor_id)
        return connect(self.http, found, kind, base_url, api_key, timeout_s)

    def completer(self, model: Model) -> Completer:
        """A chat client for a row, stored or not."""
        parameters, connection, offer = self._parts(model)
        defaults = dict(parameters.extra_body)
        if parameters.temperature is not None:
            defaults["temperature"] = parameters.temperature
        if parameters.max_tokens is not None:
            defaults["max_tokens"] = parameters.max_tokens
        return build_completer(
            offer.wire,
            model_id=model.id,
            model_name=model.model_name,
            connection=connection,
            context_tokens=parameters.context_tokens,
            defaults=defaults,
        )

    def remote_embedder(self, model: Model) -> RemoteEmbedder:
        """An embedding client for a row, stored or not. 0 dimensions accept any."""
        parameters, connection, offer = self._parts(model)
        stored = Calibration.from_json(model.calibration) if model.calibration else None
        return RemoteEmbedder(
            model_id=model.id,
            model_name=model.model_name,
            connection=fitted(offer.wire, connection, model.model_name),
            format=embedding_format(offer.wire, model.model_name),
            dimensions=model.dimensions or parameters.dimensions or 0,
            calibration=stored or CALIBRATION,
            gates=Gates.from_json(model.gates),
            max_batch=min(parameters.batch_size, offer.batch_size or parameters.batch_size),
            query_prefix=parameters.query_prefix,
            passage_prefix=parameters.passage_prefix,
            request_dimensions=parameters.dimensions is not None,
        )

    def reranker(self, model: Model) -> RemoteReranker:
        """A reranker's client for a row, stored or not."""
        parameters, connection, offer = self._parts(model)
        named: Shape | None = next((shape for shape in SHAPES if shape == offer.wire), None)
        return RemoteReranker(
            model_id=model.id,
            model_name=model.model_name,
            connection=connection,
            shape=parameters.shape or named or DEFAULT_SHAPE,
            max_batch=parameters.batch_size,
            extra_body=parameters.extra_body,
            least_score=least_score_of(model.gates),
        )

    def transcriber(self, model: Model) -> Transcriber:
        """A client of speech to text."""
        parameters, connection, offer = self._parts(model)
        return RemoteTranscriber(model.id, model.model_name, connection, offer.wire, parameters.extra_body)

    def speaker(self, model: Model) -> Speaker:
        """A client of text to speech."""
        parameters, connection, offer = self._parts(model)
        voice = parameters.voice or next(iter(offer.voices), None)
        app = self._key(model).partition(":")[0]
        token = connection.api_key or ""
        return RemoteSpeaker(
            model.id,
            model.model_name,
            connection,
            offer.wire,
            voice,
            parameters.extra_body,
            (app, token),
            offer.formats,
        )

    def picture_reader(self, model: Model) -> PictureReader:
        """A client that answers questions about pictures."""
        return CompletingReader(self.completer(model))

    def painter(self, model: Model) -> Painter:
        """A client of text to picture."""
        parameters, connection, offer = self._parts(model)
        return RemotePainter(model.id, model.model_name, connection, offer.wire, parameters.extra_body)

    def filmmaker(self, model: Model) -> Filmmaker:
        """A client of text to video, and of picture to video."""
        parameters, connection, offer = self._parts(model)
        return RemoteFilmmaker(model.id, model.model_name, connection, offer.wire, parameters.extra_body)

    def _parts(self, model: Model) -> tuple[Parameters, Connection, Offer]:
        assert model.base_url is not None
        parameters = Parameters.model_validate(model.parameters)
        found = vendor(model.provider)
        offer = found.offer(model.kind)
        if offer is None:
            raise WrongModelKind("This vendor has no models of that kind.", found=model.kind)
        key = self._key(model) or None
        connection = connect(self.http, found, model.kind, model.base_url, key, parameters.timeout_s)
        return parameters, connection, offer

    def _key(self, model: Model) -> str:
        return self.cipher.open(model.credential, context=model.id.bytes) if model.credential else ""


def connect(
    http: GuardedClient,
    found: Vendor,
    kind: str | None,
    base_url: str,
    key: str | None,
    timeout_s: float,
) -> Connection:
    """The way to a vendor's server, with its key where that vendor wants it."""
    form, _, name = found.auth_for(kind).partition(":")
    entry: dict[str, Any] = {}
    match form:
        case "header":
            entry["authentication"] = Authentication(name, "")
        case "query":
            entry |= {"query": ((name, key),) if key else (), "secrets": (key,) if key else ()}
            key = None
        case "app-secret" if key:
            # The app's id goes into the body, by the wire.
            entry |= {"authentication": Authentication(prefix="Bearer;"), "secrets": (key,)}
            key = key.rpartition(":")[2]
        case _:
            pass
    return Connection(
        client=http,
        base_url=found.url_for(kind, base_url) if kind else base_url,
        api_key=key,
        timeout_s=timeout_s,
        extra_headers=tuple(found.headers.items()),
        sort=found.signs,
        **entry,
    )
