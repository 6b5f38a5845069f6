"""One model of each wire, over real HTTP to the scripted server."""

from collections.abc import AsyncIterator
from uuid import UUID

import pytest

from refdesk.gateway import CompletionRequest, Message
from refdesk.gateway.wires import (
    COMPLETION_WIRES,
    OPENAI_VARIETIES,
    Connection,
    HttpCompleter,
    build_completer,
    images,
)
from refdesk.kit.http import guarded_client
from refdesk.testing.scripted_model import ScriptedModel, scripted_model

KEY = "sk-test-1234567890abcdef"
SECRETS = {"bedrock": ("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI-K7MDENG-bPxRfiCYEXAMPLEKEY")}
MODEL_ID = UUID(int=7)
# Azure differs in address and authentication, the other varieties of OpenAI's format in single members; what
# Vertex has of its own is tested by itself.
VARIETIES = {*OPENAI_VARIETIES, "vertex", "vertex-anthropic"} - {"azure"}
WIRES = tuple(wire for wire in COMPLETION_WIRES if wire not in VARIETIES)


def key_of(wire: str) -> str:
    return ":".join(SECRETS[wire]) if wire in SECRETS else KEY


def secrets_of(wire: str) -> tuple[str, ...]:
    return SECRETS[wire][1:] if wire in SECRETS else (KEY,)


def ask(text: str = "How long may goods be returned?", **members) -> CompletionRequest:
    return CompletionRequest(
        [Message("system", "Answer from the rules."), Message("user", text)],
        timeout_s=members.pop("timeout_s", 2.0),
        **members,
    )


@pytest.fixture
async def server() -> AsyncIterator[ScriptedModel]:
    async with scripted_model() as running:
        yield running


@pytest.fixture(params=WIRES)
def wire(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def images_on_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Images are fetched from public addresses alone; the scripted server has none."""
    monkeypatch.setattr(images, "public_client", lambda: guarded_client(allow_private=True))


@pytest.fixture
async def completer(wire: str, server: ScriptedModel) -> AsyncIterator[HttpCompleter]:
    async with guarded_client(allow_private=True) as client:
        address = server.base_url if wire == "openai" else server.root
        yield build_completer(
            wire,
            model_id=MODEL_ID,
            model_name="vendor.model-1:0",
            connection=Connection(client, address, key_of(wire)),
            context_tokens=8192,
            defaults={},
        )
