"""Stored tools at the border. Secrets go in and come out as masks only."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, SecretStr, StringConstraints, model_validator

from refdesk.kit.border_types import CleanJson, CleanText, Name
from refdesk.tools.openapi.operations import AuthKind, Unsupported
from refdesk.tools.python.code import MAX_CODE_CHARS

ToolName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
SecretName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")]
Title = Annotated[CleanText, StringConstraints(strip_whitespace=True, max_length=200)]
Description = Annotated[CleanText, StringConstraints(strip_whitespace=True, max_length=4_000)]
Code = Annotated[CleanText, StringConstraints(max_length=MAX_CODE_CHARS)]
Url = Annotated[str, StringConstraints(strip_whitespace=True, pattern=r"^https?://[^\s]+$", max_length=2_000)]
Secrets = Annotated[dict[SecretName, SecretStr | None], Field(max_length=50)]


class ToolCommon(BaseModel):
    """What every stored tool has."""

    model_config = ConfigDict(extra="forbid")

    name: ToolName = Field(description="What a model calls it.")
    title: Title = ""
    description: Description = Field(default="", description="Tells a model when to call it, and what for.")
    is_active: bool = True
    ask_first: bool = Field(default=False, description="A person must agree to each call.")
    timeout_s: float = Field(default=30.0, ge=0.1, le=600)
    max_result_chars: int = Field(default=20_000, ge=100, le=200_000)


class NewPythonTool(ToolCommon):
    """`defaults` are values below what a model gives; `secrets` are given to the code and to nobody else."""

    code: Code
    function: ToolName | None = Field(default=None, description="The one to call, where there are several.")
    parameters: CleanJson | None = Field(
        default=None, description="JSON Schema of the arguments; left out, it is read from the code."
    )
    defaults: CleanJson = {}
    secrets: Secrets = {}
    read_only: bool = Field(default=True, description="Calling it changes nothing.")


class StoredToolChange(BaseModel):
    """What changes; a field that is left out stays. Of HTTP tools, code and what belongs to it cannot change.

    In `secrets` null removes one; those that are not named stay.
    """

    model_config = ConfigDict(extra="forbid")

    name: ToolName | None = None
    title: Title | None = None
    description: Description | None = None
    is_active: bool | None = None
    ask_first: bool | None = None
    read_only: bool | None = None
    timeout_s: float | None = Field(default=None, ge=0.1, le=600)
    max_result_chars: int | None = Field(default=None, ge=100, le=200_000)
    code: Code | None = None
    function: ToolName | None = None
    parameters: CleanJson | None = None
    defaults: CleanJson | None = None
    secrets: Secrets | None = None

    @property
    def changes_code(self) -> bool:
        return bool({"code", "function", "parameters", "defaults"} & self.model_fields_set)


class SecretView(BaseModel):
    """A stored secret: its name and how it is shown."""

    name: str
    shown: str


class StoredToolView(BaseModel):
    """A stored tool. `id` is what is chosen for an application as `tool:<id>`."""

    id: UUID
    kind: Literal["python", "http"]
    interface_id: UUID | None
    name: str
    title: str
    description: str
    parameters: dict[str, Any]
    is_active: bool
    read_only: bool
    ask_first: bool
    timeout_s: float
    max_result_chars: int
    code: str | None = None
    function: str | None = None
    defaults: dict[str, Any] = {}
    secrets: list[SecretView] = []
    operation: str | None = Field(default=None, description="`METHOD path` of an HTTP tool.")
    version: int
    created_at: datetime
    updated_at: datetime


class StoredToolVersionView(BaseModel):
    """What a Python tool was before a change."""

    model_config = ConfigDict(from_attributes=True)

    version: int
    code: str
    function: str
    parameters: dict[str, Any]
    defaults: dict[str, Any]
    created_at: datetime


class CodeToRead(BaseModel):
    """Code whose function is asked for."""

    model_config = ConfigDict(extra="forbid")

    code: Code
    function: ToolName | None = None


class CodeView(BaseModel):
    """What the code declares."""

    function: str
    description: str
    parameters: dict[str, Any]


class PythonTrial(BaseModel):
    """Code to try before it is saved. `tool_id`: a stored tool whose secrets are used where none is given."""

    model_config = ConfigDict(extra="forbid")

    code: Code
    function: ToolName | None = None
    parameters: CleanJson | None = None
    defaults: CleanJson = {}
    secrets: Secrets = {}
    arguments: CleanJson = {}
    timeout_s: float = Field(default=30.0, ge=0.1, le=60)
    tool_id: UUID | None = None


class AuthDraft(BaseModel):
    """How an interface is signed in to. `name` is that of the header or the query parameter."""

    model_config = ConfigDict(extra="forbid")

    kind: AuthKind = "none"
    name: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9!#$%&'*+.^_`|~-]{0,100}$")] = ""
    token: SecretStr | None = Field(default=None, max_length=8_000)
    username: SecretStr | None = Field(default=None, max_length=500)
    password: SecretStr | None = Field(default=None, max_length=8_000)

    @model_validator(mode="after")
    def _named(self) -> Self:
        if self.kind in ("header", "query") and not self.name:
            raise ValueError("name the header or the query parameter")
        return self

    def secrets(self) -> dict[str, str]:
        """The secrets that were given."""
        given = {"token": self.token, "username": self.username, "password": self.password}
        return {name: one.get_secret_value() for name, one in given.items() if one is not None}


class DocumentSource(BaseModel):
    """An OpenAPI 3 document: its text, or its address."""

    model_config = ConfigDict(extra="forbid")

    document: CleanText | None = Field(default=None, max_length=2 * 1024 * 1024)
    document_url: Url | None = None

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.document is None) == (self.document_url is None):
            raise ValueError("give the document or its address")
        return self


class OperationView(BaseModel):
    """An operation of a document. `unsupported` says why it cannot be a tool."""

    key: str
    method: str
    path: str
    name: str
    title: str
    description: str
    parameters: dict[str, Any]
    read_only: bool
    deprecated: bool
    unsupported: Unsupported | None
    tool_id: UUID | None = None


class InterfaceDocumentView(BaseModel):
    """What a document says, before anything is saved."""

    title: str
    version: str
    description: str
    base_url: str
    auth_kind: AuthKind
    auth_name: str
    operations: Sequence[OperationView]


class NewToolInterface(DocumentSource):
    """`operations` are the keys of those that become tools. An empty `base_url` is that of the document."""

    name: Name
    description: Description | None = None
    base_url: Url | None = None
    operations: list[Annotated[str, StringConstraints(max_length=2_100)]] = Field(max_length=500)
    auth: AuthDraft = AuthDraft()
    tells_caller: Literal["ids", "full", "none"] = Field(
        default="none", description="Whether the interface is told who asks, as headers `X-Refdesk-…`."
    )
    timeout_s: float = Field(default=30.0, ge=0.1, le=600)


class ToolInterfaceChange(BaseModel):
    """What changes; a field that is left out stays. Secrets that are left out of `auth` stay, unless they
    would go to another server. A document takes the place of the former: tools follow their operations."""

    model_config = ConfigDict(extra="forbid")

    name: Name | None = None
    description: Description | None = None
    base_url: Url | None = None
    auth: AuthDraft | None = None
    tells_caller: Literal["ids", "full", "none"] | None = None
    is_active: bool | None = None
    operations: list[Annotated[str, StringConstraints(max_length=2_100)]] | None = Field(
        default=None, max_length=500
    )
    source: DocumentSource | None = None


class AuthView(BaseModel):
    """How the interface is signed in to; secrets as masks."""

    kind: AuthKind
    name: str
    secrets: list[SecretView]


class ToolInterfaceView(BaseModel):
    """An HTTP interface. All its tools are chosen for an application as `tool:interface:<id>`."""

    id: UUID
    name: str
    description: str
    base_url: str
    document_url: str | None
    auth: AuthView
    tells_caller: Literal["ids", "full", "none"]
    is_active: bool
    operations: Sequence[OperationView]
    created_at: datetime
    updated_at: datetime


def given_secrets(secrets: Mapping[str, SecretStr | None]) -> dict[str, str | None]:
    """Secrets as they were sent."""
    return {name: one.get_secret_value() if one is not None else None for name, one in secrets.items()}
