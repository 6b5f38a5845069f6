"""`refdesk policies`: from a file to a model that falls back by it, and what would happen."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from refdesk.cli import build_app
from refdesk.kit.settings import get_settings

type Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, database_url: str) -> Iterator[Run]:
    for name in [name for name in os.environ if name.startswith("REFDESK_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("REFDESK_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("REFDESK_DATABASE_URL", database_url)
    get_settings.cache_clear()
    app = build_app({"policies", "models"})
    runner = CliRunner()

    def run(*words: str, code: int = 0) -> Result:
        result = runner.invoke(app, list(words))
        assert result.exit_code == code, result.output
        return result

    yield run
    get_settings.cache_clear()


def written(tmp_path: Path, name: str, **policy: Any) -> str:
    file = tmp_path / name
    file.write_text(json.dumps(policy))
    return str(file)


def test_a_policy_from_a_file_to_its_end(run: Run, tmp_path: Path) -> None:
    for name in ("law-llm-v3", "law-llm-v2"):
        run("models", "add", "openai-compatible", "LLM", name, "--url", "http://127.0.0.1:9/v1")
    rules = [
        {
            "condition": "response_code == 503 || latency > 5000",
            "action": "switch_to_model",
            "target_model_id": "law-llm-v2",
            "retry_times": 2,
        }
    ]
    good = written(tmp_path, "good.json", policy_id="law", rules=rules)
    bad = written(tmp_path, "bad.json", policy_id="law", rules=[rules[0] | {"condition": "latency >"}])
    assert "Rule 1: The condition is not valid" in run("policies", "check", bad, code=1).output
    assert "Good." in run("policies", "check", good).output
    run("policies", "save", good)
    run("policies", "assign", "law-llm-v3", "law")
    assert "law  1 rules  used by law-llm-v3" in run("policies", "list").output
    shown = run("policies", "show", "law").output
    assert "switch to law-llm-v2, asked again 2 times before" in shown
    tried = run("policies", "try", "law-llm-v3", "--code", "503").output
    assert "law-llm-v3 fails with 503 model-unavailable after 100 ms → again" in tried
    assert tried.rstrip().endswith("law-llm-v2 answers.")
    assert "has not begun after 5001 ms" in run("policies", "try", "law-llm-v3", "--after-ms", "7000").output
    assert "refused the key" in run("policies", "try", "law-llm-v3", "--code", "401", code=1).output
    health = json.loads(run("policies", "health", "--json").output)
    assert {item["model"]["name"]: item["policy"] for item in health}["law-llm-v3"] == "law"
    run("policies", "route", "compliance check", "law-llm-v2")
    assert "compliance check  [LLM]  law-llm-v2" in run("policies", "routes").output
    run("policies", "unroute", "compliance check")
    run("policies", "assign", "law-llm-v3")
    run("policies", "delete", "law")
    assert "No fallback policies yet." in run("policies", "list").output
