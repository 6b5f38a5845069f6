"""Signing in and out, cookies, forged requests, links."""

import httpx
import pytest
from tests.http.world import PASSWORD, World, ok, problem

from refdesk.accounts.throttle import FREE_PER_ACCOUNT

API = "/api/v1"
NEW_PASSWORD = "another good password"


async def person(world: World, name: str, role: str = "viewer") -> httpx.AsyncClient:
    world.user_ids[name] = await world.invite(world.owner, name, role)
    return await world.sign_in(world.email(name))


async def test_the_cookie_is_for_this_site_and_not_for_scripts(world: World) -> None:
    body = {"email": world.email("viewer").upper(), "password": PASSWORD}
    response = await (await world.client()).post(f"{API}/session", json=body)
    cookie = response.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "path=/" in cookie
    assert "secure" not in cookie
    secure = await (await world.client()).post(f"https://refdesk.test{API}/session", json=body)
    assert "secure" in secure.headers["set-cookie"].lower()


async def test_every_sign_in_gives_a_new_session_and_ends_the_browsers_old_one(world: World) -> None:
    client = await person(world, "rotating")
    before = client.cookies["refdesk_session"]
    body = {"email": world.email("rotating"), "password": PASSWORD}
    ok(await client.post(f"{API}/session", json=body))
    assert client.cookies["refdesk_session"] != before
    old = await world.client(Cookie=f"refdesk_session={before}")
    problem(await old.get(f"{API}/session"), 401, "unauthenticated")


async def test_signing_out_ends_the_session_on_the_server(world: World) -> None:
    client = await person(world, "leaving")
    cookie = client.cookies["refdesk_session"]
    ok(await client.delete(f"{API}/session"))
    assert "refdesk_session" not in client.cookies
    stolen = await world.client(Cookie=f"refdesk_session={cookie}")
    problem(await stolen.get(f"{API}/session"), 401, "unauthenticated")


@pytest.mark.parametrize("email", ["nobody@example.org", "viewer@example.org"])
async def test_a_wrong_password_and_an_unknown_address_get_the_same_answer(world: World, email: str) -> None:
    response = await world.nobody.post(f"{API}/session", json={"email": email, "password": "wrong password"})
    found = problem(response, 401, "sign-in-failed")
    assert found["detail"] == "The email address or the password is wrong."
    assert found["details"] == {}


async def test_guessing_is_slowed_down_even_with_the_right_password_then(world: World) -> None:
    await world.invite(world.owner, "guessed", "viewer")
    body = {"email": world.email("guessed"), "password": "wrong password"}
    for _ in range(FREE_PER_ACCOUNT):
        problem(await world.nobody.post(f"{API}/session", json=body), 401, "sign-in-failed")
    refused = await world.nobody.post(f"{API}/session", json=body | {"password": PASSWORD})
    found = problem(refused, 429, "sign-in-throttled")
    assert 1 <= found["details"]["retry_after_s"] <= 15
    assert int(refused.headers["retry-after"]) >= 1
    # An unknown account is slowed down alike: the wait tells nothing about who exists.
    for _ in range(FREE_PER_ACCOUNT):
        await world.nobody.post(f"{API}/session", json=body | {"email": "ghost@example.org"})
    ghost = await world.nobody.post(f"{API}/session", json=body | {"email": "ghost@example.org"})
    problem(ghost, 429, "sign-in-throttled")


@pytest.mark.parametrize(
    ("headers", "passes"),
    [
        ({"Sec-Fetch-Site": "same-origin"}, True),
        ({"Sec-Fetch-Site": "cross-site"}, False),
        ({"Sec-Fetch-Site": "same-site"}, False),
        ({"Origin": "http://refdesk.test"}, True),
        ({"Origin": "http://evil.test"}, False),
        ({"Origin": "null"}, False),
        ({"X-CSRF-Token": ""}, False),
    ],
)
async def test_a_change_comes_from_our_own_page_only(
    world: World, headers: dict[str, str], passes: bool
) -> None:
    response = await world.owner.post(f"{API}/groups", json={"name": world.new_name("g")}, headers=headers)
    if passes:
        ok(response)
    else:
        problem(response, 403, "csrf-failed")


async def test_another_site_cannot_sign_a_browser_in(world: World) -> None:
    body = {"email": world.email("viewer"), "password": PASSWORD}
    response = await world.nobody.post(f"{API}/session", json=body, headers={"Sec-Fetch-Site": "cross-site"})
    problem(response, 403, "csrf-failed")


async def test_a_new_password_ends_the_other_sign_ins_and_keeps_this_one(world: World) -> None:
    here = await person(world, "changing")
    there = await world.sign_in(world.email("changing"))
    wrong = {"current_password": "wrong password", "new_password": NEW_PASSWORD}
    problem(await here.post(f"{API}/session/password", json=wrong), 401, "sign-in-failed")
    weak = {"current_password": PASSWORD, "new_password": "weak"}
    problem(await here.post(f"{API}/session/password", json=weak), 422, "password-unsuitable")
    change = {"current_password": PASSWORD, "new_password": NEW_PASSWORD}
    ok(await here.post(f"{API}/session/password", json=change))
    ok(await here.get(f"{API}/session"))
    problem(await there.get(f"{API}/session"), 401, "unauthenticated")
    await world.sign_in(world.email("changing"), NEW_PASSWORD)


async def test_disabling_ends_sign_ins_and_keys_at_once_and_enabling_restores_the_keys(world: World) -> None:
    client = await person(world, "disabled")
    key = await world.make_key(client, "read")
    path = f"{API}/users/{world.user_ids['disabled']}"
    ok(await world.administrator.patch(path, json={"is_active": False}))
    problem(await client.get(f"{API}/session"), 401, "unauthenticated")
    problem(await key.get(f"{API}/session"), 401, "invalid-api-key")
    body = {"email": world.email("disabled"), "password": PASSWORD}
    problem(await world.nobody.post(f"{API}/session", json=body), 401, "sign-in-failed")
    problem(await world.administrator.post(f"{path}/reset-link"), 409, "user-disabled")
    ok(await world.administrator.patch(path, json={"is_active": True}))
    problem(await client.get(f"{API}/session"), 401, "unauthenticated")
    ok(await key.get(f"{API}/session"))


async def test_a_reset_link_ends_sign_ins_and_works_once_and_the_newest_only(world: World) -> None:
    client = await person(world, "forgetful")
    path = f"{API}/users/{world.user_ids['forgetful']}/reset-link"
    older = ok(await world.administrator.post(path))["link"].removeprefix("/invite/")
    problem(await client.get(f"{API}/session"), 401, "unauthenticated")
    link = ok(await world.administrator.post(path))["link"].removeprefix("/invite/")
    problem(await world.nobody.get(f"{API}/invitations/{older}"), 404, "link-not-valid")
    shown = ok(await world.nobody.get(f"{API}/invitations/{link}"))
    assert (shown["email"], shown["purpose"]) == (world.email("forgetful"), "reset")
    guest = await world.client()
    redeem = f"{API}/invitations/{link}/redeem"
    problem(await guest.post(redeem, json={"password": "weak"}), 422, "password-unsuitable")
    session = ok(await guest.post(redeem, json={"password": NEW_PASSWORD}))
    assert session["user"]["email"] == world.email("forgetful")
    ok(await guest.get(f"{API}/session"))
    problem(await guest.post(redeem, json={"password": NEW_PASSWORD}), 404, "link-not-valid")
    await world.sign_in(world.email("forgetful"), NEW_PASSWORD)


async def test_a_reset_lets_somebody_in_who_was_throttled(world: World) -> None:
    await person(world, "locked")
    body = {"email": world.email("locked"), "password": "wrong password"}
    for _ in range(FREE_PER_ACCOUNT + 1):
        await world.nobody.post(f"{API}/session", json=body)
    made = ok(await world.administrator.post(f"{API}/users/{world.user_ids['locked']}/reset-link"))
    token = made["link"].removeprefix("/invite/")
    guest = await world.client()
    ok(await guest.post(f"{API}/invitations/{token}/redeem", json={"password": NEW_PASSWORD}))
    await world.sign_in(world.email("locked"), NEW_PASSWORD)


async def test_text_that_no_database_takes_is_refused_not_a_crash(world: World) -> None:
    for name in ("a\x00b", "line\nbreak", "   "):
        problem(await world.owner.post(f"{API}/groups", json={"name": name}), 422, "invalid")
    raw = await world.owner.post(
        f"{API}/groups", content=b'{"name": "\\ud800"}', headers={"Content-Type": "application/json"}
    )
    problem(raw, 422, "invalid")
    path = f"{API}/session"
    odd_cookie = await world.nobody.get(path, headers={b"Cookie": b"refdesk_session=\x80\xff"})
    problem(odd_cookie, 401, "unauthenticated")
    odd_key = await world.nobody.get(path, headers={b"Authorization": b"Bearer rd-\xe9"})
    problem(odd_key, 401, "invalid-api-key")
    odd_operator = await world.nobody.get(path, headers={b"Authorization": b"Bearer op-\xe9"})
    problem(odd_operator, 401, "invalid-api-key")
