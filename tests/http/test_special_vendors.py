"""Vendors with ways of their own, connected, tested and called as a person or a program would."""

import base64
from typing import Any

from tests.http.test_model_trials import connect, forget, tried
from tests.http.world import World, ok, problem

from refdesk.gateway.media_probing import tone
from refdesk.testing.scripted_google_accounts import ScriptedAccounts
from refdesk.testing.scripted_iflytek import scripted_iflytek
from refdesk.testing.scripted_model import says, scripted_model

API = "/api/v1"


async def checked(world: World, model: dict[str, Any]) -> dict[str, Any]:
    return ok(await world.owner.post(f"{API}/models/{model['id']}/check"))


async def test_iflytek_hears_and_speaks(world: World) -> None:
    async with scripted_iflytek() as server:
        entered = {"provider": "iflytek-speech", "base_url": server.base_url, "api_key": server.key}
        ear = await connect(world, server, "STT", **entered, model_name="iat")
        voice = await connect(world, server, "TTS", **entered, model_name="xiaoyan")
        assert (await checked(world, ear))["sample"] == "今天天气怎么样？"
        assert (await checked(world, voice))["ok"]
        sound = base64.b64encode(tone()).decode()
        told = await tried(world, ear, recording={"data": sound, "media_type": "audio/wav", "name": "a.wav"})
        assert told["text"] == "今天天气怎么样？"
        spoken = await world.owner.post(
            "/mcp/invoke", json={"model_id": voice["name"], "input": {"text": "你好"}}
        )
        assert base64.b64decode(ok(spoken)["output"]["data"]) == server.sound
        refused = await world.owner.post(
            f"{API}/models/{ear['id']}/try",
            json={"recording": {"data": "GkXfowQ=", "media_type": "audio/webm", "name": "a"}},
        )
        assert problem(refused, 422, "recording-unsupported")["details"]["media_type"] == "audio/webm"
        server.refuses = (11201, "auth no enough license")
        found = await checked(world, ear)
        assert found["error"]["code"] == "model-quota"
        assert found["error"]["details"]["vendor_message"] == "11201: auth no enough license"
        await forget(world, ear["id"], voice["id"])


async def test_a_service_accounts_file_is_entered_whole_and_never_comes_out(world: World) -> None:
    async with scripted_model() as server:
        accounts = ScriptedAccounts.at(server.root)
        server.always(accounts.guarding(says("Ready.")))
        model = await connect(
            world,
            server,
            "LLM",
            provider="vertex",
            base_url=server.root,
            api_key=accounts.key_file,
            model_name="gemini-2.5-flash",
        )
        assert (await checked(world, model))["sample"] == "Ready."
        shown = (await world.owner.get(f"{API}/models/{model['id']}")).text
        assert "PRIVATE KEY" not in shown
        assert accounts.private_key.splitlines()[1][:20] not in shown
        assert (await tried(world, model, text="Say ready"))["text"] == "Ready."
        accounts.refuses = ("invalid_grant", "Invalid grant: account not found")
        found = await checked(world, model)
        assert (found["ok"], found["error"]["code"]) == (False, "model-authentication")
        assert "account not found" in found["error"]["details"]["vendor_message"]
        await forget(world, model["id"])
