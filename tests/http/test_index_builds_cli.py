"""`refdesk kb reindex`: another embedding model, from the first paragraph to the way back."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from typer.testing import CliRunner, Result

from refdesk.accounts import Scope
from refdesk.cli import build_app
from refdesk.gateway import Gateway
from refdesk.kit.settings import get_settings
from refdesk.testing.embedder import HashingEmbedder

type Run = Callable[..., Result]


@pytest.fixture
def run(
    tmp_path_factory: pytest.TempPathFactory, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Run]:
    async def instant(self: Gateway, scope: Scope, model_id: UUID, purpose: object = None) -> HashingEmbedder:
        return HashingEmbedder(model_id, 384)

    monkeypatch.setattr(Gateway, "embedder", instant)
    for name in [name for name in os.environ if name.startswith("REFDESK_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("REFDESK_DATA_DIR", str(tmp_path_factory.mktemp("data")))
    monkeypatch.setenv("REFDESK_DATABASE_URL", database_url)
    yield lambda *words: CliRunner().invoke(build_app("kb"), ["kb", *words])
    get_settings.cache_clear()


def done(result: Result, exit_code: int = 0) -> Any:
    assert result.exit_code == exit_code, result.output
    return json.loads(result.stdout)


def test_model_is_changed_compared_switched_and_switched_back(run: Run, tmp_path: Path) -> None:
    model = "multilingual-e5-small"  # the same is allowed: what is behind its name may have changed
    (tmp_path / "a.md").write_text("# Lamp\n\nThe lamp is lit, see ERR-1042.\n\n# Bell\n\nThe bell rings.")
    done(run("create", "Shelf", "--json"))
    done(run("add", "Shelf", str(tmp_path), "--wait", "--json"))
    built = done(run("reindex", "Shelf", "--model", model, "--json"))
    assert (built["state"], built["progress_done"], built["behind"]) == ("built", 2, 0)
    assert built["comparison"]["questions"] == 0
    refused = run("reindex", "Shelf", "--model", model, "--json")
    assert refused.exit_code != 0
    assert "index-build-exists" in refused.output
    switched = done(run("reindex", "Shelf", "--switch", "--json"))
    assert switched["state"] == "switched"
    (tmp_path / "late.md").write_text("# Late\n\nThe ferry leaves at dawn.")
    done(run("add", "Shelf", str(tmp_path / "late.md"), "--wait", "--json"))
    found = done(run("search", "Shelf", "ferry at dawn", "--json"))
    assert found["hits"][0]["content"] == "The ferry leaves at dawn."
    returned = done(run("reindex", "Shelf", "--back", "--json"))
    assert (returned["state"], returned["behind"]) == ("built", 0)
    found = done(run("search", "Shelf", "ferry at dawn", "--json"))
    assert found["hits"][0]["content"] == "The ferry leaves at dawn."
    shown = run("reindex", "Shelf")
    assert shown.stdout.startswith("built  ")
    done(run("reindex", "Shelf", "--discard", "--json"))
    nothing = run("reindex", "Shelf")
    assert nothing.exit_code != 0
    assert "--model" in nothing.output


def test_built_and_switched_with_one_command(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Lamp\n\nThe lamp is lit.")
    done(run("create", "Second", "--json"))
    done(run("add", "Second", str(tmp_path), "--wait", "--json"))
    switched = done(run("reindex", "Second", "--model", "multilingual-e5-small", "--switch", "--json"))
    assert switched["state"] == "switched"
    assert run("reindex", "Second", "--switch", "--back").exit_code != 0
