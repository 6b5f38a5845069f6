"""`refdesk limits` and `refdesk usage`: set, shown, refused, taken from files."""

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
def run(
    tmp_path_factory: pytest.TempPathFactory, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Run]:
    for name in [name for name in os.environ if name.startswith("REFDESK_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("REFDESK_DATA_DIR", str(tmp_path_factory.mktemp("data")))
    monkeypatch.setenv("REFDESK_DATABASE_URL", database_url)
    yield lambda *words: CliRunner().invoke(build_app(words[0]), [*words])
    get_settings.cache_clear()


def done(result: Result, exit_code: int = 0) -> Any:
    assert result.exit_code == exit_code, result.output
    return json.loads(result.stdout)


def test_a_limit_is_set_shown_set_anew_and_removed(run: Run) -> None:
    words = ("limits", "set", "Interns", "--amount", "5", "--window", "1m", "--per", "user")
    made = done(run(*words, "--model", "multilingual-e5-small", "--json"))
    assert (made["amount"], made["window_s"], made["per"]) == (5, 60, ["user"])
    assert made["model_id"]
    anew = done(run("limits", "set", "Interns", "--amount", "9", "--window", "day", "--soft", "--json"))
    assert (anew["id"], anew["window_kind"], anew["is_hard"]) == (made["id"], "day", False)
    assert "9 requests per day  warns only" in run("limits", "list").output
    assert "Nothing used" in run("limits", "show", "Interns").output
    done(run("limits", "delete", "Interns", "--yes", "--json"))
    assert done(run("limits", "list", "--json")) == []


def test_words_that_make_no_limit_end_with_2(run: Run) -> None:
    assert run("limits", "set", "X", "--amount", "5", "--window", "soon").exit_code == 2
    assert run("limits", "set", "X", "--amount", "5", "--window", "1m", "--per", "planet").exit_code == 2
    money = run("limits", "set", "X", "--amount", "5", "--window", "1m", "--measure", "money")
    assert money.exit_code == 2
    assert "currency goes with" in money.output


def test_prices_and_calls_travel_by_file(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "prices.csv"
    file.write_text("model,valid_from,currency,input_per_million\nmultilingual-e5-small,2026-01-01,USD,0.1\n")
    assert done(run("usage", "prices", "import", str(file), "--json"))["added"] == 1
    assert "0.1 in, 0 out USD per million tokens" in run("usage", "prices", "list").output
    done(run("usage", "prices", "export", str(file), "--json"))
    assert "multilingual-e5-small,2026-01-01,USD,0.1,,0,0,0" in file.read_text(encoding="utf-8-sig")
    calls = tmp_path / "calls.csv"
    done(run("usage", "export", str(calls), "--json"))
    assert calls.read_text(encoding="utf-8-sig").startswith("at,model,model_id,kind,path,")


def test_figures_and_settings_are_told(run: Run) -> None:
    assert "Total  0 calls" in run("usage", "figures", "--by", "day").output
    changed = done(run("usage", "settings", "--time-zone", "Asia/Shanghai", "--keep-days", "30", "--json"))
    assert changed == {"time_zone": "Asia/Shanghai", "keep_days": 30}
    assert "30 days" in run("usage", "settings").output
    assert run("usage", "calls", "--failed").output.strip() == "No calls."
