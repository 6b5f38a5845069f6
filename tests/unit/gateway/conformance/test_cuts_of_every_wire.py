"""An answer cut at any byte is never taken for a complete one, whatever the wire."""

import pytest
from tests.unit.gateway.conformance.collecting import streamed, whole
from tests.unit.gateway.conformance.conftest import ask

from refdesk.gateway import Completion, ModelBadResponse, ModelInterrupted
from refdesk.testing.scripted_model import Call, Turn, cut, says
from refdesk.testing.scripted_wires import FORMATS

TURNS = (
    Turn("退货需在 7 天内。", reasoning="Hm.", cut=5),
    Turn(calls=(Call("search", '{"query":"退货"}'),), finish="tool_calls", cut=6),
)
STEP = 7
"""Every byte is as good as any other: a prime step over two answers meets all kinds of places."""


def form_of(wire: str):
    return FORMATS["openai" if wire == "azure" else wire]


@pytest.mark.parametrize("turn", TURNS)
async def test_a_connection_cut_at_any_byte_is_an_interruption(server, completer, wire, turn):
    complete = await answer_to(server, completer, turn)
    size = len(b"".join(form_of(wire).stream(turn)))
    for at_byte in range(1, size, STEP):
        server.then(cut(says(turn), at_byte))
        try:
            found = await streamed(completer, ask())
        except ModelInterrupted:
            continue
        assert found == complete, f"cut at byte {at_byte}"


@pytest.mark.parametrize("turn", TURNS)
async def test_a_stream_that_a_proxy_ends_at_any_byte_is_no_answer(server, completer, wire, turn):
    complete = await answer_to(server, completer, turn)
    size = len(b"".join(form_of(wire).stream(turn)))
    broken = 0
    for end_after in range(1, size, STEP):
        server.then(says(turn, end_after=end_after))
        try:
            found = await streamed(completer, ask())
        except (ModelInterrupted, ModelBadResponse):
            broken += 1
            continue
        # Behind the reason of the end only usage may be lost.
        assert (found.text, found.tool_calls) == (complete.text, complete.tool_calls), f"{end_after}"
        assert found.finish_reason == complete.finish_reason
    assert broken > size // STEP // 2


async def test_a_whole_answer_cut_at_any_byte_is_an_interruption(server, completer):
    reply = says(TURNS[0])
    for at_byte in range(1, 400, STEP * 3):
        server.then(cut(reply, at_byte))
        try:
            found = await whole(completer, ask())
        except ModelInterrupted:
            continue
        assert found.text == TURNS[0].text


async def answer_to(server, completer, turn: Turn) -> Completion:
    server.then(says(turn))
    return await streamed(completer, ask())
