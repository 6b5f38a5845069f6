"""What can be wrong with a descriptor, by code: the page says it in the reader's language, all others here.

`{…}` are the facts that a fault has. Faults that the types find are told in pydantic's words with a code of
ours; `other` is what neither knows.
"""

from typing import Any

MESSAGES: dict[str, str] = {
    "not-a-mapping": "a descriptor is a mapping that begins with model_id",
    "missing": "is missing",
    "unknown-field": "is not a field of model descriptors",
    "key-within": "a key never stands in a descriptor: write `credential: entered` and enter it on the"
    " model's page, or `credential: {{same_as: MODEL_ID}}`",
    "version-unquoted": 'must be a text: put it in quotes, as "1.10"',
    "number-out-of-range": "a number in it is out of range",
    "credential-form": "must be none, entered or {{same_as: MODEL_ID}}",
    "described-twice": "{model} is described twice, in documents {first} and {second}",
    "differs": "{model} is there already and differs in {fields}; give another model_id, or allow what is"
    " there to be replaced",
    "policy-unknown": "there is no fallback policy {policy} in this workspace",
    "embedded-not-added": "the embedded model comes with each workspace and cannot be added",
    "embedded-fixed": "{model} is the embedded model, which cannot be changed",
    "id-taken": "another model of the id {model} is there already",
    "kind-fixed": "{model} is of the kind {kind}, which cannot be changed",
    "vectors-name-fixed": "that of an embedding model cannot be changed; add another model",
    "vectors-size-fixed": "those of an embedding model cannot be changed",
    "key-only-described": "{model} has no key to share: it is only described here: take it in first",
    "key-of-nobody": "{model} has no key to share: it is not there",
    "key-not-there": "{model} has no key to share",
    "key-elsewhere": "the key of {model} is for {provider} at {address} only",
    "one-document": "one document describes the model; take several in as a file",
    "fields-not-sent": "input_schema names {fields}, which models of the kind {kind} are not sent: an input"
    " that has it is refused.",
}

_TYPES = {
    "string": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "dict": "mapping",
    "list": "list",
    "model": "mapping",
}
_LIMITS = {
    "greater_than_equal": ("at-least", "ge"),
    "less_than_equal": ("at-most", "le"),
    "string_too_short": ("too-short", "min_length"),
    "string_too_long": ("too-long", "max_length"),
    "literal_error": ("one-of", "expected"),
}


def message_of(code: str, facts: dict[str, str]) -> str:
    """The fault in English."""
    return MESSAGES[code].format(**facts)


def code_of(kind: str, context: dict[str, Any]) -> tuple[str, dict[str, str]]:
    """The code and the facts of a fault that the types found, by pydantic's name for it."""
    if kind in _LIMITS:
        code, name = _LIMITS[kind]
        return code, {"limit": str(context.get(name, ""))}
    subject, _, verb = kind.rpartition("_")
    if verb in ("type", "parsing") and subject in _TYPES:
        return "type", {"wanted": _TYPES[subject]}
    return "other", {}
