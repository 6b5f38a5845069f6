"""The access table: one row for every operation of the application, in the order of its paths.

`test_access_matrix` fails for an operation without a row and for a row without an operation.
"""

from typing import Any

import httpx
from tests.http.access_access import ACCESS
from tests.http.access_agent import AGENT
from tests.http.access_asking import ASKING
from tests.http.access_calls import Call, Row
from tests.http.access_descriptors import DESCRIPTORS
from tests.http.access_drafts import DRAFTS
from tests.http.access_evaluation import EVALUATION
from tests.http.access_external import EXTERNAL
from tests.http.access_graph import GRAPHS
from tests.http.access_index_builds import INDEX_BUILDS
from tests.http.access_intents import INTENTS
from tests.http.access_knowledge import KNOWLEDGE
from tests.http.access_limits import LIMITS
from tests.http.access_models import MODELS
from tests.http.access_notes import NOTES_ROWS
from tests.http.access_pipeline import PIPELINE
from tests.http.access_routing import ROUTING
from tests.http.access_sources import SOURCES
from tests.http.access_stored_tools import STORED_TOOLS
from tests.http.access_terms import TERMS
from tests.http.access_tools import TOOL_ROWS
from tests.http.access_versions import VERSIONS
from tests.http.world import PASSWORD, World, ok

from refdesk.kit.master_keys import load_cipher
from refdesk.kit.settings import Settings

API = "/api/v1"


async def wrong_sign_in(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(json={"email": f"{world.new_name('nobody')}@example.org".replace(" ", ""), "password": "no"})


async def sign_in(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(json={"email": world.email("viewer"), "password": PASSWORD})


async def late_setup(_world: World, _client: httpx.AsyncClient) -> Call:
    return Call(json={"token": "x", "email": "late@example.org", "name": "L", "password": PASSWORD})


async def own_session(world: World, client: httpx.AsyncClient) -> Call:
    """A second sign-in of the same person, so that the caller's own one survives its end."""
    return await _second_sign_in(world, client, None)


async def own_password(world: World, client: httpx.AsyncClient) -> Call:
    return await _second_sign_in(world, client, {"current_password": PASSWORD, "new_password": PASSWORD})


async def _second_sign_in(world: World, client: httpx.AsyncClient, body: Any) -> Call:
    """Credentials of somebody new with the caller's standing; callers without a session send their own."""
    if "refdesk_session" not in client.cookies:
        return Call(json=body)
    name = world.new_name("person").replace(" ", "")
    await world.invite(world.administrator, name, "viewer")
    other = await world.sign_in(world.email(name))
    cookie = f"refdesk_session={other.cookies['refdesk_session']}"
    return Call(json=body, headers={"Cookie": cookie, "X-CSRF-Token": other.headers["X-CSRF-Token"]})


async def _invited(world: World) -> Any:
    """A new, pending member of the first workspace."""
    body = {"email": f"{world.new_name('guest')}@example.org".replace(" ", ""), "role": "viewer"}
    return ok(await world.owner.post(f"{API}/invitations", json=body))


async def link(world: World, _client: httpx.AsyncClient) -> Call:
    made = await _invited(world)
    return Call(path={"token": made["link"].rsplit("/", 1)[1]}, json={"password": PASSWORD})


async def shown_link(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await link(world, client)).path)


async def wrong_link(_world: World, _client: httpx.AsyncClient) -> Call:
    return Call(path={"token": "wrong"}, json={"password": PASSWORD})


async def wrong_shown_link(_world: World, _client: httpx.AsyncClient) -> Call:
    return Call(path={"token": "wrong"})


async def sealing_key(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(shows=(load_cipher(Settings(data_dir=world.data_dir)).key_ids[0],))


async def all_users(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(shows=(world.email("viewer"),))


async def somebody(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(path={"user_id": (await _invited(world))["user"]["id"]})


async def renamed_somebody(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await somebody(world, client)).path, json={"name": "New name"})


async def member_role(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await somebody(world, client)).path, json={"role": "editor"})


async def new_invitation(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(json={"email": f"{world.new_name('invited')}@example.org".replace(" ", "")})


async def new_member(world: World, _client: httpx.AsyncClient) -> Call:
    """Somebody with an account and without a workspace."""
    name = world.new_name("joiner").replace(" ", "")
    user_id = await world.invite(world.owner, name, "viewer")
    ok(await world.owner.delete(f"{API}/members/{user_id}"))
    return Call(json={"email": world.email(name)})


async def new_name(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(json={"name": world.new_name("name")})


async def first_workspace(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(path={"workspace_id": world.workspace_id})


async def renamed_workspace(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(path={"workspace_id": world.workspace_id}, json={"name": world.new_name("workspace")})


async def workspace_shown(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(shows=(str(world.workspace_id),))


async def members_shown(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(shows=(str(world.user_ids["viewer"]),))


async def group(world: World, _client: httpx.AsyncClient) -> Call:
    made = ok(await world.owner.post(f"{API}/groups", json={"name": world.new_name("group")}))
    return Call(path={"group_id": made["id"]})


async def group_shown(world: World, client: httpx.AsyncClient) -> Call:
    return Call(shows=((await group(world, client)).path["group_id"],))


async def renamed_group(world: World, client: httpx.AsyncClient) -> Call:
    return Call(path=(await group(world, client)).path, json={"name": world.new_name("group")})


async def group_and_member(world: World, client: httpx.AsyncClient) -> Call:
    path = (await group(world, client)).path | {"user_id": world.user_ids["viewer"]}
    return Call(path=path)


async def group_with_member(world: World, client: httpx.AsyncClient) -> Call:
    call = await group_and_member(world, client)
    ok(await world.owner.put(f"{API}/groups/{call.path['group_id']}/members/{call.path['user_id']}"))
    return call


async def own_group_foreign_member(world: World, _client: httpx.AsyncClient) -> Call:
    made = ok(await world.stranger.post(f"{API}/groups", json={"name": world.new_name("group")}))
    return Call(path={"group_id": made["id"], "user_id": world.user_ids["viewer"]})


async def key(world: World, client: httpx.AsyncClient) -> Call:
    """A key of the caller, or of the owner where the caller cannot make one."""
    body = {"name": world.new_name("key"), "scopes": ["read"]}
    made = await client.post(f"{API}/api-keys", json=body)
    if not made.is_success or client is world.stranger:
        made = await world.owner.post(f"{API}/api-keys", json=body)
    return Call(path={"key_id": ok(made)["api_key"]["id"]})


async def key_shown(world: World, client: httpx.AsyncClient) -> Call:
    return Call(shows=((await key(world, client)).path["key_id"],))


async def new_key(world: World, _client: httpx.AsyncClient) -> Call:
    return Call(json={"name": world.new_name("key"), "scopes": ["read"]})


async def audit_shown(world: World, client: httpx.AsyncClient) -> Call:
    return Call(shows=((await group(world, client)).path["group_id"],))


ACCOUNTS = (
    Row("GET", f"{API}/setup", "anyone", always_open="tells only whether an administrator exists"),
    Row("POST", f"{API}/setup", "anyone", refused=late_setup, always_open="works once, see its own test"),
    Row("GET", f"{API}/session", "signed-in", workspace_shown, key=True, in_workspace=False),
    Row("POST", f"{API}/session", "anyone", sign_in, refused=wrong_sign_in),
    Row("DELETE", f"{API}/session", "in-person", own_session, in_workspace=False),
    Row("POST", f"{API}/session/password", "in-person", own_password, in_workspace=False),
    Row("GET", f"{API}/invitations/{{token}}", "anyone", shown_link, refused=wrong_shown_link),
    Row("POST", f"{API}/invitations/{{token}}/redeem", "anyone", link, refused=wrong_link),
    Row("GET", f"{API}/users", "administrator", all_users, stranger=403),
    Row("PATCH", f"{API}/users/{{user_id}}", "administrator", renamed_somebody, 403, in_workspace=False),
    Row("POST", f"{API}/users/{{user_id}}/reset-link", "administrator", somebody, 403),
    Row("POST", f"{API}/invitations", "owner", new_invitation),
    Row("GET", f"{API}/workspaces", "signed-in", workspace_shown, key=True, in_workspace=False),
    Row("POST", f"{API}/workspaces", "administrator", new_name, 403),
    Row(
        "GET",
        f"{API}/workspaces/{{workspace_id}}",
        "viewer",
        first_workspace,
        404,
        key=True,
        bound=True,
        in_workspace=False,
    ),
    Row("PATCH", f"{API}/workspaces/{{workspace_id}}", "owner", renamed_workspace, 404, in_workspace=False),
    Row("GET", f"{API}/members", "viewer", members_shown, key=True),
    Row("POST", f"{API}/members", "owner", new_member),
    Row("PATCH", f"{API}/members/{{user_id}}", "owner", member_role, 404),
    Row("DELETE", f"{API}/members/{{user_id}}", "owner", somebody, 404),
    Row("GET", f"{API}/groups", "viewer", group_shown, key=True),
    Row("POST", f"{API}/groups", "owner", new_name),
    Row("PATCH", f"{API}/groups/{{group_id}}", "owner", renamed_group, 404),
    Row("DELETE", f"{API}/groups/{{group_id}}", "owner", group, 404),
    Row(
        "PUT",
        f"{API}/groups/{{group_id}}/members/{{user_id}}",
        "owner",
        group_and_member,
        404,
        foreign=own_group_foreign_member,
    ),
    Row(
        "DELETE",
        f"{API}/groups/{{group_id}}/members/{{user_id}}",
        "owner",
        group_with_member,
        404,
        foreign=own_group_foreign_member,
    ),
    Row("GET", f"{API}/api-keys", "viewer", key_shown),
    Row("POST", f"{API}/api-keys", "viewer", new_key),
    Row("DELETE", f"{API}/api-keys/{{key_id}}", "viewer", key, 404),
    Row("GET", f"{API}/audit", "owner", audit_shown),
    Row("GET", f"{API}/secret-keys", "administrator", sealing_key, stranger=403, in_workspace=False),
    Row("POST", f"{API}/secret-keys/rotation", "administrator", sealing_key, 403, in_workspace=False),
    Row("DELETE", f"{API}/secret-keys/former", "administrator", sealing_key, 403, in_workspace=False),
)

SERVER = (
    Row("GET", "/healthz", "anyone", always_open="a health check has no secrets"),
    Row("GET", "/readyz", "anyone", always_open="a health check has no secrets"),
    Row("GET", "/metrics", "administrator", stranger=403, in_workspace=False),
    Row("GET", f"{API}/openapi.json", "anyone", always_open="the interface is public"),
    Row("HEAD", f"{API}/openapi.json", "anyone", always_open="the interface is public"),
    Row("GET", f"{API}/status", "viewer", key=True),
)

ROWS = (
    ACCOUNTS
    + INDEX_BUILDS
    + KNOWLEDGE
    + tuple(ACCESS)
    + TERMS
    + GRAPHS
    + VERSIONS
    + DRAFTS
    + SOURCES
    + ASKING
    + AGENT
    + PIPELINE
    + INTENTS
    + NOTES_ROWS
    + MODELS
    + DESCRIPTORS
    + LIMITS
    + ROUTING
    + EVALUATION
    + EXTERNAL
    + STORED_TOOLS
    + TOOL_ROWS
    + SERVER
)
