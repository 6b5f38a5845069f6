"""A GGUF file on this machine: really loaded by llama.cpp, really asked over HTTP by the gateway's wire."""

from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import pytest

from refdesk.gateway import CompletionRequest, Finished, Message, ModelAuthentication, TextDelta, UsageReport
from refdesk.gateway.local import LocalModel, LocalModelUnusable, start_local_model
from refdesk.gateway.wires import Connection, build_completer
from refdesk.kit.http import GuardedClient, guarded_client
from refdesk.testing.tiny_gguf import write_tiny_gguf


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> LocalModel:
    path = write_tiny_gguf(tmp_path_factory.mktemp("models") / "tiny.gguf")
    return start_local_model(path, name="tiny", context_tokens=512, threads=1)


@pytest.fixture
async def http() -> AsyncIterator[GuardedClient]:
    async with guarded_client(allow_private=True) as client:
        yield client


async def test_it_answers_and_streams_as_any_other(model: LocalModel, http: GuardedClient) -> None:
    completer = build_completer(
        "openai-local",
        model_id=uuid4(),
        model_name="tiny",
        connection=Connection(client=http, base_url=model.base_url, api_key=model.api_key, timeout_s=30),
        context_tokens=512,
        defaults={},
    )
    request = CompletionRequest([Message("user", "Hello")], max_tokens=8, temperature=0)
    whole = await completer.complete(request)
    assert (whole.finish_reason, bool(whole.text)) == ("length", True)
    events = [event async for event in completer.stream(request)]
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == whole.text
    [usage] = [event for event in events if isinstance(event, UsageReport)]
    assert (usage.output_tokens, usage.input_tokens > 5) == (8, True)
    assert isinstance(events[-1], Finished)


async def test_nobody_asks_it_without_its_key(model: LocalModel, http: GuardedClient) -> None:
    completer = build_completer(
        "openai-local",
        model_id=uuid4(),
        model_name="tiny",
        connection=Connection(client=http, base_url=model.base_url, api_key="guessed", timeout_s=30),
        context_tokens=512,
        defaults={},
    )
    with pytest.raises(ModelAuthentication):
        await completer.complete(CompletionRequest([Message("user", "Hello")]))


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "notes.gguf"
    other.write_bytes(b"not a model")
    with pytest.raises(LocalModelUnusable, match=r"notes\.gguf is not a GGUF file"):
        start_local_model(other, name="x")
    with pytest.raises(LocalModelUnusable, match="cannot be read"):
        start_local_model(tmp_path / "missing.gguf", name="x")
    other.write_bytes(b"GGUF" + b"\x03\x00\x00\x00" + b"\x00" * 16)
    with pytest.raises(LocalModelUnusable, match=r"llama\.cpp cannot serve notes\.gguf"):
        start_local_model(other, name="x")
