"""`refdesk app intents`, and answering on the command line what the desk asks back."""

import shlex
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from tests.http.test_knowledge_cli import done
from tests.http.test_models_cli import Run, data, run

from refdesk.accounts import Scope
from refdesk.gateway import Gateway
from refdesk.testing.embedder import HashingEmbedder

__all__ = ["data", "run"]  # the fixtures

EXAMPLES = Path(__file__).parents[2] / "examples" / "intents"
TWO_RETURNS = """
intents:
- code: shop
  name: Shop
  children:
  - code: shop-returns
    name: Returns
    kind: SYSTEM
    reply: Within 14 days.
    examples: [send headphones back, return policy of the shop, return my headphones]
- code: lease
  name: Lease
  children:
  - code: lease-returns
    name: Returns
    kind: SYSTEM
    reply: At the end.
    examples: [give the leased car back, return policy of the lease, return my leased car]
"""


@pytest.fixture(autouse=True)
def instant(monkeypatch: pytest.MonkeyPatch) -> None:
    async def embedder(_self: Gateway, _scope: Scope, model_id: UUID, *_: Any) -> HashingEmbedder:
        return HashingEmbedder(model_id, 384)

    monkeypatch.setattr(Gateway, "embedder", embedder)


def test_the_example_is_taken_in_and_shown_as_a_tree(run: Run) -> None:
    done(run("app", "create", "Shop", "--json"))
    path = str(EXAMPLES / "shop.zh.yaml")
    taken = done(run("app", "intents", "import", "Shop", path, "--tool", "order_query=mcp:1:o", "--json"))
    assert (taken["created"], len(taken["warnings"])) == (15, 6)  # there is no such base
    listed = run("app", "intents", "list", "Shop").stdout
    assert "  订单查询  (biz-order-query)  [mcp]" in listed


def test_what_the_desk_asks_is_printed_and_answered_by_a_reply(run: Run, tmp_path: Path) -> None:
    done(run("app", "create", "Two", "--json"))
    file = tmp_path / "two.yaml"
    file.write_text(TWO_RETURNS)
    done(run("app", "intents", "import", "Two", str(file), "--json"))
    asked = done(run("ask", "return policy", "--app", "Two", "--json"))
    assert [one["label"] for one in asked["form"]["options"]] == ["Shop › Returns", "Lease › Returns"]
    conversation = ("--conversation", asked["conversation_id"], "--json")
    chosen = done(run("ask", "--reply", asked["form"]["options"][1]["value"], *conversation))
    assert chosen["answer"] == "At the end."
    later = run("ask", "return policy", "--app", "Two")
    command = next(line for line in later.stderr.splitlines() if line.startswith("Answer with: refdesk "))
    value = asked["form"]["options"][0]["value"]
    words = shlex.split(command.removeprefix("Answer with: refdesk "))
    assert words[-2:] == ["--reply", value]
    assert done(run(*words, "--json"))["answer"] == "Within 14 days."
