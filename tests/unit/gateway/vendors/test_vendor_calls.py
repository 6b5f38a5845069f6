"""Every vendor of the catalogue against its own fixture: what is sent where, and what its refusals mean.

A fixture (`fixtures/ID.json`) holds what the vendor's public documentation shows: the paths of its kinds,
how the key goes along, a typical answer, and the bodies of its refusals. They are written by hand for these
tests; the calls go over real HTTP to a scripted server that stands where the vendor's would.
"""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from refdesk.gateway import (
    CompletionRequest,
    Message,
    ModelAuthentication,
    ModelContextExceeded,
    ModelError,
    ModelNotThere,
    ModelQuota,
    ModelRateLimited,
)
from refdesk.gateway.building import ClientBuilder
from refdesk.gateway.content import ImagePart
from refdesk.gateway.media import (
    PictureQuestion,
    PictureRequest,
    Recording,
    SpeechFormat,
    SpeechRequest,
    TranscriptionRequest,
    VideoRequest,
)
from refdesk.gateway.probing import seal
from refdesk.gateway.tables import Model
from refdesk.gateway.vendors import Vendor, vendors
from refdesk.gateway.wires import COMPLETION_WIRES, EMBEDDING_WIRES
from refdesk.gateway.wires.pictures import DIALECTS as PICTURES
from refdesk.gateway.wires.reranking import SHAPES
from refdesk.gateway.wires.speech import SPEAKERS, TRANSCRIBERS
from refdesk.gateway.wires.video import DIALECTS as VIDEOS
from refdesk.kit.crypto import Cipher
from refdesk.kit.http import guarded_client
from refdesk.kit.ids import new_id
from refdesk.testing.scripted_media import PICTURE, FilmStudio, paints, speaks, transcribes
from refdesk.testing.scripted_model import Reply, ScriptedModel, body, scripted_model
from refdesk.testing.scripted_reranker import reranks_any

FIXTURES = {
    path.stem: json.loads(path.read_text("utf-8"))
    for path in sorted((Path(__file__).parent / "fixtures").glob("*.json"))
}
ERRORS: dict[str, type[ModelError]] = {
    "authentication": ModelAuthentication,
    "quota": ModelQuota,
    "rate_limit": ModelRateLimited,
    "context": ModelContextExceeded,
    "model": ModelNotThere,
}
SOCKETS = {"iflytek-speech"}
"""Vendors that speak WebSocket, each with a server and tests of its own."""
CALLS = [(name, kind) for name, fixture in FIXTURES.items() for kind in fixture["paths"]]
REFUSALS = [(name, told["sort"]) for name, fixture in FIXTURES.items() for told in fixture["refusals"]]


@pytest.fixture
async def server() -> AsyncIterator[ScriptedModel]:
    async with scripted_model() as model:
        yield model


@pytest.fixture
async def builder() -> AsyncIterator[ClientBuilder]:
    async with guarded_client(allow_private=True) as client:
        yield ClientBuilder(client, Cipher(b"k" * 32))


def row(builder: ClientBuilder, server: ScriptedModel, name: str, kind: str) -> Model:
    """A model of the vendor, at the scripted server in place of the vendor's host."""
    host = urlsplit(server.base_url).netloc
    path = urlsplit(vendors()[name].address or "http://own/v1").path
    model = Model(
        id=new_id(),
        kind=kind,
        provider=name,
        name="scripted",
        model_name="scripted",
        base_url=f"http://{host}{path}",
        parameters={"timeout_s": 5},
    )
    seal(builder.cipher, model, FIXTURES[name]["key"])
    return model


async def called(builder: ClientBuilder, model: Model) -> Any:
    """One call of the model's kind; what came back, in short."""
    match model.kind:
        case "LLM":
            request = CompletionRequest([Message("user", "Say ready")])
            return (await builder.completer(model).complete(request)).text
        case "EMBEDDING":
            return (await builder.remote_embedder(model).embed_queries(["ready"]))[0].tolist()
        case "RERANKER":
            return await builder.reranker(model).rerank("ready", ["ready", "not"], timeout_s=5)
        case "STT":
            request = TranscriptionRequest(Recording(b"RIFF"))
            return (await builder.transcriber(model).transcribe(request)).text
        case "TTS":
            async with builder.speaker(model).speak(SpeechRequest("Ready")) as stream:
                assert b"".join([part async for part in stream.parts])
                return stream.media_type
        case "IMAGE":
            question = PictureQuestion("What is it?", [ImagePart.of_bytes(PICTURE)])
            return (await builder.picture_reader(model).understand(question)).text
        case "TTI":
            return (await builder.painter(model).paint(PictureRequest("Waves", timeout_s=5)))[0].media_type
        case _:
            picture = ImagePart.of_bytes(PICTURE) if model.kind == "ITV" else None
            return await builder.filmmaker(model).submit(VideoRequest("Waves", picture))


def well_behaved(found: Vendor, kind: str) -> Reply | None:
    """A good answer of the vendor's dialect; None leaves it to the scripted server's own."""
    wire: Any = found.kinds[kind].wire  # pyright: ignore[reportArgumentType]
    match kind:
        case "STT":
            return transcribes("Ready.", wire)
        case "TTS":
            return speaks(wire)
        case "TTI":
            return paints(wire, inline=False)
        case "TTV" | "ITV":
            return FilmStudio(wire)
        case "RERANKER":
            return reranks_any
        case _:
            return None


def test_every_vendor_has_a_fixture_and_every_kind_of_it_a_path() -> None:
    assert set(FIXTURES) == set(vendors()) - SOCKETS
    assert len(FIXTURES) >= 28
    for name, found in vendors().items():
        if name in SOCKETS:
            continue
        assert set(found.kinds) == set(FIXTURES[name]["paths"]), name
        # What a vendor charges for nothing, or lets anybody in to, cannot be refused.
        lacking = set(ERRORS) - {told["sort"] for told in FIXTURES[name]["refusals"]}
        assert found.group == "local" or not lacking, name


def test_every_wire_of_the_catalogue_is_there() -> None:
    known = {
        "LLM": COMPLETION_WIRES,
        "IMAGE": COMPLETION_WIRES,
        "EMBEDDING": EMBEDDING_WIRES,
        "RERANKER": (*SHAPES, "any"),
        "STT": TRANSCRIBERS,
        "TTS": SPEAKERS,
        "TTI": PICTURES,
        "TTV": VIDEOS,
        "ITV": VIDEOS,
    }
    for found in vendors().values():
        for kind, offer in found.kinds.items():
            assert offer.wire in known[kind], (found.id, kind)


@pytest.mark.parametrize(("name", "kind"), CALLS)
async def test_a_call_goes_where_the_vendor_wants_it_with_its_key(
    server: ScriptedModel, builder: ClientBuilder, name: str, kind: str
) -> None:
    if (reply := well_behaved(vendors()[name], kind)) is not None:
        server.always(reply)
    await called(builder, row(builder, server, name, kind))
    sent = server.requests[0]
    assert sent.method == "POST"
    assert sent.path.partition("?")[0] == FIXTURES[name]["paths"][kind]
    header, value = FIXTURES[name]["header"]
    if name == "gemini" and kind == "TTI":  # the one kind of Gemini's over the compatible wire
        header, value = "authorization", f"Bearer {FIXTURES[name]['key']}"
    assert sent.headers[header].startswith(value)
    if (name, kind) != ("tei", "RERANKER"):  # it serves one model and asks for no name
        assert "scripted" in str(sent.body) + sent.path


@pytest.mark.parametrize("name", list(FIXTURES))
async def test_a_typical_answer_of_the_vendor_is_read(
    server: ScriptedModel, builder: ClientBuilder, name: str
) -> None:
    success = FIXTURES[name]["success"]
    server.always(body(success["reply"]))
    read = await called(builder, row(builder, server, name, success["kind"]))
    assert read == (pytest.approx(success["reads"]) if success["kind"] == "EMBEDDING" else success["reads"])


@pytest.mark.parametrize(("name", "sort"), REFUSALS)
async def test_a_refusal_is_told_as_what_it_is_in_the_vendors_words(
    server: ScriptedModel, builder: ClientBuilder, name: str, sort: str
) -> None:
    told = next(one for one in FIXTURES[name]["refusals"] if one["sort"] == sort)
    server.always(body(told["body"], status=told["status"], headers=told.get("headers")))
    model = row(builder, server, name, FIXTURES[name]["success"]["kind"])
    with pytest.raises(ModelError) as caught:
        await called(builder, model)
    assert type(caught.value) is ERRORS[sort], caught.value.details
    assert words_of(told["body"]) in caught.value.details["vendor_message"]
    assert FIXTURES[name]["key"] not in str(caught.value.details)


def words_of(told: Any) -> str:
    """The vendor's sentence in a refusal, whatever its form."""
    if isinstance(told, str):
        return told
    inner = told.get("error", told.get("base_resp", told))
    if isinstance(inner, str):
        return inner
    return str(inner.get("message") or inner.get("status_msg") or inner.get("detail"))


async def test_a_voice_is_asked_only_for_a_format_it_has(
    server: ScriptedModel, builder: ClientBuilder
) -> None:
    server.always(speaks())
    cases: tuple[tuple[str, SpeechFormat, str], ...] = (
        ("zhipu", "mp3", "wav"),
        ("zhipu", "pcm", "pcm"),
        ("openai", "flac", "flac"),
    )
    for name, wanted, got in cases:
        speaker = builder.speaker(row(builder, server, name, "TTS"))
        async with speaker.speak(SpeechRequest("Ready", format=wanted)):
            assert server.requests[-1].body["response_format"] == got


async def test_an_address_of_another_region_or_ones_own_stays_what_it_is(
    server: ScriptedModel, builder: ClientBuilder
) -> None:
    bailian = vendors()["bailian"]
    abroad = bailian.regions["intl"]
    assert bailian.url_for("STT", abroad) == "https://dashscope-intl.aliyuncs.com/api/v1"
    assert bailian.url_for("LLM", abroad) == abroad
    assert bailian.url_for("STT", "http://proxy.example/my/path") == "http://proxy.example/my/path"
    assert vendors()["gemini"].models_url("https://generativelanguage.googleapis.com") == (
        "https://generativelanguage.googleapis.com/v1beta/models"
    )
    assert vendors()["openai"].models_url("https://api.openai.com/v1") == "https://api.openai.com/v1/models"


def test_the_catalogue_is_complete_enough_to_choose_from() -> None:
    for found in vendors().values():
        assert found.docs.startswith("https://"), found.id
        assert all((found.name.en, found.name.zh)), found.id
        for kind, offer in found.kinds.items():
            assert offer.models or found.id == "openai-compatible", (found.id, kind)
        if found.regions:
            assert found.address in found.regions.values(), found.id
