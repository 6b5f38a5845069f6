"""What is said about a database that cannot be used."""

import psycopg
import pytest

from refdesk.kit.external_database import DatabaseUnreachable, DatabaseUnsuitable, require_suitable


def test_the_database_of_the_tests_is_suitable(database_url: str) -> None:
    postgres, vector = require_suitable(database_url)
    assert int(postgres.split(".")[0]) >= 15
    assert vector.startswith("0.")


def test_an_unreachable_database_is_told_without_its_password() -> None:
    with pytest.raises(DatabaseUnreachable) as caught:
        require_suitable("postgresql://someone:hidden@127.0.0.1:1/nothing", timeout_s=2)
    assert "hidden" not in str(caught.value.details)
    assert caught.value.details["reason"]


@pytest.mark.parametrize("url", ["mysql://x", "postgresql://[", "postgresql://u@h/d?nonsense=1"])
def test_an_address_that_is_none_is_told(url: str) -> None:
    with pytest.raises(DatabaseUnreachable):
        require_suitable(url, timeout_s=2)


def test_a_missing_pgvector_is_told(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class WithoutRows:
        info = type("Info", (), {"server_version": 180004})()

        def __enter__(self) -> "WithoutRows":
            return self

        def __exit__(self, *_: object) -> None: ...

        def execute(self, _: str) -> "WithoutRows":
            return self

        def fetchone(self) -> None:
            return None

    monkeypatch.setattr(psycopg, "connect", lambda *_a, **_k: WithoutRows())
    with pytest.raises(DatabaseUnsuitable, match="pgvector"):
        require_suitable(database_url)
