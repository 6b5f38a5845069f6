"""Roles and permissions rise together; waiting times grow; the gate guards all that is not the page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refdesk.accounts.scope import ALL_PERMISSIONS, Permission, Role, Scope
from refdesk.accounts.setup import _guarded  # pyright: ignore[reportPrivateUsage]
from refdesk.accounts.throttle import LONGEST_BLOCK, account_subject, block_after
from refdesk.accounts.workspaces import default_workspace_name
from refdesk.kit.errors import Forbidden
from refdesk.kit.ids import new_id

roles = st.sampled_from(list(Role))
permissions = st.sampled_from(sorted(ALL_PERMISSIONS))


@given(roles, roles, st.frozensets(permissions), permissions)
def test_a_caller_needs_both_the_role_and_the_permission(
    has: Role, needed: Role, granted: frozenset[Permission], permission: Permission
) -> None:
    scope = Scope(new_id(), None, has, "api_key", permissions=granted)
    allowed = has >= needed and permission in granted
    if allowed:
        scope.require(needed, permission)
    else:
        with pytest.raises(Forbidden):
            scope.require(needed, permission)


def test_a_bound_key_reaches_its_own_thing_only() -> None:
    mine = new_id()
    scope = Scope(new_id(), None, Role.OWNER, "api_key", resource=("knowledge_base", mine))
    scope.require_resource("knowledge_base", mine)
    for kind, thing in (("knowledge_base", new_id()), ("application", mine)):
        with pytest.raises(Forbidden):
            scope.require_resource(kind, thing)


@given(st.integers(1, 10_000), st.integers(1, 100))
def test_the_block_never_shrinks_with_more_failures_and_has_an_end(attempts: int, free: int) -> None:
    now, later = block_after(attempts, free), block_after(attempts + 1, free)
    assert (now is None) == (attempts < free)
    if now is not None:
        assert later is not None
        assert now <= later <= LONGEST_BLOCK


def test_an_account_is_throttled_however_its_address_is_written_and_not_stored_in_clear() -> None:
    assert account_subject("Me@Example.org") == account_subject("me@example.org")
    assert "example" not in account_subject("me@example.org")


@pytest.mark.parametrize(
    ("path", "guarded"),
    [
        ("/healthz", False),
        ("/readyz", False),
        ("/api/v1/setup", False),
        ("/", False),
        ("/assets/index.js", False),
        ("/invite/abc", False),
        ("/api/v1/setup/x", True),
        ("/api/v1/session", True),
        ("/v1/chat/completions", True),
        ("/metrics", True),
    ],
)
def test_the_gate_guards_everything_but_health_setup_and_the_page(path: str, guarded: bool) -> None:
    assert _guarded(path) is guarded


@pytest.mark.parametrize(
    ("language", "name"), [(None, "Default"), ("en-GB,en", "Default"), ("zh-CN,zh;q=0.9", "默认")]
)
def test_the_first_workspace_is_named_in_the_callers_language(language: str | None, name: str) -> None:
    assert default_workspace_name(language) == name
