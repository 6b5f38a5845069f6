"""What a call gave, before it is held against a schema, and what is told beside it."""

import base64
import binascii
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from refdesk.gateway.calls import Completion, Notice, UsageReport
from refdesk.gateway.invoking.conversation import call_json
from refdesk.gateway.invoking.errors import ModelInputInvalid, ModelNoOutput


@dataclass(frozen=True, slots=True)
class Result:
    """The output as the gateway makes it, its text, the tokens, and the notices."""

    output: dict[str, Any]
    content: str | None = None
    usage: UsageReport | None = None
    notices: Sequence[Notice] = ()

    @property
    def answered_by(self) -> str | None:
        """The id of the backup that answered, None where the model did that was asked."""
        switched = [one.detail for one in self.notices if one.code == "model-switched"]
        return str(switched[-1]["to_model_id"]) if switched else None


def of_completion(completion: Completion, model: str) -> Result:
    """A chat model's answer. Raises `ModelNoOutput` for one with nothing in it (X52)."""
    if not completion.text.strip() and not completion.tool_calls:
        raise ModelNoOutput(
            f"No output returned: {model} answered with nothing.",
            model=model,
            finish_reason=completion.finish_reason,
        )
    output: dict[str, Any] = {"text": completion.text, "finish_reason": completion.finish_reason}
    if completion.reasoning:
        output["reasoning"] = completion.reasoning
    if completion.tool_calls:
        output["tool_calls"] = [call_json(call) for call in completion.tool_calls]
    if completion.usage is not None:
        output["usage"] = usage_json(completion.usage)
    return Result(output, completion.text, completion.usage, completion.notices)


def usage_json(usage: UsageReport) -> dict[str, int]:
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cached_tokens": usage.cached_tokens,
    }


def warnings_of(notices: Sequence[Notice], left_out: Sequence[str]) -> list[str]:
    """The warnings of `X-MCP-Warning`: one word each, as `context_truncated_to_2048`."""
    found: list[str] = []
    for notice in notices:
        match notice.code:
            case "context-truncated":
                found.append(f"context_truncated_to_{notice.detail['tokens']}")
            case "model-switched":
                found.append(f"model_switched_to_{_word(str(notice.detail['to']))}")
            case "queued":
                continue
            case code:
                found.append(_word(code))
    found += [f"undeclared_output_filtered_{_word(name)}" for name in left_out]
    return list(dict.fromkeys(found))


def _word(text: str) -> str:
    """Letters and digits only: a header takes no others, whatever language a name is in."""
    return re.sub(r"[^A-Za-z0-9_.]+", "_", text).strip("_")[:100] or "other"


def decoded(given: Mapping[str, Any], field: str) -> bytes:
    """The bytes of a base64 field. Raises `ModelInputInvalid`."""
    return decoded_text(str(given[field]), field)


def decoded_text(text: str, field: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ModelInputInvalid(f"input.{field}: is not base64.", faults=[]) from error
