"""What commands print: results for people or as JSON, errors as one line or as JSON."""

import json
import sys
from typing import Any

from refdesk.kit.errors import AppError


def print_json(value: Any) -> None:
    """`value` as JSON on standard output, Chinese readable, one value a call."""
    print(json.dumps(value, ensure_ascii=False, indent=2, default=str))  # noqa: T201


def say(text: str) -> None:
    """A line for people on standard output, at once even into a pipe."""
    print(text, flush=True)  # noqa: T201


def note(text: str) -> None:
    """A remark beside the result: standard error."""
    print(text, file=sys.stderr, flush=True)  # noqa: T201


def report_error(error: AppError, *, as_json: bool) -> None:
    """`{"error": {code, message, hint}}` on standard output, or lines for people on standard error."""
    if as_json:
        described = {"code": error.code, "message": error.text, "hint": error.hint_text}
        print_json({"error": described | ({"details": error.details} if error.details else {})})
        return
    note(f"refdesk: {error.text} [{error.code}]")
    for name, value in error.details.items():
        text = str(value)
        note(f"  {name}: {text}" if "\n" not in text else f"  {name}:\n    " + text.replace("\n", "\n    "))
    if error.hint_text:
        note(f"  {error.hint_text}")
