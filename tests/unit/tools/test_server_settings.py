"""Pasted JSON, variables, and the secrets that are taken out of settings."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refdesk.tools.errors import ToolServerConfigInvalid, ToolServersUnreadable, ToolVariableMissing
from refdesk.tools.servers.config import ServerConfig, checked, destination, filled, names_in
from refdesk.tools.servers.intake import servers_in, without_literals


def test_the_shapes_that_people_paste_are_read() -> None:
    text = """{
      // of an editor
      "mcpServers": {
        "a": {"command": "npx", "args": ["-y", "server"], "env": {"API_KEY": "k-1"}, "alwaysAllow": ["x"]},
        "b": {"type": "streamable-http", "url": "https://b.example/mcp", "timeout": 45000},
        "c": {"url": "https://c.example/sse", "disabled": true, "headers": {"X": "${env:TOKEN}"}},
      },
    }"""
    a, b, c = servers_in(text)
    assert (a.transport, a.config["command"], a.allowed) == ("stdio", "npx", ["x"])
    assert (b.transport, b.timeout_s) == ("http", 45.0)
    assert (c.transport, c.is_active, c.config["headers"]) == ("sse", False, {"X": "${TOKEN}"})
    (vs_code,) = servers_in({"servers": {"d": {"url": "https://d.example", "type": "http"}}, "inputs": []})
    assert vs_code.name == "d"
    (bare,) = servers_in('{"e": {"command": ["uvx", "thing"]}}')
    assert (bare.config["command"], bare.config["args"]) == ("uvx", ["thing"])


@pytest.mark.parametrize("text", ["", "[]", "{", '{"mcpServers": {}}', '{"a": 1}', '{"a": {}}', "null"])
def test_what_is_no_list_of_servers_is_refused(text: str) -> None:
    with pytest.raises(ToolServersUnreadable):
        servers_in(text)


@given(st.recursive(st.none() | st.booleans() | st.text(max_size=8) | st.integers(), lambda inner: st.lists(
    inner, max_size=3) | st.dictionaries(st.sampled_from(["url", "command", "args", "env", "headers", "a"]),
    inner, max_size=4), max_leaves=12))  # fmt: skip
def test_any_json_is_read_or_refused(value: object) -> None:
    for given_value in (value, {"mcpServers": value}, {"mcpServers": {"a": value}}):
        try:
            servers = servers_in(json.dumps(given_value))
        except ToolServersUnreadable:
            continue
        for server in servers:
            try:
                config = checked(server.transport, server.config)
            except ToolServerConfigInvalid:
                continue
            without_literals(config, {})


def test_literal_secrets_become_variables_wherever_they_stand() -> None:
    http = ServerConfig(
        url="https://user:pw@x.example/mcp?api_key=k-123&page=2",
        headers={"Authorization": "Bearer t-456", "X-Api-Key": "k-789", "X-Region": "eu", "X-T": "${T}"},
    )
    kept, secrets = without_literals(http, {})
    assert kept.url == "https://${URL_LOGIN}@x.example/mcp?api_key=${API_KEY}&page=2"
    assert kept.headers == {
        "Authorization": "Bearer ${AUTHORIZATION}",
        "X-Api-Key": "${X_API_KEY}",
        "X-Region": "eu",
        "X-T": "${T}",
    }
    assert secrets == {
        "URL_LOGIN": "user:pw",
        "API_KEY": "k-123",
        "AUTHORIZATION": "t-456",
        "X_API_KEY": "k-789",
    }
    assert without_literals(kept, secrets) == (kept, {})
    values = secrets | {"T": "t"}
    texts = [filled(text, values) for text in kept.texts()]
    assert texts == list(http.model_copy(update={"headers": http.headers | {"X-T": "t"}}).texts())

    process = ServerConfig(command="npx", args=["-y", "s", "--token", "t-1", "--api-key=k-2", "--port", "80"])
    kept, secrets = without_literals(process, {"TOKEN": "another"})
    assert kept.args == ["-y", "s", "--token", "${TOKEN_2}", "--api-key=${API_KEY}", "--port", "80"]
    assert secrets == {"TOKEN_2": "t-1", "API_KEY": "k-2"}


def test_variables_have_defaults_and_are_not_looked_into_again() -> None:
    assert filled("a ${X} ${Y:-z}", {"X": "${Y}"}) == "a ${Y} z"
    assert names_in(["${A} ${B:-1}", "${A}${C}"]) == ["A", "C"]
    with pytest.raises(ToolVariableMissing):
        filled("${X}", {"X": ""})


def test_secrets_have_a_destination() -> None:
    def place(**config: object) -> object:
        return destination(ServerConfig.model_validate(config), {"HOST": "x.example"})

    assert place(url="https://${HOST}/a") == place(url="https://X.example/b?c=1")
    assert place(url="https://x.example/a") != place(url="http://x.example/a")
    assert place(url="https://x.example/a") != place(url="https://x.example.evil/a")
    assert place(command="npx", args=["a"]) != place(command="npx", args=["b"])


@pytest.mark.parametrize(
    ("transport", "config"),
    [
        ("http", {"command": "npx"}),
        ("stdio", {"url": "https://x.example"}),
        ("http", {"url": "file:///etc/passwd"}),
        ("http", {"url": "https://x.example", "headers": {"Host": "evil"}}),
        ("http", {"url": "https://x.example", "headers": {"X": "a\r\nY: b"}}),
        ("http", {"url": "https://x.example", "command": "npx"}),
        ("http", {"url": "https://x.example", "oauth": {"grant": "client_credentials"}}),
        ("stdio", {"command": "npx", "env": {"A B": "c"}}),
        ("stdio", {"command": "npx", "shell": True}),
    ],
)
def test_settings_that_do_not_fit_are_refused(transport: str, config: dict[str, object]) -> None:
    with pytest.raises(ToolServerConfigInvalid):
        checked(transport, config)  # type: ignore[arg-type]
