"""A workspace with models behind scripted servers, and gateways of one or several processes over it."""

from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from refdesk.accounts import Role, Scope
from refdesk.accounts.tables import Workspace
from refdesk.gateway import CompletionRequest, Gateway, Message, Notice, Purpose, TextDelta
from refdesk.gateway.routing import FallbackPolicy
from refdesk.gateway.tables import Model
from refdesk.kit.crypto import Cipher
from refdesk.kit.database import Database
from refdesk.kit.ids import new_id
from refdesk.kit.settings import Settings

CIPHER = Cipher(b"k" * 32)
QUESTION = CompletionRequest([Message("user", "How long is the warranty?")], timeout_s=10.0)


@dataclass
class Routed:
    """One workspace. `gateway()` is a process of its own as far as the gateway is concerned."""

    database: Database
    scope: Scope
    settings: Settings
    gateways: list[Gateway] = field(default_factory=list[Gateway])

    def gateway(self) -> Gateway:
        made = Gateway(self.settings, self.database, CIPHER)
        self.gateways.append(made)
        return made

    async def model(self, base_url: str, name: str = "primary", **members: Any) -> UUID:
        row = Model(
            id=new_id(),
            workspace_id=self.scope.workspace_id,
            kind="LLM",
            provider="openai-compatible",
            name=name,
            model_name=f"{name}-1",
            base_url=base_url,
            parameters={},
            is_default=False,
        )
        for key, value in members.items():
            setattr(row, key, value)
        async with self.database.transaction() as session:
            session.add(row)
        return row.id

    async def policy(self, *rules: dict[str, Any], policy_id: str = "policy") -> UUID:
        row = FallbackPolicy(
            id=new_id(), workspace_id=self.scope.workspace_id, policy_id=policy_id, rules=list(rules)
        )
        async with self.database.transaction() as session:
            session.add(row)
        return row.id

    async def change(self, model_id: UUID, **members: Any) -> None:
        async with self.database.transaction() as session:
            row = await session.get_one(Model, model_id)
            for key, value in members.items():
                setattr(row, key, value)


def switch(target: UUID | str, condition: str = "response_code >= 500", **members: Any) -> dict[str, Any]:
    return {"condition": condition, "action": "switch_to_model", "target_model_id": str(target)} | members


@asynccontextmanager
async def routed_workspace(database: Database, data_dir: Any):
    workspace = Workspace(id=new_id(), name="Routing")
    async with database.transaction() as session:
        session.add(workspace)
    made = Routed(database, Scope(workspace.id, None, Role.OWNER, "session"), Settings(data_dir=data_dir))
    try:
        yield made
    finally:
        for gateway in made.gateways:
            await gateway.close()


@dataclass
class Heard:
    """What a caller of a stream heard."""

    text: str = ""
    notices: list[Notice] = field(default_factory=list[Notice])
    error: Exception | None = None

    @property
    def codes(self) -> list[str]:
        return [notice.code for notice in self.notices]


async def listen(
    gateway: Gateway,
    scope: Scope,
    model_id: UUID,
    request: CompletionRequest = QUESTION,
    purpose: Purpose = Purpose("answer"),
) -> Heard:
    """Ask with a stream and keep what was heard; `restarted` takes the text back, as callers do."""
    heard = Heard()
    completer = await gateway.completer(scope, model_id, purpose)
    try:
        async for event in completer.stream(request):
            if isinstance(event, TextDelta):
                heard.text += event.text
            elif isinstance(event, Notice):
                heard.notices.append(event)
                if event.code == "restarted":
                    heard.text = ""
    except Exception as error:  # noqa: BLE001 — what was raised is what the test looks at
        heard.error = error
    return heard
