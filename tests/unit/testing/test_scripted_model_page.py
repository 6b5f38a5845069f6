"""The page about the scripted model says what is so: its example runs, its replies are there."""

import ast
import re
import textwrap
from pathlib import Path

import httpx
import pytest

from refdesk.testing import scripted_model as script
from refdesk.testing.serve_model import parsed, reply_of

PAGE = (Path(__file__).parents[3] / "docs" / "scripted-model.md").read_text("utf-8")


async def ask(url: str) -> int:
    async with httpx.AsyncClient(trust_env=False) as client:
        messages = [{"role": "user", "content": "How long may I return it?"}]
        answer = await client.post(url, json={"messages": messages}, headers={"X-Request-ID": "r-1"})
        return answer.status_code


async def test_the_example_of_the_page_runs():
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    inside = f"async def example(ask):\n{textwrap.indent(example, '    ')}"
    names: dict = {}
    exec(compile(ast.parse(inside), "scripted-model.md", "exec"), names)
    await names["example"](ask)


@pytest.mark.parametrize("name", sorted(set(re.findall(r"^\| `(\w+)\(", PAGE, re.MULTILINE))))
def test_every_reply_of_the_page_is_exported(name):
    assert name in script.__all__


@pytest.mark.parametrize(
    ("arguments", "status", "text"),
    [
        ([], 200, "How long"),
        (["--text", "Hello"], 200, "Hello"),
        (["--status", "503"], 503, "scripted to fail"),
        (["--status", "429", "--retry-after", "3", "--text", "slow down"], 429, "slow down"),
    ],
)
async def test_the_command_line_scripts_the_server(arguments, status, text):
    reply = reply_of(parsed(arguments))
    async with script.scripted_model() as model, httpx.AsyncClient(trust_env=False) as client:
        if reply is not None:
            model.always(reply)
        messages = [{"role": "user", "content": "How long may I return it?"}]
        answer = await client.post(f"{model.root}/v1/messages", json={"messages": messages})
    assert (answer.status_code, text in answer.text) == (status, True)
    assert answer.headers.get("retry-after") == ("3.0" if "--retry-after" in arguments else None)


async def test_a_cut_reply_ends_at_its_byte():
    async with script.scripted_model() as model, httpx.AsyncClient(trust_env=False) as client:
        model.then(script.cut(script.says("a long answer"), 150))
        with pytest.raises(httpx.RemoteProtocolError):
            await client.post(f"{model.base_url}/chat/completions", json={"messages": []})
        model.then(script.cut(script.says("a long answer"), 0))
        with pytest.raises(httpx.RemoteProtocolError):
            await client.post(f"{model.base_url}/chat/completions", json={"messages": []})
