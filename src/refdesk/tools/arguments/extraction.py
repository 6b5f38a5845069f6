"""The arguments of a call found in what a person said: by one model call, or by rules without a model.

A model's values are checked like anybody's, and identifiers among them must stand in the conversation: an
order number that nobody wrote is left out and asked for. Knows no stage; keeps nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

import structlog

from refdesk.gateway import Completer, CompletionRequest, Message, ModelError, UsageReport
from refdesk.kit.clock import now
from refdesk.tools.arguments.checking import ArgumentFault, Checked, check_arguments
from refdesk.tools.arguments.fields import FormField, Language, form_fields
from refdesk.tools.arguments.instructions import extraction_messages
from refdesk.tools.arguments.reading import Read, read_arguments
from refdesk.tools.arguments.rules import find_values, is_identifier, stands_in
from refdesk.tools.arguments.schemas import properties_of
from refdesk.tools.spec import ToolSpec

log = structlog.get_logger(__name__)

TIMEOUT_S = 20.0
_MAX_TOKENS = 800

Status = Literal["success", "needs_clarification", "failed"]
Way = Literal["none", "model", "rules"]


@dataclass(frozen=True, slots=True)
class Extraction:
    """Arguments of one call. Only with `success` may the tool be called.

    `needs_clarification`: `fields` is the form that asks for what is missing or wrong; `values` holds what is
    already known. `failed`: nothing usable came, and `faults` say why. `way` is who found them, `read` how a
    model's answer was read, `warning` the code of the model's failure after which rules took over.
    """

    status: Status
    values: Mapping[str, Any]
    missing: tuple[str, ...] = ()
    faults: tuple[ArgumentFault, ...] = ()
    dropped: tuple[str, ...] = ()
    way: Way = "none"
    read: str | None = None
    warning: str | None = None
    usage: UsageReport | None = None
    messages: tuple[Message, ...] = ()
    fields: tuple[FormField, ...] = field(default=())


async def extract_arguments(
    completer: Completer | None,
    spec: ToolSpec,
    question: str,
    turns: Sequence[Message] = (),
    language: Language = "en",
    prompt: str | None = None,
    *,
    known: Mapping[str, Any] | None = None,
    today: datetime | None = None,
    timeout_s: float = TIMEOUT_S,
) -> Extraction:
    """Find the arguments of a tool in a question and the conversation before it (oldest first).

    `prompt` is what an intent says of its parameters, added to the instruction. `known` values (from a form)
    stand above what is found. Never raises but when cancelled.
    """
    schema, today = spec.parameters, today or now()
    given = dict(known or {})
    if not properties_of(schema):
        return _judged(check_arguments(given, schema), schema, language, "none")
    said = [*(turn.text for turn in turns if turn.role == "user"), question]
    warning: str | None = None
    usage: UsageReport | None = None
    messages: tuple[Message, ...] = ()
    read: Read | None = None
    if completer is not None:
        messages = extraction_messages(spec, question, turns, language, prompt, today)
        try:
            completion = await completer.complete(
                CompletionRequest(
                    messages,
                    temperature=0.0,
                    max_tokens=_MAX_TOKENS,
                    json_schema=_optional(schema),
                    timeout_s=timeout_s,
                )
            )
        except ModelError as error:
            warning = error.code
        else:
            usage, read = completion.usage, read_arguments(completion.text, schema)
            if read.ok and read.way != "empty":
                checked = _said(check_arguments({**read.values, **given}, schema), schema, said, turns, given)
                found = _judged(checked, schema, language, "model")
                return replace(found, read=read.way, usage=usage, messages=messages)
            warning = None if read.ok else "model-bad-response"
    values = {**find_values(schema, said, today), **given}
    found = _judged(check_arguments(values, schema), schema, language, "rules")
    found = replace(found, warning=warning, usage=usage, messages=messages, read=read.way if read else None)
    if warning == "model-bad-response" and found.status != "success" and not values:
        log.info("tools.arguments-unreadable", tool=spec.id, reason=read.reason if read else None)
        fault = ArgumentFault("", "unreadable", "The model's answer holds no arguments.")
        return replace(found, status="failed", faults=(fault, *found.faults), fields=())
    return found


def _judged(checked: Checked, schema: Mapping[str, Any], language: Language, way: Way) -> Extraction:
    fields = form_fields(schema, (*checked.missing, *(fault.name for fault in checked.faults)), language)
    status: Status = "success" if checked.ok else "needs_clarification" if fields else "failed"
    return Extraction(
        status, checked.values, checked.missing, checked.faults, checked.dropped, way, fields=fields
    )


def _said(
    checked: Checked,
    schema: Mapping[str, Any],
    said: Sequence[str],
    turns: Sequence[Message],
    given: Mapping[str, Any],
) -> Checked:
    """Without the identifiers that stand nowhere in the conversation; a required one is missing then."""
    texts = [*said, *(turn.text for turn in turns)]
    values, faults, missing = dict(checked.values), list(checked.faults), list(checked.missing)
    for name, part in properties_of(schema).items():
        value = values.get(name)
        if value is None or name in given or not is_identifier(name, part) or isinstance(value, list | dict):
            continue
        if not stands_in(str(value), texts):
            del values[name]
            if name in check_arguments(values, schema).missing:
                missing.append(name)
            else:
                faults.append(ArgumentFault(name, "not-said", f"{name} stands nowhere in the conversation."))
    return Checked(values, tuple(missing), tuple(faults), checked.dropped)


def _optional(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema with nothing required: a model that must name a value makes one up."""
    relaxed = {key: value for key, value in schema.items() if key not in ("required", "$schema", "title")}
    return {"type": "object", **relaxed, "additionalProperties": False}
