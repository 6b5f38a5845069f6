"""`refdesk ask` with pictures, and its answer as sound."""

import json
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from tests.http.test_knowledge_cli import done
from tests.http.test_models_cli import Run, data, run, server

from refdesk.accounts import Scope
from refdesk.gateway import Gateway
from refdesk.testing.embedder import HashingEmbedder
from refdesk.testing.scripted_media import PICTURE, SOUND
from refdesk.testing.scripted_model import ScriptedModel, answer

__all__ = ["data", "run", "server"]  # the fixtures


@pytest.fixture(autouse=True)
def instant(monkeypatch: pytest.MonkeyPatch) -> None:
    async def embedder(_self: Gateway, _scope: Scope, model_id: UUID, *_: Any) -> HashingEmbedder:
        return HashingEmbedder(model_id, 384)

    monkeypatch.setattr(Gateway, "embedder", embedder)


def test_a_picture_goes_to_the_model_and_the_answer_into_a_file(
    run: Run, server: ScriptedModel, tmp_path: Path
) -> None:
    for kind, name in (("LLM", "gpt-4o-mini"), ("TTS", "tts-1")):
        words = ("--url", server.base_url, "--model-key", "sk-cli-123456789", "--default", "--json")
        done(run("models", "add", "openai", kind, name, *words))
    done(run("kb", "create", "Empty", "--json"))
    picture, sound = tmp_path / "label.png", tmp_path / "answer.mp3"
    picture.write_bytes(PICTURE)
    server.then(answer("What is a TX-2000?"))
    asked = ("ask", "What is this?", "--kb", "Empty", "--picture", str(picture), "--speak", str(sound))
    told = done(run(*asked, "--json"))
    assert told["found"] is False
    assert "data:image/png" in str([request.body for request in server.requests if request.body])
    assert sound.read_bytes() == SOUND
    trace = done(run("trace", told["run_id"], "--json"))
    assert {"retrieve", "empty"} <= {stage["name"] for stage in trace["stages"]}
    lines = run("trace", told["run_id"], "--prompt", "--candidates").stdout
    assert lines.startswith("What is this?\nfinished · ")
    assert "retrieve" in lines


def test_a_picture_that_cannot_be_read_is_told(run: Run, tmp_path: Path) -> None:
    missing = run("ask", "What is this?", "--picture", str(tmp_path / "none.png"), "--json")
    assert done(missing, exit_code=2)["error"]["code"] == "invalid-argument"
    wrong = tmp_path / "wrong.png"
    wrong.write_text("no picture")
    refused = run("ask", "What is this?", "--picture", str(wrong), "--json")
    assert done(refused, exit_code=2)["error"]["code"] == "image-not-understood"


def test_a_question_that_is_not_text_is_refused_in_words(run: Run) -> None:
    # As Python hands over a word of the command line that is not UTF-8.
    refused = run("ask", "what \udcff", "--json")
    assert (refused.exit_code, json.loads(refused.stdout)["error"]["code"]) == (2, "invalid-argument")
