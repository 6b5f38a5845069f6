"""From a model's row to its descriptor."""

from collections.abc import Mapping, Sequence
from typing import Any, cast
from uuid import UUID

from pydantic import HttpUrl

from refdesk.gateway.descriptors.document import DeclaredCapabilities, Descriptor, Measured
from refdesk.gateway.descriptors.forms import INPUT_SCHEMAS, OUTPUT_SCHEMAS
from refdesk.gateway.descriptors.yaml_text import write_documents
from refdesk.gateway.kinds import Kind
from refdesk.gateway.routing.capabilities import Abilities, Capabilities
from refdesk.gateway.routing.checks import HealthCheck
from refdesk.gateway.schemas import Parameters
from refdesk.gateway.tables import Model


def describe(model: Model, policy_names: Mapping[UUID, str]) -> Descriptor:
    """The descriptor of a row; what was never set by hand is what is usual for its kind and name."""
    abilities = Abilities.of(model)
    stored = Capabilities.model_validate(model.capabilities or {})
    kind = cast(Kind, model.kind)
    measured = None
    if kind == "EMBEDDING" and model.dimensions:
        measured = Measured(dimensions=model.dimensions, calibration=model.calibration)
    # Not validated again: a row that an earlier version took must come out, whatever this one asks for.
    return Descriptor.model_construct(
        model_id=model.name,
        version=model.version,
        kind=kind,
        provider=model.provider,
        model_name=model.model_name,
        endpoint=HttpUrl(model.base_url) if model.base_url else None,
        credential="entered" if model.credential is not None else "none",
        health_check=HealthCheck.of(model.health_check) if model.health_check is not None else None,
        capabilities=DeclaredCapabilities(
            supports_streaming=abilities.streaming,
            tool_calling_supported=abilities.tools,
            max_context_length=abilities.context_tokens,
            supports_images=stored.supports_images,
            structured_output=stored.structured_output,
            max_output_tokens=stored.max_output_tokens,
        ),
        concurrency=model.concurrency,
        fallback_policy_id=(
            policy_names.get(model.fallback_policy_id) if model.fallback_policy_id is not None else None
        ),
        parameters=Parameters.model_validate(model.parameters),
        input_schema=_schema(model.input_schema, INPUT_SCHEMAS[kind]),
        output_schema=_schema(model.output_schema, OUTPUT_SCHEMAS[kind]),
        undeclared_output=model.undeclared_output,
        is_default=model.is_default,
        measured=measured,
    )


def _schema(stored: dict[str, Any] | None, usual: dict[str, Any]) -> dict[str, Any]:
    """The usual one where it is that: the database does not keep the order of members."""
    return usual if stored is None or stored == usual else stored


def as_yaml(descriptors: Sequence[Descriptor]) -> str:
    """One document a model."""
    return write_documents([one.written() for one in descriptors])
