"""Models at the border: what is sent in and what is shown. A stored key never comes out."""

import json
from datetime import datetime
from typing import Any, Literal, Self
from uuid import UUID

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    HttpUrl,
    SecretStr,
    TypeAdapter,
    computed_field,
    field_validator,
    model_validator,
)

from refdesk.gateway.kinds import Kind
from refdesk.gateway.routing.capabilities import Abilities, Capabilities
from refdesk.gateway.routing.checks import HealthCheck
from refdesk.gateway.routing.model_settings import ModelRouting
from refdesk.gateway.vendors import ANY, vendors
from refdesk.kit.border_types import CleanJson, CleanText, Name, PlainLine

_ADDRESS = TypeAdapter(HttpUrl)


class Parameters(BaseModel):
    """Defaults of a model's calls. Empty ones are left to the vendor.

    `context_tokens` bounds what is sent; `dimensions` asks an embedding model for shorter vectors;
    `shape` is the dialect of a reranker; without one it is found out when the model is added or tested.
    `voice` is the one a model speaks with where a request names none.
    `extra_body` is merged into every request as it is, for what one vendor alone understands.
    """

    model_config = ConfigDict(extra="forbid")

    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int | None = Field(default=None, ge=1, le=1_000_000)
    context_tokens: int = Field(default=8192, ge=256, le=10_000_000)
    timeout_s: float = Field(default=60.0, ge=1, le=600)
    dimensions: int | None = Field(default=None, ge=1, le=16_000)
    batch_size: int = Field(default=32, ge=1, le=2048)
    query_prefix: CleanText = Field(default="", max_length=200)
    passage_prefix: CleanText = Field(default="", max_length=200)
    shape: Literal["cohere", "jina", "tei", "vllm"] | None = None
    voice: PlainLine | None = Field(default=None, max_length=200)
    extra_body: CleanJson = Field(default_factory=dict)


def _checked_key(value: SecretStr | None) -> SecretStr | None:
    if value is None:
        return None
    key = value.get_secret_value().strip()
    if key.startswith("{"):
        # The key file of a service account, which is written over many lines.
        try:
            key = json.dumps(json.loads(key), separators=(",", ":"))
        except ValueError:
            raise ValueError("a key in JSON is the whole file; copy it again") from None
    if not (key.isascii() and key.isprintable()):
        raise ValueError("an API key holds only printable ASCII characters; copy it again")
    return SecretStr(key) if key else None


def _checked_url(value: HttpUrl | None) -> HttpUrl | None:
    if value is not None and (value.username or value.password or value.query or value.fragment):
        raise ValueError("give the base address only: no user, query or fragment")
    return value


class Endpoint(BaseModel):
    """A server: vendor, base URL (what stands before `/chat/completions` where that is spoken) and key.

    Without a base URL it is the vendor's own address.
    """

    model_config = ConfigDict(extra="forbid")

    provider: PlainLine = Field(default=ANY, max_length=32, description="A vendor's id in the catalogue.")
    base_url: HttpUrl | None = None
    api_key: SecretStr | None = None

    _url = field_validator("base_url")(_checked_url)
    _key = field_validator("api_key")(_checked_key)

    @field_validator("provider")
    @classmethod
    def _known(cls, value: str) -> str:
        if value not in vendors():
            raise ValueError("no vendor of that id is in the catalogue")
        return value

    @model_validator(mode="after")
    def _addressed(self) -> Self:
        if self.base_url is None:
            address = vendors()[self.provider].address
            if not address:
                raise ValueError("base_url is needed: this vendor has no address of its own")
            self.base_url = _ADDRESS.validate_python(address)
        if str(self.base_url).startswith("https://resource."):
            raise ValueError("put the name of your own resource into base_url in place of RESOURCE")
        return self

    @property
    def address(self) -> str:
        """The base URL without a slash at its end."""
        return str(self.base_url).rstrip("/")


class ModelDraft(Endpoint, ModelRouting):
    """A model as entered."""

    kind: Kind
    name: Name
    model_name: PlainLine = Field(min_length=1, max_length=200)
    parameters: Parameters = Field(default_factory=Parameters)
    is_default: bool = False

    @model_validator(mode="after")
    def _offered(self) -> Self:
        if vendors()[self.provider].offer(self.kind) is None:
            raise ValueError("this vendor has no models of that kind")
        return self


class ModelChange(ModelRouting):
    """Members that are present are changed. An `api_key` of null takes the stored key away."""

    model_config = ConfigDict(extra="forbid")

    name: Name | None = None
    model_name: PlainLine | None = Field(default=None, min_length=1, max_length=200)
    base_url: HttpUrl | None = None
    api_key: SecretStr | None = None
    parameters: Parameters | None = None
    is_default: bool | None = None

    _url = field_validator("base_url")(_checked_url)
    _key = field_validator("api_key")(_checked_key)


class CheckResult(BaseModel):
    """What a connection test found; `error` holds the vendor's own words in `details.vendor_message`."""

    ok: bool
    checked_at: datetime
    latency_ms: float
    sample: str | None = None
    dimensions: int | None = None
    shape: Literal["cohere", "jina", "tei", "vllm"] | None = None
    error: dict[str, Any] | None = None


class GateFit(BaseModel):
    """One gate as it was fitted on one half of the questions and judged on the other.

    `both` and `meaning`: the similarity that is shown as 0.45, in searches by words and meaning or by meaning
    alone. `drop_both` and `drop_meaning`: the distance below the best, as shown, that counts as 0.15.
    `rerank`: the least score of a reranker, on its own scale.
    """

    gate: Literal["both", "meaning", "drop_both", "drop_meaning", "rerank"]
    before: float | None = Field(description="Null: there was no such gate.")
    after: float
    low: float = Field(description="Nine of ten fits on questions drawn anew lie between `low` and `high`.")
    high: float
    auroc: float = Field(description="Of the half that judges, as the two below.")
    balanced_before: float
    balanced_after: float
    kept_before: float = Field(description="Share rightly found (of hits that answer: kept).")
    kept_after: float
    turned_down_before: float = Field(description="Share rightly not found (of other hits: left out).")
    turned_down_after: float
    fitted: tuple[int, int] = Field(description="How many it was fitted on, with an answer and without.")
    judged: tuple[int, int] = Field(description="How many it was judged on.")
    is_better: bool = Field(description="No worse than before on the half that judges, so it is taken.")


class GateRecord(BaseModel):
    """Where fitted gates come from."""

    set_name: str
    test_set_id: UUID | None
    fitted_at: datetime
    unanswerable: Literal["named", "left-out"] = Field(
        description="Questions without an answer: named so in the set, or made by leaving out what answers."
    )
    questions: int
    fits: list[GateFit]


class ScaleView(BaseModel):
    """`balance` is the similarity that is shown as 0.45, `drop` the distance that counts as 0.15."""

    balance: float
    drop: float


class GatesView(BaseModel):
    """What was fitted for a model; an embedding model has two scales, a reranker a least score."""

    kind: Literal["embedder", "reranker"]
    both: ScaleView | None = None
    meaning: ScaleView | None = None
    least_score: float | None = None
    record: GateRecord


class ModelView(BaseModel):
    """A model as shown."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    kind: Kind
    provider: str
    name: str
    model_name: str
    base_url: str | None
    credential_hint: str | None
    parameters: dict[str, Any]
    version: str
    capabilities: Capabilities = Field(description="What was set by hand; the rest is usual for the model.")
    concurrency: int | None
    health_check: HealthCheck | None
    fallback_policy_id: UUID | None
    dimensions: int | None
    is_default: bool
    last_check: CheckResult | None
    gates: GatesView | None = Field(description="Null: the gates are the default ones.")
    created_at: datetime
    updated_at: datetime

    @computed_field(description="What it counts as able to do, all of it.")
    @property
    def abilities(self) -> Capabilities:
        return Abilities.usual(self.kind, self.model_name, self.capabilities, self.parameters).shown()


class RemoteModels(BaseModel):
    """The model names a vendor's list offers."""

    names: list[str]


class VendorName(BaseModel):
    """Words in both languages of the page."""

    en: str
    zh: str


class Offering(BaseModel):
    """What a vendor has of one kind: example models, voices and sizes. It may have more."""

    kind: Kind
    models: list[str]
    voices: list[str]
    sizes: list[str]


class Preset(BaseModel):
    """A vendor of the catalogue, so that only the key must be typed. `kinds` tells what it offers here."""

    id: str
    name: str
    names: VendorName
    group: Literal["international", "china", "local"]
    base_url: str = Field(description="Empty: everybody's own.")
    regions: dict[str, str] = Field(description="Its addresses by region, where it has several.")
    needs_key: bool
    key_format: str | None = Field(description="How a key of several parts is written.")
    lists_models: bool
    docs: str
    note: VendorName | None
    kinds: list[Kind]
    example_models: dict[Kind, str]
    offers: list[Offering]
