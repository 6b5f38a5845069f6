"""Who asks, in which workspace, and what they may do there: the argument of every repository."""

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Literal
from uuid import UUID

from refdesk.accounts.errors import BoundKey
from refdesk.kit.errors import Forbidden

Permission = Literal["read", "ask", "write", "manage"]
ALL_PERMISSIONS: frozenset[Permission] = frozenset(("read", "ask", "write", "manage"))


class Role(IntEnum):
    """Workspace roles in rising order; a role may do all that a lower one may."""

    VIEWER = 1
    EDITOR = 2
    OWNER = 3

    @classmethod
    def parse(cls, name: str) -> "Role":
        return cls[name.upper()]

    @property
    def label(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Scope:
    """A caller within one workspace.

    `permissions` narrows what an API key may do below its creator's role; `resource` binds a key to one
    thing, as `("application", id)` or `("knowledge_base", id)`. `via` tells how the caller was recognised;
    `api_key_id` names the key, which keeps the conversations of two keys apart.
    """

    workspace_id: UUID
    user_id: UUID | None
    role: Role
    via: Literal["session", "api_key", "operator", "system"]
    is_administrator: bool = False
    group_ids: frozenset[UUID] = frozenset()
    permissions: frozenset[Permission] = field(default=ALL_PERMISSIONS)
    resource: tuple[str, UUID] | None = None
    actor: str = "system"
    api_key_id: UUID | None = None

    @classmethod
    def system(cls, workspace_id: UUID) -> "Scope":
        """The scope of background work, which acts for the workspace as a whole."""
        return cls(workspace_id=workspace_id, user_id=None, role=Role.OWNER, via="system")

    @classmethod
    def operator(cls, workspace_id: UUID) -> "Scope":
        """The command line on the machine of the data folder."""
        return cls(
            workspace_id=workspace_id,
            user_id=None,
            role=Role.OWNER,
            via="operator",
            is_administrator=True,
            actor="operator",
        )

    def require(self, role: Role, permission: Permission) -> None:
        """Raise `Forbidden` unless the caller has at least `role` and `permission`."""
        if self.role < role or permission not in self.permissions:
            raise Forbidden(needed_role=role.label, needed_permission=permission)

    def require_resource(self, kind: str, resource_id: UUID) -> None:
        """Raise `BoundKey` if the caller's key is bound to something else."""
        if self.resource is not None and self.resource != (kind, resource_id):
            raise BoundKey.of(*self.resource)
