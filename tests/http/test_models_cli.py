"""`refdesk models`, as the local operator against a scripted vendor."""

import asyncio
import json
import os
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from refdesk.cli import build_app
from refdesk.kit.settings import get_settings
from refdesk.testing.scripted_media import FILM, PICTURE, SOUND
from refdesk.testing.scripted_model import ScriptedModel, error, scripted_model

_NOTHING = timedelta(0)

type Run = Callable[..., Result]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


@pytest.fixture
def run(data: Path, database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Run `refdesk …` with this module's database and data folder."""
    for name in [name for name in os.environ if name.startswith("REFDESK_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("REFDESK_DATA_DIR", str(data))
    monkeypatch.setenv("REFDESK_DATABASE_URL", database_url)
    monkeypatch.setenv("REFDESK_ALLOW_PRIVATE_ENDPOINTS", "true")
    monkeypatch.setattr("refdesk.cli._models_try.ASK_AGAIN_S", 0.05)
    monkeypatch.setattr("refdesk.gateway.films.desk.ASK_AGAIN_AFTER", _NOTHING)

    def refdesk(*words: str) -> Result:
        return CliRunner().invoke(build_app(words[0]), list(words))

    yield refdesk
    get_settings.cache_clear()


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedModel]:
    """A scripted vendor in a thread of its own: a command has an event loop of its own, too."""
    started: list[ScriptedModel] = []
    ready = threading.Event()
    loop = asyncio.new_event_loop()
    leave = asyncio.Event()

    async def serve() -> None:
        async with scripted_model() as model:
            started.append(model)
            ready.set()
            await leave.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    ready.wait()
    yield started[0]
    loop.call_soon_threadsafe(leave.set)
    thread.join()
    loop.close()


def done(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def added(run: Run, server: ScriptedModel, kind: str) -> str:
    name = f"my {kind}"
    done(
        run(
            *("models", "add", "openai", kind, "scripted", "--name", name),
            *("--url", server.base_url, "--model-key", "sk-cli-123456789", "--json"),
        )
    )
    return name


def test_vendors_are_found_by_name_and_by_kind(run: Run) -> None:
    assert [one["id"] for one in done(run("models", "vendors", "智谱", "--json"))] == ["zhipu"]
    filming = {one["id"] for one in done(run("models", "vendors", "ttv", "--json"))}
    assert {"openai", "zhipu", "bailian", "siliconflow", "volcengine", "minimax"} <= filming
    assert "deepseek" not in filming
    assert run("models", "vendors", "nobody").stdout == "No such vendor.\n"


def test_a_model_is_added_listed_tested_and_removed(run: Run, server: ScriptedModel) -> None:
    name = added(run, server, "LLM")
    assert "my LLM  LLM  openai  scripted" in run("models", "list", "kind:LLM").stdout
    assert run("models", "check", name).stdout.startswith("my LLM answers in ")
    server.then(error(401, "no such key: sk-cli-123456789"))
    failed = run("models", "check", name)
    assert failed.exit_code == 1
    assert "The vendor says: no such key: sk-******789" in failed.stdout
    done(run("models", "delete", name, "--yes", "--json"))
    assert "my LLM" not in run("models", "list").stdout
    assert run("models", "add", "openai", "POEMS", "x").exit_code == 2


def test_every_kind_is_tried_and_what_comes_of_it_is_printed_or_written(
    run: Run, server: ScriptedModel, tmp_path: Path
) -> None:
    names = {kind: added(run, server, kind) for kind in ("LLM", "STT", "TTS", "IMAGE", "TTI", "TTV", "ITV")}
    picture, sound = tmp_path / "in.png", tmp_path / "in.wav"
    picture.write_bytes(PICTURE)
    sound.write_bytes(b"RIFF")
    assert "Hello" in run("models", "try", names["LLM"], "Hello").stdout
    assert run("models", "try", names["STT"], "--file", str(sound)).stdout == "Good morning\n"
    assert "What?" in run("models", "try", names["IMAGE"], "What?", "--file", str(picture)).stdout
    spoken = tmp_path / "out.mp3"
    assert run("models", "try", names["TTS"], "Hello", "--out", str(spoken)).exit_code == 0
    assert spoken.read_bytes() == SOUND
    painted = tmp_path / "out.png"
    assert done(run("models", "try", names["TTI"], "Sea", "--out", str(painted), "--json"))["bytes"] == len(
        PICTURE
    )
    assert painted.read_bytes() == PICTURE
    for kind, more in (("TTV", []), ("ITV", ["--file", str(picture)])):
        film = tmp_path / f"{kind}.mp4"
        made = done(run("models", "try", names[kind], "Sea", *more, "--out", str(film), "--json"))
        assert made["stage"] == "finished"
        assert film.read_bytes() == FILM
    assert "trial-incomplete" in run("models", "try", names["ITV"], "Sea", "--json").stdout
