"""Every kind of model connected, tested and tried over HTTP, against a scripted vendor."""

import base64
import json
from datetime import timedelta
from typing import Any, Protocol
from uuid import UUID

import pytest
from tests.http.world import World, ok, problem

from refdesk.gateway.tables import Model
from refdesk.testing.scripted_media import FILM, PICTURE, SOUND, FilmStudio, fields_of, paints, speaks
from refdesk.testing.scripted_media import transcribes as hears
from refdesk.testing.scripted_model import answer, body, error, refuses, says, scripted_model
from refdesk.testing.scripted_reranker import reranks

API = "/api/v1"
_NO_TIME = timedelta(0)


class Served(Protocol):
    """A scripted server of any kind."""

    @property
    def base_url(self) -> str: ...


async def connect(world: World, server: Served, kind: str, **more: Any) -> dict[str, Any]:
    draft = {
        "kind": kind,
        "name": world.new_name("model"),
        "model_name": "scripted",
        "base_url": server.base_url,
        "api_key": "sk-hidden-12345",
    }
    made: dict[str, Any] = ok(await world.owner.post(f"{API}/models", json=draft | more))
    return made


async def forget(world: World, *model_ids: str) -> None:
    async with world.database.transaction() as session:
        for model_id in model_ids:
            await session.delete(await session.get_one(Model, UUID(model_id)))


def events_in(text: str) -> list[tuple[str, Any]]:
    """Name and data of each event of a stream."""
    frames = [one.split("\ndata: ") for one in text.split("\n\n") if one.startswith("event: ")]
    return [(name.removeprefix("event: "), json.loads(data)) for name, data in frames]


async def tried(world: World, model: dict[str, Any], way: str = "", **asked: Any) -> Any:
    return ok(await world.owner.post(f"{API}/models/{model['id']}/try{way}", json=asked))


async def test_a_chat_model_and_a_reader_of_pictures_answer_with_what_they_used(world: World) -> None:
    async with scripted_model() as server:
        server.always(answer("A small square."))
        chat, reader = await connect(world, server, "LLM"), await connect(world, server, "IMAGE")
        told = await tried(world, chat, text="What is this?")
        assert (told["kind"], told["text"], told["input_tokens"]) == ("LLM", "A small square.", 10)
        picture = base64.b64encode(PICTURE).decode()
        told = await tried(world, reader, text="What is this?", pictures=[picture])
        assert (told["kind"], told["text"]) == ("IMAGE", "A small square.")
        assert picture in str(server.requests[-1].body["messages"])
        assert server.requests[-1].headers["x-request-id"]
        refused = await world.owner.post(f"{API}/models/{reader['id']}/try", json={"text": "What is this?"})
        assert problem(refused, 422, "trial-incomplete")["details"] == {"needed": "pictures"}
        await forget(world, chat["id"], reader["id"])


async def test_a_chat_model_is_seen_writing_and_the_backup_that_answered_is_named(world: World) -> None:
    async with scripted_model() as server, scripted_model() as backup:
        other = await connect(world, backup, "LLM")
        rule = {
            "condition": "response_code == 503",
            "action": "switch_to_model",
            "target_model_id": other["id"],
        }
        draft = {"policy_id": world.new_name("p"), "rules": [rule]}
        policy = ok(await world.owner.post(f"{API}/fallback-policies", json=draft))
        chat = await connect(world, server, "LLM")
        assigned = {"fallback_policy_id": policy["id"]}
        ok(await world.owner.patch(f"{API}/models/{chat['id']}", json=assigned))
        server.then(refuses(503, "down"))
        backup.then(says("Seven days."))
        path = f"{API}/models/{chat['id']}/try/stream"
        events = events_in((await world.owner.post(path, json={"text": "How long?"})).text)
        assert [name for name, _ in events if name == "notice"] == ["notice"]
        assert "".join(data["text"] for name, data in events if name == "delta") == "Seven days."
        name, told = events[-1]
        assert (name, told["text"], told["output_tokens"]) == ("answer", "Seven days.", 5)
        assert told["notices"][0]["detail"]["to"] == other["name"]
        # After the first word a failure is the last event, before it the answer's own status.
        server.then(says("It lasts seven days.", break_after=3))
        events = events_in((await world.owner.post(path, json={"text": "How long?"})).text)
        assert (events[-1][0], events[-1][1]["code"]) == ("problem", "model-interrupted")
        server.then(refuses(401, "no such key"))
        problem(await world.owner.post(path, json={"text": "How long?"}), 502, "model-authentication")
        await forget(world, chat["id"], other["id"])


async def test_an_embedding_model_and_a_reranker_score_texts(world: World) -> None:
    async with scripted_model() as server:
        embedder = await connect(world, server, "EMBEDDING")
        near, far = "refund period", "zzzz qqqq"
        told = await tried(world, embedder, text="refund period", texts=[near, far])
        assert told["dimensions"] == 64
        assert told["scores"][0] > told["scores"][1]
        server.always(reranks("jina"))
        reranker = await connect(world, server, "RERANKER", parameters={"shape": "jina"})
        told = await tried(world, reranker, text="refund period", texts=[near, far])
        assert told["scores"] == [1.0, 0.0]
        await forget(world, embedder["id"], reranker["id"])


async def test_speech_is_written_down(world: World) -> None:
    async with scripted_model() as server:
        server.always(hears("Guten Morgen"))
        model = await connect(world, server, "STT")
        recording = {"data": base64.b64encode(b"RIFF1234").decode(), "name": "a.webm"}
        told = await tried(world, model, recording=recording, language="de")
        assert (told["text"], told["duration_s"]) == ("Guten Morgen", 3.0)
        assert fields_of(server.requests[-1])["file"] == b"RIFF1234"
        await forget(world, model["id"])


async def test_a_recording_larger_than_other_requests_is_taken(world: World) -> None:
    async with scripted_model() as server:
        server.always(hears("Long"))
        model = await connect(world, server, "STT")
        recording = {"data": base64.b64encode(bytes(5 * 1024 * 1024)).decode()}
        assert (await tried(world, model, recording=recording))["text"] == "Long"
        await forget(world, model["id"])


async def test_a_text_is_spoken_and_a_failure_is_told_before_any_sound(world: World) -> None:
    async with scripted_model() as server:
        server.always(speaks())
        model = await connect(world, server, "TTS", parameters={"voice": "nova"})
        path = f"{API}/models/{model['id']}/try/speech"
        spoken = await world.owner.post(path, json={"text": "Good morning"})
        assert (spoken.status_code, spoken.content) == (200, SOUND)
        assert spoken.headers["content-type"] == "audio/mpeg"
        assert server.requests[-1].body["voice"] == "nova"
        server.always(error(402, "Insufficient balance"))
        told = problem(await world.owner.post(path, json={"text": "Good morning"}), 502, "model-quota")
        assert "Insufficient balance" in told["details"]["vendor_message"]
        server.always(body(b"", content_type="audio/mpeg"))
        problem(await world.owner.post(path, json={"text": "Good morning"}), 502, "model-bad-response")
        await forget(world, model["id"])


async def test_a_picture_is_painted(world: World) -> None:
    async with scripted_model() as server:
        server.always(paints())
        model = await connect(world, server, "TTI")
        told = await tried(world, model, "/pictures", prompt="A lighthouse", size="512x512", count=2)
        assert told["pictures"] == [{"media_type": "image/png", "data": base64.b64encode(PICTURE).decode()}]
        assert server.requests[-1].body["n"] == 2
        await forget(world, model["id"])


@pytest.mark.parametrize("kind", ["TTV", "ITV"])
async def test_a_film_is_made_while_it_is_looked_at(
    world: World, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("refdesk.gateway.films.desk.ASK_AGAIN_AFTER", _NO_TIME)
    async with scripted_model() as server:
        server.always(FilmStudio("openai"))
        model = await connect(world, server, kind)
        asked: dict[str, Any] = {"prompt": "Waves"}
        if kind == "ITV":
            missing = await world.owner.post(f"{API}/models/{model['id']}/try/film", json=asked)
            problem(missing, 422, "trial-incomplete")
            asked["picture"] = base64.b64encode(PICTURE).decode()
        made = ok(await world.owner.post(f"{API}/models/{model['id']}/try/film", json=asked))
        film = f"{API}/model-films/{made['id']}"
        problem(await world.owner.get(f"{film}/file"), 409, "film-not-ready")
        stages = [ok(await world.owner.get(film)) for _ in range(4)]
        assert [one["stage"] for one in stages] == ["queued", "running", "finished", "finished"]
        assert stages[1]["progress"] == 0.4
        shown = await world.owner.get(f"{film}/file")
        assert (shown.headers["content-type"], shown.content) == ("video/mp4", FILM)
        listed = ok(await world.owner.get(f"{API}/models/{model['id']}/films"))["items"]
        assert [one["id"] for one in listed] == [made["id"]]
        await forget(world, model["id"])


async def test_a_film_can_be_taken_back_and_stays_so(world: World) -> None:
    async with scripted_model() as server:
        studio = FilmStudio("openai")
        server.always(studio)
        model = await connect(world, server, "TTV")
        made = await tried(world, model, "/film", prompt="Waves")
        film = f"{API}/model-films/{made['id']}"
        assert ok(await world.owner.post(f"{film}/cancel"))["stage"] == "cancelled"
        assert studio.withdrawn == ["/v1/videos/job-1"]
        assert ok(await world.owner.get(film))["stage"] == "cancelled"
        await forget(world, model["id"])


async def test_a_film_that_failed_tells_why_and_one_that_cannot_be_asked_for_waits(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("refdesk.gateway.films.desk.ASK_AGAIN_AFTER", _NO_TIME)
    async with scripted_model() as server:
        server.always(FilmStudio("openai"))
        model = await connect(world, server, "TTV")
        made = await tried(world, model, "/film", prompt="Waves")
        film = f"{API}/model-films/{made['id']}"
        server.always(error(500, "on fire"))
        assert ok(await world.owner.get(film))["stage"] == "queued"
        failure = {"code": "moderation", "message": "Not this."}
        server.always(body({"id": "job-1", "status": "failed", "error": failure}))
        told = ok(await world.owner.get(film))
        assert (told["stage"], told["error"]["code"]) == ("failed", "model-refused")
        assert told["error"]["details"]["vendor_message"] == "moderation: Not this."
        await forget(world, model["id"])


@pytest.mark.parametrize(
    ("kind", "reply"),
    [
        ("STT", hears("…")),
        ("TTS", speaks()),
        ("IMAGE", answer("red")),
        ("TTI", paints()),
        ("TTV", error(404, "no such video")),
        ("ITV", error(404, "no such video")),
    ],
)
async def test_models_of_every_kind_can_be_tested(world: World, kind: str, reply: Any) -> None:
    async with scripted_model() as server:
        server.always(reply)
        model = await connect(world, server, kind)
        assert ok(await world.owner.post(f"{API}/models/{model['id']}/check"))["ok"] is True
        server.always(error(401, "no such key: sk-hidden-12345"))
        checked = ok(await world.owner.post(f"{API}/models/{model['id']}/check"))
        assert (checked["ok"], checked["error"]["code"]) == (False, "model-authentication")
        assert "sk-hidden" not in str(checked)
        await forget(world, model["id"])


@pytest.mark.parametrize(
    ("reply", "is_well"),
    [
        (body({"base_resp": {"status_code": 2013, "status_msg": "invalid params"}}), True),
        (error(400, "no such task"), True),
        (error(500, "on fire"), False),
        (body(b"<html>Welcome</html>", content_type="text/html"), False),
        (body({"base_resp": {"status_code": 1004, "status_msg": "login fail"}}), False),
    ],
)
async def test_a_test_of_films_tells_a_vendor_that_understood_from_one_that_did_not(
    world: World, reply: Any, is_well: bool
) -> None:
    async with scripted_model() as server:
        server.always(reply)
        model = await connect(world, server, "TTV", provider="minimax")
        checked = ok(await world.owner.post(f"{API}/models/{model['id']}/check"))
        assert checked["ok"] is is_well, checked
        await forget(world, model["id"])


async def test_a_vendor_is_chosen_by_its_id_and_brings_its_address(world: World) -> None:
    draft = {"kind": "TTI", "name": world.new_name("model"), "model_name": "cogview-4", "provider": "zhipu"}
    made = ok(await world.owner.post(f"{API}/models", json=draft))
    assert (made["provider"], made["base_url"]) == ("zhipu", "https://open.bigmodel.cn/api/paas/v4")
    refused = await world.owner.post(f"{API}/models", json=draft | {"provider": "groq"})
    assert "no models of that kind" in str(problem(refused, 422, "invalid")["details"])
    azure = draft | {"provider": "azure", "model_name": "gpt-image-1"}
    told = problem(await world.owner.post(f"{API}/models", json=azure), 422, "invalid")
    assert "the name of your own resource" in str(told["details"])
    unknown = await world.owner.post(f"{API}/models", json=draft | {"provider": "nobody"})
    problem(unknown, 422, "invalid")
    shown = ok(await world.viewer.get(f"{API}/model-presets"))["items"]
    zhipu = next(one for one in shown if one["id"] == "zhipu")
    assert (zhipu["group"], zhipu["names"]["zh"]) == ("china", "智谱 AI（GLM）")
    assert "cogview-4" in next(one for one in zhipu["offers"] if one["kind"] == "TTI")["models"]
    await forget(world, made["id"])


LISTS: dict[str, tuple[str, str, Any]] = {
    "openai": ("/v1", "/v1/models", {"object": "list", "data": [{"id": "b-2"}, {"id": "a-1"}]}),
    "anthropic": ("", "/v1/models", {"data": [{"type": "model", "id": "b-2"}, {"id": "a-1"}]}),
    "gemini": ("", "/v1beta/models", {"models": [{"name": "models/b-2"}, {"name": "models/a-1"}]}),
    "cohere": ("/v2", "/v1/models", {"models": [{"name": "b-2", "endpoints": ["chat"]}, {"name": "a-1"}]}),
}


@pytest.mark.parametrize("vendor", list(LISTS))
async def test_a_vendors_list_of_models_is_asked_where_it_lies(world: World, vendor: str) -> None:
    base, path, told = LISTS[vendor]
    async with scripted_model() as server:
        server.always(body(told))
        asked = {"provider": vendor, "base_url": server.root + base, "api_key": "sk-listing-123"}
        found = ok(await world.owner.post(f"{API}/models/list-remote", json=asked))
        assert found["names"] == ["a-1", "b-2"]
        sent = server.requests[0]
        assert (sent.method, sent.path) == ("GET", path)
        assert "sk-listing-123" in str(sent.headers)
        assert vendor != "anthropic" or sent.headers["anthropic-version"]


async def test_where_a_vendor_has_no_list_its_examples_are_told(world: World) -> None:
    found = ok(await world.owner.post(f"{API}/models/list-remote", json={"provider": "zhipu"}))
    assert "cogview-4" in found["names"]
