"""The check of `scripts/checks/scoped_queries.py` finds what it is for, and passes the project itself."""

import subprocess
import sys
from pathlib import Path

import pytest
from scripts.checks.scoped_queries import problems_of

HEAD = "class ThingRepository:\n    def __init__(self, session, scope):\n        self.session = session\n"


def method(body: str) -> str:
    return f"{HEAD}    async def get(self, id):\n        {body}\n"


@pytest.mark.parametrize(
    "body",
    [
        "return await self.session.scalar(select(Thing).where(Thing.id == id))",
        "await self._session.execute(text('DELETE FROM things WHERE id = :id'), {'id': id})",
        "return await self.session.get(Thing, id)",
    ],
)
def test_a_statement_without_the_workspace_is_found(body: str) -> None:
    assert len(problems_of(method(body), "m.py")) == 1


@pytest.mark.parametrize(
    "body",
    [
        "return await self.session.scalar(select(Thing).where(Thing.workspace_id == self.workspace_id))",
        "await self.session.execute(text('DELETE FROM things WHERE workspace_id = :w'), {})",
        "return 1",
    ],
)
def test_a_statement_with_the_workspace_passes(body: str) -> None:
    assert problems_of(method(body), "m.py") == []


def test_a_statement_may_get_its_filter_from_another_method() -> None:
    source = method("return await self.session.scalar(self._mine())")
    source += "    def _mine(self):\n        return select(Thing).where(Thing.workspace_id == self.w)\n"
    assert problems_of(source, "m.py") == []


def test_a_repository_takes_a_scope() -> None:
    source = "class ThingRepository:\n    def __init__(self, session):\n        pass\n"
    assert "takes no `scope`" in problems_of(source, "m.py")[0]
    assert problems_of(source.replace("Repository", "Store"), "m.py") == []


def test_a_reason_lets_a_method_through() -> None:
    source = method("return await self.session.get(Thing, id)")
    assert (
        problems_of(source.replace("id):\n        return", "id):  # scope: why\n        return"), "m.py")
        == []
    )


def test_the_project_passes() -> None:
    script = Path(__file__).parents[3] / "scripts" / "checks" / "scoped_queries.py"
    result = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout
