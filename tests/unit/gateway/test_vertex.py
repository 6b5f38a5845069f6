"""Vertex AI over real HTTP: service accounts, their tokens, and Gemini and Claude below a project."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from pydantic import ValidationError

from refdesk.gateway import (
    CompletionRequest,
    Message,
    ModelAuthentication,
    ModelError,
    ModelUnavailable,
)
from refdesk.gateway.building import ClientBuilder
from refdesk.gateway.calls import Finished, TextDelta, UsageReport
from refdesk.gateway.probing import seal
from refdesk.gateway.schemas import Endpoint
from refdesk.gateway.tables import Model
from refdesk.gateway.wires import Connection, fitted
from refdesk.gateway.wires.google import accounts as tokens
from refdesk.kit.crypto import Cipher
from refdesk.kit.http import guarded_client
from refdesk.kit.ids import new_id
from refdesk.testing.scripted_google_accounts import ScriptedAccounts, paths_of
from refdesk.testing.scripted_model import ScriptedModel, Turn, embeddings, refuses, says, scripted_model

BELOW = "/v1/projects/sample-project/locations/global"
ASKED = CompletionRequest([Message("system", "Be brief."), Message("user", "Say ready")], timeout_s=5)


@pytest.fixture
async def server() -> AsyncIterator[ScriptedModel]:
    async with scripted_model() as model:
        yield model


@pytest.fixture
def accounts(server: ScriptedModel) -> ScriptedAccounts:
    found = ScriptedAccounts.at(server.root)
    server.always(found.guarding(says(Turn("Ready.", input_tokens=7, output_tokens=2))))
    return found


@pytest.fixture
async def builder() -> AsyncIterator[ClientBuilder]:
    async with guarded_client(allow_private=True) as client:
        yield ClientBuilder(client, Cipher(b"k" * 32))


def row(
    builder: ClientBuilder, server: ScriptedModel, key: str, *, provider: str = "vertex", kind: str = "LLM"
) -> Model:
    names = {"vertex": "gemini-2.5-flash", "vertex-anthropic": "claude-sonnet-4-5@20250929"}
    model = Model(
        id=new_id(),
        kind=kind,
        provider=provider,
        name="scripted",
        model_name="gemini-embedding-001" if kind == "EMBEDDING" else names[provider],
        base_url=server.root,
        parameters={"timeout_s": 5},
    )
    seal(builder.cipher, model, key)
    return model


@pytest.mark.parametrize(
    ("provider", "path", "streamed"),
    [
        (
            "vertex",
            "/publishers/google/models/gemini-2.5-flash:generateContent",
            "/publishers/google/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
        ),
        (
            "vertex-anthropic",
            "/publishers/anthropic/models/claude-sonnet-4-5@20250929:rawPredict",
            "/publishers/anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict",
        ),
    ],
)
async def test_models_answer_below_the_accounts_project_whole_and_streamed(
    server: ScriptedModel,
    accounts: ScriptedAccounts,
    builder: ClientBuilder,
    provider: str,
    path: str,
    streamed: str,
) -> None:
    completer = builder.completer(row(builder, server, accounts.key_file, provider=provider))
    whole = await completer.complete(ASKED)
    assert (whole.text, whole.usage) == ("Ready.", UsageReport(7, 2))
    events = [event async for event in completer.stream(ASKED)]
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == "Ready."
    assert events[-1] == Finished("stop")
    assert paths_of(server.requests) == [BELOW + path, BELOW + streamed]
    assert accounts.asked == 1
    if provider == "vertex-anthropic":
        sent = server.requests[-1].body
        assert "model" not in sent
        assert (sent["anthropic_version"], sent["stream"], sent["system"]) == (
            "vertex-2023-10-16",
            True,
            "Be brief.",
        )
        assert "anthropic-version" not in server.requests[-1].headers


async def test_vectors_and_their_tokens(
    server: ScriptedModel, accounts: ScriptedAccounts, builder: ClientBuilder
) -> None:
    server.always(accounts.guarding(embeddings(lambda text: [1.0, float(len(text))])))
    model = row(builder, server, accounts.key_file, kind="EMBEDDING")
    heard: list[UsageReport] = []
    embedder = replace(builder.remote_embedder(model), on_usage=heard.append)
    vectors = await embedder.embed_passages(["a", "bbb"])
    assert (vectors[:, 1] / vectors[:, 0]).tolist() == pytest.approx([1, 3])
    # This model takes one text at a time.
    assert paths_of(server.requests) == [BELOW + "/publishers/google/models/gemini-embedding-001:predict"] * 2
    assert sum(report.input_tokens for report in heard) == 2


async def test_one_token_serves_many_calls_at_once_and_is_renewed_before_its_end(
    server: ScriptedModel,
    accounts: ScriptedAccounts,
    builder: ClientBuilder,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    completer = builder.completer(row(builder, server, accounts.key_file))
    await asyncio.gather(*(completer.complete(ASKED) for _ in range(8)))
    assert accounts.asked == 1
    began = tokens.time.monotonic()
    monkeypatch.setattr(tokens.time, "monotonic", lambda: began + 3600 - tokens.EARLY_S - 60)
    await completer.complete(ASKED)
    assert accounts.asked == 1
    monkeypatch.setattr(tokens.time, "monotonic", lambda: began + 3600 - tokens.EARLY_S + 60)
    await completer.complete(ASKED)
    assert accounts.asked == 2
    assert server.requests[-1].headers["authorization"] == f"Bearer {accounts.tokens[1]}"


async def test_while_the_token_server_is_away_the_old_token_serves_to_its_end(
    server: ScriptedModel,
    accounts: ScriptedAccounts,
    builder: ClientBuilder,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    completer = builder.completer(row(builder, server, accounts.key_file))
    await completer.complete(ASKED)
    accounts.is_down = True
    began = tokens.time.monotonic()
    monkeypatch.setattr(tokens.time, "monotonic", lambda: began + 3500)
    assert (await completer.complete(ASKED)).text == "Ready."
    monkeypatch.setattr(tokens.time, "monotonic", lambda: began + 3700)
    with pytest.raises(ModelUnavailable):
        await completer.complete(ASKED)


async def test_a_token_that_is_refused_is_not_used_again(
    server: ScriptedModel, accounts: ScriptedAccounts, builder: ClientBuilder
) -> None:
    completer = builder.completer(row(builder, server, accounts.key_file))
    await completer.complete(ASKED)
    accounts.tokens.clear()  # withdrawn at the vendor
    with pytest.raises(ModelAuthentication):
        await completer.complete(ASKED)
    assert (await completer.complete(ASKED)).text == "Ready."
    assert accounts.asked == 2


async def test_what_the_token_server_says_is_told_without_the_key(
    server: ScriptedModel, accounts: ScriptedAccounts, builder: ClientBuilder
) -> None:
    accounts.refuses = ("invalid_grant", f"Invalid JWT Signature of {accounts.private_key}")
    completer = builder.completer(row(builder, server, accounts.key_file))
    with pytest.raises(ModelAuthentication) as caught:
        await completer.complete(ASKED)
    assert caught.value.details["vendor_message"].startswith("invalid_grant: Invalid JWT Signature")
    shown = repr(caught.value) + str(caught.value.details) + repr(completer)
    assert accounts.private_key[40:80] not in shown
    assert paths_of(server.requests) == []


@pytest.mark.parametrize("spoiled", ["private_key", "client_email"])
async def test_a_key_that_is_not_the_accounts_is_refused(
    server: ScriptedModel, accounts: ScriptedAccounts, builder: ClientBuilder, spoiled: str
) -> None:
    told = json.loads(accounts.key_file) | {spoiled: "someone-else"}
    with pytest.raises(ModelAuthentication):
        await builder.completer(row(builder, server, json.dumps(told))).complete(ASKED)
    assert not accounts.tokens


async def test_a_token_never_stands_in_an_error(
    server: ScriptedModel, accounts: ScriptedAccounts, builder: ClientBuilder
) -> None:
    completer = builder.completer(row(builder, server, accounts.key_file))
    await completer.complete(ASKED)
    server.always(accounts.guarding(refuses(500, f"cannot use {accounts.tokens[0]}")))
    with pytest.raises(ModelError) as caught:
        await completer.complete(ASKED)
    assert accounts.tokens[0] not in str(caught.value.details)
    assert "cannot use ya2******" in caught.value.details["vendor_message"]


async def test_a_file_without_its_members_is_refused_by_name(
    server: ScriptedModel, builder: ClientBuilder
) -> None:
    with pytest.raises(ModelAuthentication) as caught:
        builder.completer(row(builder, server, '{"type":"authorized_user"}'))
    assert "client_email" in str(caught.value.hint_text)


@pytest.mark.parametrize(
    ("address", "placed"),
    [
        (
            "https://us-central1-aiplatform.googleapis.com",
            "/v1/projects/sample-project/locations/us-central1",
        ),
        ("https://aiplatform.googleapis.com", "/v1/projects/sample-project/locations/global"),
        ("https://aiplatform.eu.rep.googleapis.com/v1beta1", "/v1beta1/projects/sample-project/locations/eu"),
        ("https://h.example/v1/projects/p/locations/l", "/v1/projects/p/locations/l"),
    ],
)
async def test_the_location_is_that_of_the_address(
    accounts: ScriptedAccounts, address: str, placed: str
) -> None:
    async with guarded_client(allow_private=True) as client:
        connection = fitted("vertex", Connection(client, address, accounts.key_file), "m")
        assert connection.base_url.partition("//")[2].partition("/")[2] == placed[1:]


def test_the_file_is_taken_as_it_is_pasted_and_kept_on_one_line(accounts: ScriptedAccounts) -> None:
    assert "\n" in accounts.key_file
    entered = Endpoint.model_validate({"provider": "vertex", "api_key": accounts.key_file})
    assert entered.api_key is not None
    kept = entered.api_key.get_secret_value()
    assert "\n" not in kept
    assert json.loads(kept) == json.loads(accounts.key_file)
    with pytest.raises(ValidationError) as caught:
        Endpoint.model_validate({"provider": "vertex", "api_key": accounts.key_file[:-4]})
    assert "whole file" in str(caught.value)
    assert "PRIVATE KEY" not in str(caught.value)
