"""What is said on the command line about reading and splitting, and what is left to the base."""

from refdesk.cli._splitting import settings_of

BASE = {"split_settings": {"limit": 200, "include_running": True}}


def test_what_is_not_said_is_as_the_base_has_it() -> None:
    assert settings_of(BASE, {"include_running": False}) == {"limit": 200, "include_running": False}


def test_nothing_is_sent_where_nothing_was_said() -> None:
    assert settings_of(BASE, {}) == {}
