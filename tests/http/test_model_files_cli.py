"""`refdesk models` with files: out, checked, in, described, keyed, called; and servers of this machine."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.http.test_models_cli import Run, data, run, server  # noqa: F401 - fixtures

from refdesk.testing.scripted_model import Reply, Request, ScriptedModel, Send, body, refuses, says

LISTED = {"data": [{"id": "qwen3", "max_model_len": 40_960}]}


def lists_and(reply: Reply) -> Reply:
    """A server that lists one model (health checks ask for the list, too) and replies so to all else."""

    async def replied(request: Request, send: Send) -> None:
        await (body(LISTED) if request.path.endswith("/models") else reply)(request, send)

    return replied


@pytest.fixture(autouse=True)
def listing(server: ScriptedModel) -> None:  # noqa: F811
    server.always(lists_and(says("ready")))


def models(run: Run, *words: str) -> str:  # noqa: F811
    result = run("models", *words)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_server_of_this_machine_is_connected_in_one_step(run: Run, server: ScriptedModel) -> None:  # noqa: F811
    told = models(run, "local", "vllm:qwen3", "--url", server.base_url, "--model-id", "mine")
    assert "mine is ready: it answered in" in told
    [described] = json.loads(models(run, "list", "model_id:mine", "--json"))
    assert described["provider"] == "vllm"
    assert described["capabilities"]["max_context_length"] == 40_960
    assert described["health_check"]["path"] == "models"
    server.always(lists_and(says("hello back")))
    assert models(run, "invoke", "mine", "hello").strip() == "hello back"
    wrong = run("models", "invoke", "mine", "--input", '{"prompt": "x", "temperature": "hot"}')
    assert wrong.exit_code == 2
    assert "input.temperature: must be of the type number, not a string" in wrong.output


def test_a_server_that_does_not_answer_is_told(run: Run, server: ScriptedModel) -> None:  # noqa: F811
    server.always(lists_and(refuses(500, "out of memory")))
    result = run("models", "local", "ollama:qwen3", "--url", server.base_url)
    assert result.exit_code == 1
    assert "qwen3 is connected, but does not answer" in result.output
    nothing = run("models", "local", "./missing.gguf")
    assert nothing.exit_code == 2
    assert "./missing.gguf is no file and none of ollama:NAME" in nothing.output


def test_models_are_files(run: Run, server: ScriptedModel, tmp_path: Path) -> None:  # noqa: F811
    text = models(run, "describe", "qwen3", "--url", server.base_url, "--model-id", "filed")
    assert "max_context_length: 40960" in text
    file = tmp_path / "models.yaml"
    file.write_text(text, encoding="utf-8")
    assert models(run, "import", str(file), "--dry-run").strip() == "filed: new"
    assert models(run, "import", str(file)).strip() == "filed: new"
    changed = text.replace("version: '1'", "version: '2'").replace("credential: none", "credential: entered")
    file.write_text(changed, encoding="utf-8")
    refused = run("models", "import", str(file))
    assert refused.exit_code == 2
    assert "filed is there already and differs in version" in refused.output
    told = models(run, "import", str(file), "--replace").splitlines()
    assert told == ["filed: changed (version)", "  enter its key: refdesk models key 'filed'"]
    file.write_text(changed.replace("kind: LLM", "kind: LLN"), encoding="utf-8")
    checked = run("models", "import", str(file), "--dry-run")
    assert checked.exit_code == 2
    assert "Line 4: kind: should be 'LLM', 'EMBEDDING'" in checked.output
    out = tmp_path / "out.yaml"
    models(run, "export", "filed", "--output", str(out))
    assert "model_id: filed" in out.read_text()
    assert "multilingual" not in models(run, "export")


def test_a_key_is_entered_and_never_an_argument(
    run: Run,  # noqa: F811
    server: ScriptedModel,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = models(run, "describe", "qwen3", "--url", server.base_url, "--model-id", "keyed")
    file = tmp_path / "models.yaml"
    file.write_text(text, encoding="utf-8")
    models(run, "import", str(file))
    asked: list[Any] = []
    monkeypatch.setattr("refdesk.cli.models._ask_for_key", lambda: asked.append(1) or "sk-secret-12345678")
    told = models(run, "key", "keyed")
    assert "keyed has the key" in told
    assert "secret" not in told
    assert asked == [1]
    assert "credential: entered" in models(run, "export", "keyed")
