"""A model descriptor as it is written (X6): one YAML document a model, with everything but its key."""

from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, HttpUrl, field_validator, model_validator

from refdesk.gateway.descriptors.errors import SchemaInvalid
from refdesk.gateway.descriptors.json_schema import check_schema
from refdesk.gateway.kinds import Kind
from refdesk.gateway.routing.checks import HealthCheck
from refdesk.gateway.schemas import Parameters
from refdesk.gateway.vendors import vendors
from refdesk.kit.border_types import CleanJson, Name, PlainLine

EMBEDDED = "embedded"
type Undeclared = Literal["filter", "declare", "refuse"]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class DeclaredCapabilities(_Part):
    """What the model can do. The first three are mandatory; the others, left out, are what is usual."""

    supports_streaming: bool
    tool_calling_supported: bool
    max_context_length: int = Field(ge=1, le=100_000_000, description="In tokens.")
    supports_images: bool | None = None
    structured_output: bool | None = None
    max_output_tokens: int | None = Field(default=None, ge=1, le=100_000_000)


class SameKey(_Part):
    """The key that another model of the workspace has for the same address."""

    same_as: Name = Field(description="The other model's model_id.")


class Measured(_Part):
    """What was measured of an embedding model; without it the model is called when it is taken in."""

    dimensions: int = Field(ge=1, le=65_536)
    calibration: dict[str, Any] | None = None


class Descriptor(_Part):
    """One model. `credential` is `none`, `entered` (it has a key of its own, which is entered on the page or
    by `refdesk models key`) or `{same_as: model_id}`; the key itself never stands here.

    `endpoint` null is the vendor's own address. `undeclared_output`: what becomes of output fields that
    `output_schema` does not name: left out (`filter`), passed on (`declare`) or an error (`refuse`).
    """

    model_id: Name = Field(description="Unique in the workspace; the model's name.")
    version: PlainLine = Field(min_length=1, max_length=32)
    kind: Kind = "LLM"
    provider: PlainLine = Field(max_length=32)
    model_name: PlainLine | None = Field(
        default=None, min_length=1, max_length=200, description="What the vendor calls it."
    )
    endpoint: HttpUrl | None
    credential: Literal["none", "entered"] | SameKey = "none"
    health_check: HealthCheck | None
    capabilities: DeclaredCapabilities
    concurrency: int | None = Field(default=None, ge=1, le=100_000)
    fallback_policy_id: PlainLine | None = Field(default=None, max_length=100)
    parameters: Parameters = Field(default_factory=Parameters)
    input_schema: CleanJson
    output_schema: CleanJson
    undeclared_output: Undeclared = "filter"
    is_default: bool = False
    measured: Measured | None = None

    @field_validator("input_schema", "output_schema")
    @classmethod
    def _is_draft_7(cls, value: dict[str, Any]) -> dict[str, Any]:
        try:
            check_schema(value)
        except SchemaInvalid as error:
            at = f"{error.details['path']}: " if error.details.get("path") else ""
            raise ValueError(f"{at}{error.text}") from error
        return value

    @field_validator("endpoint")
    @classmethod
    def _is_a_base(cls, value: HttpUrl | None) -> HttpUrl | None:
        if value is not None and (value.username or value.password or value.query or value.fragment):
            raise ValueError("give the base address only: no user, query or fragment")
        return value

    @field_validator("provider")
    @classmethod
    def _is_known(cls, value: str) -> str:
        if value not in vendors() and value != EMBEDDED:
            raise ValueError(f"no vendor {value} is in the catalogue")
        return value

    @model_validator(mode="after")
    def _fits_its_vendor(self) -> Self:
        if self.provider == EMBEDDED:
            return self
        vendor = vendors()[self.provider]
        if vendor.offer(self.kind) is None:
            raise ValueError(f"kind: {vendor.name.en} has no models of the kind {self.kind}")
        if self.endpoint is None and not vendor.address:
            raise ValueError("endpoint: is needed, for this vendor has no address of its own")
        return self

    @property
    def address(self) -> str | None:
        """The base URL without a slash at its end."""
        if self.endpoint is not None:
            return str(self.endpoint).rstrip("/")
        return vendors()[self.provider].address if self.provider in vendors() else None

    def written(self) -> dict[str, Any]:
        """As it is put in a file: what is mandatory, then what differs from what is usual."""
        whole = self.model_dump(mode="json")
        whole["capabilities"] = self.capabilities.model_dump(exclude_none=True)
        whole["parameters"] = self.parameters.model_dump(mode="json", exclude_defaults=True)
        if self.health_check is not None:
            named = {"path", "timeout_ms", "interval_ms"}
            check = self.health_check.model_dump(exclude_defaults=True)
            whole["health_check"] = self.health_check.model_dump(include=named) | check
        for name in ("concurrency", "fallback_policy_id", "parameters", "is_default", "measured"):
            if not whole[name]:
                del whole[name]
        return whole
