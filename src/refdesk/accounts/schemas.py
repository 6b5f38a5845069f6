"""What accounts takes from and gives to the outside, as JSON. Secrets appear once, when they are made."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, SecretStr, StringConstraints

from refdesk.accounts.scope import Permission
from refdesk.kit.border_types import Name, printable

RoleName = Literal["viewer", "editor", "owner"]
ResourceKind = Literal["application", "knowledge_base"]


Email = Annotated[
    str,
    StringConstraints(
        strip_whitespace=True,
        to_lower=True,
        min_length=3,
        max_length=320,
        pattern=r"^[^@\s]+@[^@\s]+$",
    ),
    AfterValidator(printable),
]
Locale = Annotated[str, StringConstraints(pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$", max_length=16)]
Password = Annotated[SecretStr, Field(min_length=1, max_length=1000)]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class SetupStatus(BaseModel):
    """Whether the first administrator is still to be made."""

    required: bool


class SetupRequest(_Body):
    token: str = Field(min_length=1, max_length=200)
    email: Email
    name: Name
    password: Password
    locale: Locale | None = None


class SignInRequest(_Body):
    email: Email
    password: Password


class PasswordChange(_Body):
    current_password: Password
    new_password: Password


class UserView(BaseModel):
    """A person. `is_pending`: invited, no password yet."""

    id: UUID
    email: str
    name: str
    is_administrator: bool
    is_active: bool
    is_pending: bool
    locale: str | None
    last_login_at: datetime | None
    created_at: datetime


class WorkspaceView(BaseModel):
    """A workspace and the caller's role in it (`owner` for administrators)."""

    id: UUID
    name: str
    role: RoleName
    created_at: datetime


class SessionView(BaseModel):
    """Who the caller is. `user` is null for the local operator, `csrf_token` for all but cookies."""

    via: Literal["session", "api_key", "operator"]
    user: UserView | None
    csrf_token: str | None
    workspaces: Sequence[WorkspaceView]
    workspace_id: UUID | None = Field(description="The workspace used when none is named.")
    permissions: Sequence[Permission]
    expires_at: datetime | None


class UserPatch(_Body):
    """Changes to a user. Everyone may change their own `name` and `locale`."""

    name: Name | None = None
    locale: Locale | None = None
    is_active: bool | None = None
    is_administrator: bool | None = None


class InvitationRequest(_Body):
    """An invitation to the current workspace. Only administrators may set `is_administrator`."""

    email: Email
    name: Name | None = None
    role: RoleName = "viewer"
    is_administrator: bool = False


class LinkedPerson(BaseModel):
    """Whom a link is for. An owner who invites learns no more of an account than other members do."""

    id: UUID
    email: str
    name: str
    is_pending: bool


class LinkView(BaseModel):
    """A one-time link, as a path of this server. Null where the user can sign in already."""

    user: LinkedPerson
    link: str | None
    expires_at: datetime | None


class InvitationView(BaseModel):
    email: str
    name: str
    purpose: Literal["invitation", "reset"]
    expires_at: datetime


class RedeemRequest(_Body):
    password: Password
    name: Name | None = None
    locale: Locale | None = None


class WorkspaceRequest(_Body):
    name: Name


class MemberRequest(_Body):
    """A user who has an account already; others are invited."""

    email: Email
    role: RoleName = "viewer"


class MemberPatch(_Body):
    role: RoleName


class MemberView(BaseModel):
    user_id: UUID
    email: str
    name: str
    role: RoleName
    is_active: bool
    is_pending: bool
    is_administrator: bool
    created_at: datetime


class GroupRequest(_Body):
    name: Name


class GroupView(BaseModel):
    id: UUID
    name: str
    member_ids: Sequence[UUID]
    created_at: datetime


class KeyResource(_Body):
    """The one thing a key is bound to."""

    kind: ResourceKind
    id: UUID


class ApiKeyRequest(_Body):
    name: Name
    scopes: Annotated[list[Permission], Field(min_length=1, max_length=4)]
    expires_at: AwareDatetime | None = None
    resource: KeyResource | None = None


class ApiKeyView(BaseModel):
    """A key without its secret; `prefix` is the secret's beginning."""

    id: UUID
    name: str
    prefix: str
    scopes: Sequence[Permission]
    resource: KeyResource | None
    created_by: UUID | None
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None
    created_at: datetime


class ApiKeyCreated(BaseModel):
    """The only time the secret is shown."""

    secret: str
    api_key: ApiKeyView


class AuditView(BaseModel):
    id: UUID
    workspace_id: UUID | None
    actor_id: UUID | None
    actor: str
    action: str
    target_kind: str | None
    target_id: UUID | None
    details: dict[str, Any]
    created_at: datetime
