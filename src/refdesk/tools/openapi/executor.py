"""Calling an operation of an HTTP interface."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin

import httpx

from refdesk.kit.http import ResponseTooLarge, read_limited
from refdesk.tools.openapi.operations import Operation
from refdesk.tools.openapi.replies import readable
from refdesk.tools.openapi.requests import Auth, Prepared, prepare, same_origin
from refdesk.tools.redacting import redacted
from refdesk.tools.servers.caller_headers import Telling, as_headers, facts_of
from refdesk.tools.spec import ToolCaller, ToolFault, ToolResult

_MOST_REDIRECTS = 3
_SAID_CHARS = 300
_LARGE_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class HttpTool:
    """One tool. The client refuses addresses by the setting of the process and follows no redirect itself."""

    client: httpx.AsyncClient
    operation: Operation
    base_url: str
    auth: Auth
    tells_caller: Telling
    timeout_s: float
    max_result_chars: int
    max_bytes: int

    async def call(self, arguments: Mapping[str, Any], caller: ToolCaller) -> ToolResult:
        """Raises `AddressRefused`, `HttpToolFailed`; an error status is a result with a fault."""
        request = prepare(self.operation, self.base_url, arguments, self.auth)
        told = as_headers(facts_of(caller, self.tells_caller))
        request_headers = {**request.headers, **told}
        try:
            return await self._send(request, request_headers)
        except httpx.TimeoutException:
            message = f"The interface did not answer within {self.timeout_s:g} seconds."
            return self._fault("tool-timeout", message, request)
        except ResponseTooLarge:
            message = f"The interface sent more than {self.max_bytes // 1024} KB."
            return self._fault("tool-result-too-large", message, request)
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            message = f"The interface cannot be reached: {type(error).__name__}."
            return self._fault("http-tool-failed", message, request)

    async def _send(self, request: Prepared, headers: Mapping[str, str]) -> ToolResult:
        url, method, content = request.url, request.method, request.content
        timeout = httpx.Timeout(self.timeout_s, connect=min(10.0, self.timeout_s))
        for _ in range(_MOST_REDIRECTS + 1):
            async with self.client.stream(
                method, url, headers=headers, content=content, timeout=timeout
            ) as response:
                if not response.has_redirect_location:
                    return await self._read(response, request)
                target = urljoin(url, response.headers["location"])
                # Elsewhere the credentials must not go, and a change is not made twice.
                if not same_origin(url, target) or not self.operation.read_only:
                    message = f"The interface points elsewhere (status {response.status_code})."
                    return self._fault("http-tool-failed", message, request, response.status_code)
                url = target
        return self._fault("http-tool-failed", "The interface points from one address to another.", request)

    async def _read(self, response: httpx.Response, request: Prepared) -> ToolResult:
        body = await read_limited(response, self.max_bytes)
        kind = response.headers.get("content-type", "")
        given = (body, kind, response.charset_encoding, self.max_result_chars)
        # Cutting a megabyte of JSON to size takes 0.2 s.
        large = len(body) > _LARGE_BYTES
        text, data, is_cut = await asyncio.to_thread(readable, *given) if large else readable(*given)
        hidden = list(self.auth.secrets.values())
        text, data = redacted(text, hidden), redacted(data, hidden)
        details = {"status": response.status_code, "url": redacted(request.shown_url, hidden)}
        fault = None
        if response.status_code >= 400:
            said = f": {text[:_SAID_CHARS]}" if text else ""
            fault = ToolFault(
                "http-status", f"The interface answered with status {response.status_code}{said}"
            )
        elif not text:
            text = f"(status {response.status_code}, no content)"
        return ToolResult(text, data, fault, is_cut, details=details)

    def _fault(self, code: str, message: str, request: Prepared, status: int | None = None) -> ToolResult:
        details: dict[str, Any] = {"url": redacted(request.shown_url, list(self.auth.secrets.values()))}
        if status is not None:
            details["status"] = status
        return ToolResult("", fault=ToolFault(code, message), details=details)
