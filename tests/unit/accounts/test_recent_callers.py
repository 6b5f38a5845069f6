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
    first, second = Scope.system(uuid4()), Scope.system(uuid4())
    recent = RecentCallers(Asked(first, OSError(), second), everywhere=True)
    assert await recent.get("rd-one", None) is first
    assert recent.find("rd-two", None) is None
    assert recent.find("rd-one", str(first.workspace_id)) is None
    clock.now = 100.9
    assert recent.find("rd-one", None) is first
    await _settled()
    clock.now = 101.0
    assert recent.find("rd-one", None) is None
    assert await recent.get("rd-one", None) is second
    await recent.close()


async def test_all_who_wait_for_one_caller_wait_for_one_answer() -> None:
    scope = Scope.system(uuid4())
    asked = Asked(scope)
    recent = RecentCallers(asked, everywhere=True)
    assert await asyncio.gather(*(recent.get("rd-one", None) for _ in range(64))) == [scope] * 64
    assert asked.count == 1


async def test_who_goes_on_calling_is_asked_for_again_beside_the_calls_and_once(clock: Clock) -> None:
    first, second = Scope.system(uuid4()), Scope.system(uuid4())
    asked = Asked(first, second)
    recent = RecentCallers(asked, everywhere=True)
    await recent.get("rd-one", None)
    clock.now = 100.4
    assert recent.find("rd-one", None) is first
    await _settled()
    assert asked.count == 1
    clock.now = 100.6
    assert [recent.find("rd-one", None) for _ in range(9)] == [first] * 9
    await _settled()
    assert asked.count == 2
    clock.now = 101.5
    assert recent.find("rd-one", None) is second
    await recent.close()


async def test_who_is_refused_meanwhile_is_known_no_longer(clock: Clock) -> None:
    recent = RecentCallers(Asked(Scope.system(uuid4()), Unauthenticated()), everywhere=True)
    await recent.get("rd-one", None)
    clock.now = 100.6
    assert recent.find("rd-one", None) is not None
    await _settled()
    assert recent.find("rd-one", None) is None
    with pytest.raises(Unauthenticated):
        await recent.get("rd-one", None)


@pytest.mark.parametrize("fault", [OSError(), OperationalError("SELECT", {}, Exception())])
async def test_without_the_database_a_caller_is_known_to_the_end_of_the_second(
    clock: Clock, fault: Exception
) -> None:
    recent = RecentCallers(Asked(Scope.system(uuid4()), fault), everywhere=True)
    await recent.get("rd-one", None)
    clock.now = 100.6
    assert recent.find("rd-one", None) is not None
    await _settled()
    assert recent.find("rd-one", None) is not None
    clock.now = 101.0
    assert recent.find("rd-one", None) is None
    await recent.close()


async def test_the_secret_itself_is_not_kept() -> None:
    recent = RecentCallers(Asked(Scope.system(uuid4())), everywhere=True)
    await recent.get("rd-secret", None)
    assert "rd-secret" not in repr(vars(recent))
