"""A descriptor filled from what a vendor's model list and the catalogue tell of a model.

Vendors' lists differ in what they tell and how they call it; what they do not tell is what is usual for the
kind and the name, as for a model that was entered by hand.
"""

from collections.abc import Mapping
from typing import Any, cast

from refdesk.gateway.descriptors.document import Descriptor
from refdesk.gateway.descriptors.schemas import DraftRequest
from refdesk.gateway.descriptors.writing import describe
from refdesk.gateway.tables import Model
from refdesk.gateway.vendors import vendor

# Groq, OpenRouter, vLLM, Mistral and LM Studio, Gemini, llama.cpp, Cohere.
_CONTEXT = (
    ("context_window",),
    ("context_length",),
    ("max_model_len",),
    ("max_context_length",),
    ("inputTokenLimit",),
    ("meta", "n_ctx"),
    ("meta", "n_ctx_train"),
)
_OUTPUT = (
    ("max_completion_tokens",),
    ("outputTokenLimit",),
    ("top_provider", "max_completion_tokens"),
    ("max_output_tokens",),
)


def draft(asked: DraftRequest, entry: Mapping[str, Any]) -> Descriptor:
    """The descriptor of a model of which the vendor's list has this entry (empty where it has none)."""
    found = vendor(asked.provider)
    # Probes send no key; llama.cpp shows its list without one.
    is_open = not found.needs_key and (asked.api_key is None or found.id == "llama-cpp")
    checks = {"path": "models"} if found.lists_models and is_open else None
    row = Model(
        kind=asked.kind,
        provider=asked.provider,
        name=asked.name or asked.model_name,
        model_name=asked.model_name,
        version="1",
        base_url=asked.address,
        capabilities=told_capabilities(entry),
        health_check=checks,
        parameters={},
        undeclared_output="filter",
        is_default=False,
    )
    descriptor = describe(row, {})
    descriptor.credential = "entered" if asked.api_key is not None or found.needs_key else "none"
    return descriptor


def told_capabilities(entry: Mapping[str, Any]) -> dict[str, Any]:
    """What an entry of a vendor's list tells, under the names of capabilities."""
    told: dict[str, Any] = {}
    for name, paths in (("max_context_length", _CONTEXT), ("max_output_tokens", _OUTPUT)):
        numbers = [value for path in paths if isinstance(value := _at(entry, path), int) and value > 0]
        if numbers:
            told[name] = numbers[0]
    flags: Any = entry.get("capabilities")
    if isinstance(flags, dict):
        names = (("function_calling", "tool_calling_supported"), ("vision", "supports_images"))
        for theirs, ours in names:
            if isinstance(cast("dict[str, Any]", flags).get(theirs), bool):
                told[ours] = flags[theirs]
    parameters: Any = entry.get("supported_parameters")
    if isinstance(parameters, list):
        told["tool_calling_supported"] = "tools" in parameters
        told["structured_output"] = "structured_outputs" in parameters or "response_format" in parameters
    modalities: Any = _at(entry, ("architecture", "input_modalities"))
    if isinstance(modalities, list):
        told["supports_images"] = "image" in modalities
    return told


def _at(entry: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        entry = cast("dict[str, Any]", entry).get(name) if isinstance(entry, dict) else None
    return entry
