"""Callers that are known for a second: no longer, and never under another key or workspace."""

from uuid import uuid4

import pytest

from refdesk.accounts import RecentCallers, Scope


def test_a_caller_is_known_for_a_second_from_when_the_database_was_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 100.0
    monkeypatch.setattr("refdesk.accounts.recent.time.monotonic", lambda: now)
    recent, scope = RecentCallers(everywhere=True), Scope.system(uuid4())
    recent.keep("rd-one", None, scope, asked_at=99.5)
    assert recent.find("rd-one", None) is scope
    assert recent.find("rd-two", None) is None
    assert recent.find("rd-one", str(scope.workspace_id)) is None
    now = 100.4
    assert recent.find("rd-one", None) is scope
    now = 100.5
    assert recent.find("rd-one", None) is None


def test_the_secret_itself_is_not_kept() -> None:
    recent = RecentCallers(everywhere=True)
    recent.keep("rd-secret", None, Scope.system(uuid4()), asked_at=0.0)
    assert "rd-secret" not in repr(vars(recent))
