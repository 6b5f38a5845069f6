"""Callers that are known for a second: no longer, and never under another key or workspace."""

import asyncio
from collections.abc import Sequence
from uuid import uuid4

import pytest
from sqlalchemy.exc import OperationalError

from refdesk.accounts import RecentCallers, Scope
from refdesk.kit.errors import Unauthenticated


class Asked:
    """What the database answers, one after the other; the last again and again."""

    def __init__(self, *answers: Scope | Exception) -> None:
        self._answers: Sequence[Scope | Exception] = answers
        self.count = 0

    async def __call__(self, token: str, workspace: str | None) -> Scope:
        await asyncio.sleep(0)
        answer = self._answers[min(self.count, len(self._answers) - 1)]
        self.count += 1
        if isinstance(answer, Exception):
            raise answer
        return answer


class Clock:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr("refdesk.accounts.recent.time.monotonic", lambda: self.now)


async def _settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


async def test_a_caller_is_known_for_a_second_from_when_the_database_was_asked(clock: Clock) -> None:
    scope = Scope.system(uuid4())
    recent = RecentCallers(Asked(OSError()), everywhere=True)
    recent.keep("rd-one", None, scope, asked_at=99.5)
    assert recent.find("rd-one", None) is scope
    assert recent.find("rd-two", None) is None
    assert recent.find("rd-one", str(scope.workspace_id)) is None
    clock.now = 100.4
    assert recent.find("rd-one", None) is scope
    clock.now = 100.5
    assert recent.find("rd-one", None) is None
    await recent.close()


async def test_who_goes_on_calling_is_asked_for_again_beside_the_calls_and_once(clock: Clock) -> None:
    first, second = Scope.system(uuid4()), Scope.system(uuid4())
    asked = Asked(second)
    recent = RecentCallers(asked, everywhere=True)
    recent.keep("rd-one", None, first, asked_at=100.0)
    clock.now = 100.4
    assert recent.find("rd-one", None) is first
    await _settled()
    assert asked.count == 0
    clock.now = 100.6
    assert [recent.find("rd-one", None) for _ in range(9)] == [first] * 9
    await _settled()
    assert asked.count == 1
    clock.now = 101.5
    assert recent.find("rd-one", None) is second
    await recent.close()


async def test_who_is_refused_meanwhile_is_known_no_longer(clock: Clock) -> None:
    recent = RecentCallers(Asked(Unauthenticated()), everywhere=True)
    recent.keep("rd-one", None, Scope.system(uuid4()), asked_at=100.0)
    clock.now = 100.6
    assert recent.find("rd-one", None) is not None
    await _settled()
    assert recent.find("rd-one", None) is None


@pytest.mark.parametrize("fault", [OSError(), OperationalError("SELECT", {}, Exception())])
async def test_without_the_database_a_caller_is_known_to_the_end_of_the_second(
    clock: Clock, fault: Exception
) -> None:
    recent = RecentCallers(Asked(fault), everywhere=True)
    recent.keep("rd-one", None, Scope.system(uuid4()), asked_at=100.0)
    clock.now = 100.6
    assert recent.find("rd-one", None) is not None
    await _settled()
    assert recent.find("rd-one", None) is not None
    clock.now = 101.0
    assert recent.find("rd-one", None) is None
    await recent.close()


async def test_the_secret_itself_is_not_kept() -> None:
    recent = RecentCallers(Asked(OSError()), everywhere=True)
    recent.keep("rd-secret", None, Scope.system(uuid4()), asked_at=0.0)
    assert "rd-secret" not in repr(vars(recent))
