"""People and what lets them in: users, workspaces, roles, groups, sign-ins, API keys, the audit record.

Owns who a caller is and in which workspace they act (`Scope`). Must not know what the workspaces hold: rooms
above hook in with `on_workspace_created` and `key_resources`.
"""

from refdesk.accounts.access import (
    Administrator,
    Asker,
    BoundEditor,
    BoundViewer,
    Editor,
    Owner,
    Viewer,
    bearer_token,
    require_administrator,
    scope_of_key,
    still_admitted,
)
from refdesk.accounts.admissions import Admissions
from refdesk.accounts.audit import audit, audit_installation
from refdesk.accounts.deferred import asker_of, scope_of_asker
from refdesk.accounts.errors import BoundKey
from refdesk.accounts.groups import groups_of_caller
from refdesk.accounts.keys import key_names, key_resources
from refdesk.accounts.passwords import Passwords, check_suitable, use_passwords
from refdesk.accounts.people import NamedGroup, Person, people_and_groups
from refdesk.accounts.recent import RecentCallers
from refdesk.accounts.routes import routers
from refdesk.accounts.scope import ALL_PERMISSIONS, Permission, Role, Scope
from refdesk.accounts.setup import SetupGate, issue_setup_token
from refdesk.accounts.tables import Workspace
from refdesk.accounts.tokens import API_KEY_PREFIX
from refdesk.accounts.workspaces import on_member_removed, on_workspace_created
from refdesk.kit.operator_key import OPERATOR_FILE, load_operator_key

__all__ = [
    "ALL_PERMISSIONS",
    "API_KEY_PREFIX",
    "OPERATOR_FILE",
    "Administrator",
    "Admissions",
    "Asker",
    "BoundEditor",
    "BoundKey",
    "BoundViewer",
    "Editor",
    "NamedGroup",
    "Owner",
    "Passwords",
    "Permission",
    "Person",
    "RecentCallers",
    "Role",
    "Scope",
    "SetupGate",
    "Viewer",
    "Workspace",
    "asker_of",
    "audit",
    "audit_installation",
    "bearer_token",
    "check_suitable",
    "groups_of_caller",
    "issue_setup_token",
    "key_names",
    "key_resources",
    "load_operator_key",
    "on_member_removed",
    "on_workspace_created",
    "people_and_groups",
    "require_administrator",
    "routers",
    "scope_of_asker",
    "scope_of_key",
    "still_admitted",
    "use_passwords",
]
