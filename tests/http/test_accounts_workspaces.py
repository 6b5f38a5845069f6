"""Workspaces, members, invitations, groups and keys: the rules beyond who may call what."""

from datetime import timedelta
from uuid import uuid4

import httpx
import pytest
from sqlalchemy import update
from tests.http.world import PASSWORD, World, ok, problem

from refdesk.accounts.tables import ApiKey, LoginSession
from refdesk.kit.clock import now

API = "/api/v1"


async def test_the_workspace_is_the_one_named_or_the_callers_first(world: World) -> None:
    elsewhere = {"X-Workspace-ID": str(world.other_workspace_id)}
    await world.invite(world.owner, "two-places", "editor")
    ok(await world.stranger.post(f"{API}/members", json={"email": world.email("two-places")}))
    client = await world.sign_in(world.email("two-places"))
    here, there = await client.get(f"{API}/members"), await client.get(f"{API}/members", headers=elsewhere)
    assert world.email("owner") in here.text
    assert world.email("owner") not in there.text
    assert world.email("stranger") in there.text
    by_query = await client.get(f"{API}/members", params={"workspace": str(world.other_workspace_id)})
    assert by_query.json() == there.json()
    for unknown in (str(uuid4()), "x", "../"):
        problem(await client.get(f"{API}/members", headers={"X-Workspace-ID": unknown}), 404, "not-found")


async def test_roles_are_per_workspace(world: World) -> None:
    await world.invite(world.owner, "mixed", "owner")
    ok(await world.stranger.post(f"{API}/members", json={"email": world.email("mixed"), "role": "viewer"}))
    client = await world.sign_in(world.email("mixed"))
    ok(await client.post(f"{API}/groups", json={"name": world.new_name("g")}))
    elsewhere = {"X-Workspace-ID": str(world.other_workspace_id)}
    refused = await client.post(f"{API}/groups", json={"name": world.new_name("g")}, headers=elsewhere)
    problem(refused, 403, "forbidden")


async def test_an_owner_gets_no_link_for_somebody_who_belongs_elsewhere(world: World) -> None:
    """The link would let the owner of one workspace become a member of another."""
    invited = {"email": "pending@example.org", "role": "owner"}
    assert ok(await world.stranger.post(f"{API}/invitations", json=invited))["link"] is not None
    assert ok(await world.owner.post(f"{API}/invitations", json=invited))["link"] is None
    assert ok(await world.stranger.post(f"{API}/invitations", json=invited))["link"] is None
    assert ok(await world.administrator.post(f"{API}/invitations", json=invited))["link"] is not None


async def test_inviting_somebody_with_an_account_makes_them_a_member_without_a_link(world: World) -> None:
    invited = ok(await world.owner.post(f"{API}/invitations", json={"email": world.email("stranger")}))
    assert invited["link"] is None
    # What administrators see of an account is none of an owner's business.
    assert set(invited["user"]) == {"id", "email", "name", "is_pending"}
    assert world.email("stranger") in (await world.owner.get(f"{API}/members")).text
    ok(await world.owner.delete(f"{API}/members/{world.user_ids['stranger']}"))
    problem(
        await world.stranger.get(f"{API}/members", headers={"X-Workspace-ID": str(world.workspace_id)}),
        404,
        "not-found",
    )


async def test_only_administrators_invite_administrators(world: World) -> None:
    body = {"email": "boss@example.org", "is_administrator": True}
    problem(await world.owner.post(f"{API}/invitations", json=body), 403, "forbidden")
    made = ok(await world.administrator.post(f"{API}/invitations", json=body))
    users = ok(await world.administrator.get(f"{API}/users", params={"q": body["email"]}))["items"]
    assert {user["email"]: user["is_administrator"] for user in users}[made["user"]["email"]]


async def test_the_last_owner_and_the_last_administrator_stay(world: World) -> None:
    other = {"X-Workspace-ID": str(world.other_workspace_id)}
    members = ok(await world.administrator.get(f"{API}/members", headers=other))["items"]
    for member in members:
        if member["role"] == "owner" and member["user_id"] != str(world.user_ids["stranger"]):
            path = f"{API}/members/{member['user_id']}"
            ok(await world.administrator.delete(path, headers=other))
    path = f"{API}/members/{world.user_ids['stranger']}"
    problem(await world.stranger.patch(path, json={"role": "viewer"}), 409, "last-owner")
    problem(await world.administrator.delete(path, headers=other), 409, "last-owner")
    path = f"{API}/users/{world.user_ids['administrator']}"
    for change in ({"is_administrator": False}, {"is_active": False}):
        problem(await world.administrator.patch(path, json=change), 409, "last-administrator")
        problem(await world.operator.patch(path, json=change), 409, "last-administrator")


async def test_everybody_changes_their_own_name_and_nothing_else_of_users(world: World) -> None:
    own = f"{API}/users/{world.user_ids['viewer']}"
    changed = ok(await world.viewer.patch(own, json={"name": "Vera", "locale": "zh-CN"}))
    assert (changed["name"], changed["locale"]) == ("Vera", "zh-CN")
    problem(await world.viewer.patch(own, json={"is_administrator": True}), 403, "forbidden")
    theirs = f"{API}/users/{world.user_ids['editor']}"
    problem(await world.viewer.patch(theirs, json={"name": "x"}), 403, "forbidden")
    key = await world.make_key(world.viewer, "read")
    problem(await key.patch(own, json={"name": "x"}), 403, "not-by-api-key")


async def test_lists_come_in_pages(world: World) -> None:
    whole = ok(await world.administrator.get(f"{API}/users"))
    ids: list[str] = []
    cursor: str | None = None
    while True:
        query = {"limit": 2} | ({"cursor": cursor} if cursor else {})
        page = ok(await world.administrator.get(f"{API}/users", params=query))
        ids += [user["id"] for user in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert ids == [user["id"] for user in whole["items"]]
    assert whole["total"] == len(ids)
    problem(await world.administrator.get(f"{API}/users", params={"cursor": "x"}), 422, "cursor-invalid")


async def test_group_names_are_unique_within_their_workspace(world: World) -> None:
    name = world.new_name("group")
    ok(await world.owner.post(f"{API}/groups", json={"name": name}))
    problem(await world.owner.post(f"{API}/groups", json={"name": name}), 409, "name-taken")
    ok(await world.stranger.post(f"{API}/groups", json={"name": name}))


async def test_whoever_leaves_a_workspace_leaves_its_groups(world: World) -> None:
    user_id = await world.invite(world.owner, "short-stay", "viewer")
    group = ok(await world.owner.post(f"{API}/groups", json={"name": world.new_name("group")}))
    path = f"{API}/groups/{group['id']}/members/{user_id}"
    assert ok(await world.owner.put(path))["member_ids"] == [str(user_id)]
    assert ok(await world.owner.put(path))["member_ids"] == [str(user_id)]
    ok(await world.owner.delete(f"{API}/members/{user_id}"))
    groups = ok(await world.owner.get(f"{API}/groups"))["items"]
    assert next(g for g in groups if g["id"] == group["id"])["member_ids"] == []


@pytest.mark.parametrize(
    ("who", "scopes", "passes"),
    [
        ("viewer", ["read", "ask"], True),
        ("viewer", ["write"], False),
        ("editor", ["write"], True),
        ("editor", ["manage"], False),
        ("owner", ["manage"], True),
    ],
)
async def test_a_key_is_not_given_more_than_its_maker_has(
    world: World, who: str, scopes: list[str], passes: bool
) -> None:
    response = await world.clients[who].post(f"{API}/api-keys", json={"name": "k", "scopes": scopes})
    if passes:
        assert ok(response)["api_key"]["scopes"] == sorted(scopes)
    else:
        problem(response, 403, "scope-too-wide")


async def test_a_key_falls_with_its_makers_role_and_membership(world: World) -> None:
    user_id = await world.invite(world.owner, "falling", "owner")
    key = await world.make_key(await world.sign_in(world.email("falling")), "read", "manage")
    ok(await key.post(f"{API}/groups", json={"name": world.new_name("g")}))
    ok(await world.owner.patch(f"{API}/members/{user_id}", json={"role": "viewer"}))
    problem(await key.post(f"{API}/groups", json={"name": world.new_name("g")}), 403, "forbidden")
    ok(await key.get(f"{API}/members"))
    ok(await world.owner.delete(f"{API}/members/{user_id}"))
    problem(await key.get(f"{API}/members"), 401, "invalid-api-key")


async def test_an_administrators_key_is_no_administrator(world: World) -> None:
    key = await world.make_key(world.administrator, "read", "write", "manage")
    problem(await key.get(f"{API}/users"), 403, "not-by-api-key")
    elsewhere = {"X-Workspace-ID": str(world.other_workspace_id)}
    problem(await key.get(f"{API}/members", headers=elsewhere), 404, "not-found")
    problem(await key.get(f"{API}/audit", params={"installation": "true"}), 403, "forbidden")


async def test_a_key_ends_by_revocation_or_expiry_and_its_secret_is_shown_once(world: World) -> None:
    soon = (now() + timedelta(hours=1)).isoformat()
    body = {"name": "ending", "scopes": ["read"], "expires_at": soon}
    made = ok(await world.owner.post(f"{API}/api-keys", json=body))
    client = await world.client(Authorization=f"Bearer {made['secret']}")
    ok(await client.get(f"{API}/members"))
    listed = await world.owner.get(f"{API}/api-keys")
    assert made["secret"] not in listed.text
    assert made["api_key"]["prefix"] == made["secret"][:8]
    shown = next(k for k in listed.json()["items"] if k["id"] == made["api_key"]["id"])
    assert shown["last_used_at"] is not None
    async with world.database.transaction() as session:
        await session.execute(
            update(ApiKey).where(ApiKey.name == "ending").values(expires_at=now() - timedelta(seconds=1))
        )
    problem(await client.get(f"{API}/members"), 401, "invalid-api-key")
    past = body | {"expires_at": (now() - timedelta(hours=1)).isoformat()}
    problem(await world.owner.post(f"{API}/api-keys", json=past), 422, "invalid")
    made = ok(await world.owner.post(f"{API}/api-keys", json={"name": "revoked", "scopes": ["read"]}))
    client = await world.client(Authorization=f"Bearer {made['secret']}")
    ok(await client.get(f"{API}/members"))
    ok(await world.owner.delete(f"{API}/api-keys/{made['api_key']['id']}"))
    problem(await client.get(f"{API}/members"), 401, "invalid-api-key")


async def test_a_key_can_only_be_bound_to_what_is_there(world: World) -> None:
    theirs = ok(await world.stranger.post(f"{API}/knowledge-bases", json={"name": "Theirs"}))["id"]
    for kind, thing in (
        ("knowledge_base", theirs),
        ("knowledge_base", str(uuid4())),
        ("application", theirs),
    ):
        body = {"name": "bound", "scopes": ["ask"], "resource": {"kind": kind, "id": thing}}
        response = await world.owner.post(f"{API}/api-keys", json=body)
        assert response.status_code == 404, response.text


async def test_a_members_keys_are_seen_by_owners_and_themselves(world: World) -> None:
    made = ok(await world.editor.post(f"{API}/api-keys", json={"name": "mine", "scopes": ["read"]}))
    key_id = made["api_key"]["id"]
    assert key_id in (await world.editor.get(f"{API}/api-keys")).text
    assert key_id in (await world.owner.get(f"{API}/api-keys")).text
    assert key_id not in (await world.viewer.get(f"{API}/api-keys")).text
    problem(await world.viewer.delete(f"{API}/api-keys/{key_id}"), 404, "not-found")


async def test_the_audit_record_tells_who_did_what_without_secrets(world: World) -> None:
    name = world.new_name("audited")
    group = ok(await world.owner.post(f"{API}/groups", json={"name": name}))
    events = ok(await world.owner.get(f"{API}/audit"))["items"]
    event = next(e for e in events if e["target_id"] == group["id"])
    assert (event["action"], event["actor"]) == ("group.create", world.email("owner"))
    assert event["actor_id"] == str(world.user_ids["owner"])
    installation = await world.administrator.get(f"{API}/audit", params={"installation": "true"})
    assert {"user.create", "session.open", "invitation.redeem"} <= {
        e["action"] for e in ok(installation)["items"]
    }
    assert PASSWORD not in installation.text
    problem(await world.owner.get(f"{API}/audit", params={"installation": "true"}), 403, "forbidden")


async def test_a_session_past_its_end_is_no_session(world: World) -> None:
    await world.invite(world.owner, "expired", "viewer")
    client = await world.sign_in(world.email("expired"))
    async with world.database.transaction() as session:
        await session.execute(
            update(LoginSession)
            .where(LoginSession.user_id == (await _user_id(client)))
            .values(expires_at=now() - timedelta(seconds=1))
        )
    problem(await client.get(f"{API}/session"), 401, "unauthenticated")


async def _user_id(client: httpx.AsyncClient) -> str:
    return str(ok(await client.get(f"{API}/session"))["user"]["id"])


async def test_the_operators_key_is_refused_from_another_machine(world: World) -> None:
    transport = httpx.ASGITransport(app=world.app, client=("192.0.2.9", 1))
    headers = {"Authorization": world.operator.headers["Authorization"]}
    async with httpx.AsyncClient(transport=transport, base_url="http://refdesk.test", headers=headers) as far:
        problem(await far.get(f"{API}/users"), 401, "invalid-api-key")
    ok(await world.operator.get(f"{API}/users"))
