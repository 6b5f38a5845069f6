"""Tool servers at the border. Secrets go in and come out as masks only."""

from datetime import datetime
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, SecretStr, StringConstraints, model_validator

from refdesk.kit.border_types import CleanJson, CleanText, Name, PlainLine
from refdesk.tools.servers.config import VARIABLE_NAME
from refdesk.tools.servers.target import Transport

Asks = Literal["changes", "always", "never"]
VariableName = Annotated[str, StringConstraints(pattern=VARIABLE_NAME, max_length=100)]
Secret = Annotated[SecretStr, Field(max_length=8_000)]
ToolName = Annotated[PlainLine, StringConstraints(min_length=1, max_length=200)]


class VariableDraft(BaseModel):
    """A value for `${name}`. A secret without a value keeps the one it has; a personal one has no value here:
    each person enters their own."""

    model_config = ConfigDict(extra="forbid")

    name: VariableName
    value: Secret | None = None
    is_secret: bool = True
    is_per_user: bool = False


class ToolSetting(BaseModel):
    """How one tool is treated; null leaves it to the server's settings."""

    model_config = ConfigDict(extra="forbid")

    is_active: bool = True
    ask_first: bool | None = None


class NewToolServer(BaseModel):
    """`config` is `{url, headers, oauth, tells_caller}` or `{command, args, env, cwd, tells_caller}`; in it
    `${NAME}` is the value of a variable. Literal secrets in it become variables."""

    model_config = ConfigDict(extra="forbid")

    name: Name
    transport: Transport
    config: CleanJson
    variables: list[VariableDraft] = Field(default=[], max_length=100)
    bearer_token: Secret | None = Field(
        default=None, description="Sent as `Authorization: Bearer …`; kept sealed."
    )
    is_active: bool = True
    timeout_s: float = Field(default=30.0, ge=0.1, le=600, description="Longest time of one call.")
    connect_timeout_s: float = Field(default=10.0, ge=0.1, le=60)
    max_result_chars: int = Field(default=20_000, ge=100, le=1_000_000)
    asks: Asks = Field(
        default="changes",
        description="When a person must agree to a call: if the tool may change something, always, or never.",
    )
    tool_settings: dict[ToolName, ToolSetting] = Field(default={}, max_length=500)


class ToolServerDraft(NewToolServer):
    """Settings to try before they are saved."""

    server_id: UUID | None = Field(
        default=None, description="A saved server whose secrets are used where none are given."
    )


class ToolServerChange(BaseModel):
    """What changes; a field that is left out stays."""

    model_config = ConfigDict(extra="forbid")

    name: Name | None = None
    transport: Transport | None = None
    config: CleanJson | None = Field(default=None, description="All settings, in place of the former.")
    variables: list[VariableDraft] | None = Field(
        default=None, max_length=100, description="All variables, in place of the former."
    )
    bearer_token: Secret | None = None
    is_active: bool | None = None
    timeout_s: float | None = Field(default=None, ge=0.1, le=600)
    connect_timeout_s: float | None = Field(default=None, ge=0.1, le=60)
    max_result_chars: int | None = Field(default=None, ge=100, le=1_000_000)
    asks: Asks | None = None
    tool_settings: dict[ToolName, ToolSetting] | None = Field(
        default=None, max_length=500, description="Settings of these tools; others stay."
    )

    @model_validator(mode="after")
    def _require_values(self) -> Self:
        for name in self.model_fields_set:
            if getattr(self, name) is None:
                raise ValueError(f"{name} must not be null; leave it out to keep it")
        return self


class PastedServers(BaseModel):
    """`text` is JSON such as `{"mcpServers": {"orders": {"url": "https://…"}}}`."""

    model_config = ConfigDict(extra="forbid")

    text: CleanText = Field(max_length=256 * 1024)


class VariableView(BaseModel):
    """`shown` is the value, or the mask of a secret; null if there is none yet."""

    name: str
    is_secret: bool
    is_per_user: bool
    shown: str | None


class HealthView(BaseModel):
    """How the last attempt to list the server's tools went."""

    state: Literal["connected", "failed"]
    code: str | None = None
    message: str | None = None
    hint: str | None = None
    at: datetime
    took_ms: float
    tools: int = 0


class ServerToolView(BaseModel):
    """A tool of a server. `ask_first` is what holds, `setting` what was chosen for this tool."""

    id: str
    name: str
    title: str
    description: str
    parameters: dict[str, Any]
    read_only: bool
    is_active: bool
    ask_first: bool
    setting: ToolSetting | None


class LeftOutTool(BaseModel):
    """A tool that cannot be offered, and why."""

    name: str
    reason: str


class ToolServerView(BaseModel):
    """A tool server with what it offered last."""

    id: UUID
    name: str
    transport: Transport
    config: dict[str, Any]
    variables: list[VariableView]
    is_active: bool
    timeout_s: float
    connect_timeout_s: float
    max_result_chars: int
    asks: Asks
    health: HealthView | None
    server: str = Field(description="Name and version the server gives itself.")
    tools: list[ServerToolView]
    left_out: list[LeftOutTool]
    resources: list[dict[str, str]]
    prompts: list[dict[str, str]]
    needs_own_values: bool = Field(description="Whether each person must enter credentials of their own.")
    has_own_values: bool = Field(description="Whether the caller has entered them.")
    sign_in: Literal["none", "needed", "done"] = Field(
        description="Whether somebody must sign in at the authorization server."
    )
    created_at: datetime


class ToolServerCheck(BaseModel):
    """How connecting and listing went."""

    ok: bool
    code: str | None
    message: str | None
    hint: str | None
    took_ms: float
    server: str
    protocol: str
    tools: list[ServerToolView]
    left_out: list[LeftOutTool]
    resources: list[dict[str, str]]
    prompts: list[dict[str, str]]


class PastedServerOutcome(BaseModel):
    """What became of one pasted server."""

    name: str
    server: ToolServerView | None
    code: str | None = None
    message: str | None = None


class PastedServersOutcome(BaseModel):
    """What became of each, in their order."""

    items: list[PastedServerOutcome]


class OwnValues(BaseModel):
    """The caller's own values of a server's personal variables."""

    model_config = ConfigDict(extra="forbid")

    values: dict[VariableName, Secret] = Field(max_length=100)


class SignIn(BaseModel):
    """Where the browser goes to sign in."""

    address: str
