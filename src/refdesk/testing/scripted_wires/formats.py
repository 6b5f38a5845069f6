"""The formats by name, and the one that a request is written in."""

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from refdesk.testing.scripted_wires import anthropic, bedrock, cohere, google, openai
from refdesk.testing.scripted_wires.turn import Turn


@dataclass(frozen=True, slots=True)
class Format:
    """How a kind of server writes. `stream` gives the frames of a stream, `whole` the JSON of an answer in
    one piece, `error` that of a refusal, `stream_error` the frame of a failure within a stream."""

    name: str
    stream_type: str
    stream: Callable[[Turn], list[bytes]]
    whole: Callable[[Turn], dict[str, Any]]
    error: Callable[[int, str, str | None], dict[str, Any]]
    stream_error: Callable[[str, str | None], bytes]


def _of(name: str, module: ModuleType) -> Format:
    return Format(name, module.STREAM_TYPE, module.stream, module.whole, module.error, module.stream_error)


FORMATS: dict[str, Format] = {
    "openai": _of("openai", openai),
    "anthropic": _of("anthropic", anthropic),
    "google": _of("google", google),
    "cohere": _of("cohere", cohere),
    "bedrock": _of("bedrock", bedrock),
}


def format_of(path: str) -> Format:
    """The format that is spoken at a path."""
    path = path.partition("?")[0]
    if path.endswith(("/messages", ":rawPredict", ":streamRawPredict")):
        return FORMATS["anthropic"]
    if path.endswith(("GenerateContent", ":generateContent")):
        return FORMATS["google"]
    if path.endswith(("/converse", "/converse-stream")):
        return FORMATS["bedrock"]
    if path.endswith("/chat"):
        return FORMATS["cohere"]
    return FORMATS["openai"]


def wants_stream(path: str, body: Any) -> bool:
    """Whether a request asks for a stream: by its path with some, by a member with others."""
    path = path.partition("?")[0]
    if format_of(path).name in ("google", "bedrock"):
        return path.endswith(("streamGenerateContent", "/converse-stream"))
    return bool(body and body.get("stream"))


def asked(path: str, body: Any) -> str:
    """The words of the last message of a request."""
    if format_of(path).name == "google":
        return _words(body["contents"][-1]["parts"])
    return _words(body["messages"][-1]["content"])


def _words(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(part["text"]) for part in content or () if "text" in part)
