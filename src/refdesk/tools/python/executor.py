"""Calling a Python tool: its values put together, its code run in the sandbox, its outcome read."""

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from refdesk.tools.python.code import CodeReading
from refdesk.tools.python.program import PROGRAM
from refdesk.tools.redacting import redacted
from refdesk.tools.sandbox import Sandbox, SandboxResult
from refdesk.tools.spec import ToolCaller, ToolFault, ToolResult

_PRINTED_CHARS = 4_000
# What the interpreter itself needs beside the code's own time.
_START_S = 2.0
_STOPPED = {
    "timeout": "The tool did not end within {timeout_s:g} seconds (its own setting).",
    "cpu": "The tool used more than {cpu_s} seconds of the processor.",
    "memory": "The tool used more memory than is allowed.",
    "processes": "The tool started too many processes.",
    "output": "The tool wrote without an end.",
    "disk": "The tool wrote more than is allowed.",
}


@dataclass(frozen=True, slots=True)
class PythonTool:
    """One tool. Secrets are opened for this object's life only, which is one run's at most."""

    sandbox: Sandbox
    code: str
    reading: CodeReading
    defaults: Mapping[str, Any]
    secrets: Mapping[str, str]
    timeout_s: float
    max_result_chars: int

    async def call(self, arguments: Mapping[str, Any], caller: ToolCaller) -> ToolResult:
        """Defaults stand below what the model gave, secrets above. Raises `SandboxUnavailable`."""
        mark = secrets.token_hex(16)
        values = {**self.defaults, **arguments, **self.secrets}
        if "caller" in self.reading.names:
            values["caller"] = identity(caller)
        if not self.reading.takes_any:
            values = {name: value for name, value in values.items() if name in self.reading.names}
        given = {
            "mark": mark,
            "code": self.code,
            "function": self.reading.function,
            "values": values,
            "printed_chars": _PRINTED_CHARS,
        }
        limits = replace(
            self.sandbox.limits,
            timeout_s=self.timeout_s + _START_S,
            cpu_s=int(self.timeout_s) + 2,
            output_bytes=max(256 * 1024, self.max_result_chars * 6),
        )
        result = await self.sandbox.run_python(PROGRAM, limits=limits, stdin=json.dumps(given))
        return self._read(result, mark)

    def _read(self, result: SandboxResult, mark: str) -> ToolResult:
        hidden = list(self.secrets.values())
        details: dict[str, Any] = {"exit_code": result.exit_code, "sandbox_ms": result.elapsed_ms}
        if result.stopped is not None:
            message = _STOPPED[result.stopped].format(timeout_s=self.timeout_s, cpu_s=int(self.timeout_s) + 2)
            code = "tool-timeout" if result.timed_out else "tool-limit-exceeded"
            return ToolResult("", fault=ToolFault(code, message), details=details)
        outcome = _outcome(result.stdout, mark)
        if outcome is None:
            details["stderr"] = redacted(result.stderr[-2_000:], hidden)
            if result.truncated:
                message = "The tool's result is longer than is accepted."
            else:
                message = f"The tool ended without a result (exit code {result.exit_code})."
            return ToolResult("", fault=ToolFault("tool-limit-exceeded", message), details=details)
        if outcome.get("printed"):
            details["printed"] = redacted(str(outcome["printed"]), hidden)
        if not outcome.get("ok"):
            details["line"] = outcome.get("line")
            return ToolResult(
                "", fault=ToolFault("tool-code-failed", redacted(_said(outcome), hidden)), details=details
            )
        data = redacted(outcome.get("result"), hidden)
        text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
        return ToolResult(text, data, details=details)


def identity(caller: ToolCaller) -> dict[str, str | None]:
    """What code that asks for its caller is told: never more than ids and the language."""
    return {
        "user_id": str(caller.scope.user_id) if caller.scope.user_id else None,
        "workspace_id": str(caller.scope.workspace_id),
        "language": caller.language,
    }


def _outcome(output: str, mark: str) -> dict[str, Any] | None:
    for line in reversed(output.splitlines()):
        if line.startswith(mark):
            try:
                found = json.loads(line[len(mark) :])
            except (ValueError, RecursionError):
                return None
            return cast("dict[str, Any]", found) if isinstance(found, dict) else None
    return None


def _said(outcome: Mapping[str, Any]) -> str:
    where = f" (line {outcome['line']})" if outcome.get("line") else ""
    message = str(outcome.get("message") or "").strip()
    return (
        f"{outcome.get('error', 'Error')}{where}: {message}" if message else f"{outcome.get('error')}{where}"
    )
