"""Answers with members of other types than agreed: an answer or a `ModelError`, never a stack trace."""

import asyncio
from functools import cache

import httpx
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.gateway.conformance.conftest import MODEL_ID, key_of

from refdesk.gateway import Completion, CompletionBuilder, ModelError
from refdesk.gateway.wires import Connection, HttpCompleter, build_completer
from refdesk.kit.http import guarded_client
from refdesk.testing.scripted_model import Call, Turn
from refdesk.testing.scripted_wires import FORMATS

TURN = Turn("Yes.", reasoning="Hm.", calls=(Call("search", '{"q":1}'), Call("order", "{}", "b")), cut=3)
INTEGERS = st.integers(-(2**53), 2**53)
SCALARS = st.one_of(st.none(), st.booleans(), INTEGERS, st.floats(allow_nan=False), st.text(max_size=5))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=4,
)


@cache
def offline(wire: str) -> HttpCompleter:
    """A completer of which only the reading is used."""
    return build_completer(
        wire,
        model_id=MODEL_ID,
        model_name="m",
        connection=Connection(guarded_client(allow_private=True), "http://127.0.0.1:9", key_of(wire)),
        context_tokens=8192,
        defaults={},
    )


def parts_of(wire: str) -> list:
    """The JSON of every part of a good stream."""

    async def read() -> list:
        async def body():
            for frame in FORMATS[wire].stream(TURN):
                yield frame

        frames = offline(wire).format.frames(httpx.Response(200, content=body()))
        return [orjson.loads(data) async for data in frames if data != b"[DONE]"]

    return asyncio.run(read())


PARTS = {wire: parts_of(wire) for wire in FORMATS}
WHOLES = {wire: FORMATS[wire].whole(TURN) for wire in FORMATS}


def places(value, path=()):
    """The way to every value within."""
    yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in inside:
        yield from places(inner, (*path, key))


def changed(value, path, new):
    """A copy with another value at a place."""
    if not path:
        return new
    key, *rest = path
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[key] = changed(copy[key], rest, new)
    return copy


def texts_of(answer: Completion) -> list:
    calls = [text for call in answer.tool_calls for text in (call.id, call.name, call.arguments, call.state)]
    return [answer.text, answer.reasoning, *calls]


@pytest.mark.parametrize("wire", FORMATS)
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_a_stream_with_a_member_of_another_type(wire, data):
    parts = list(PARTS[wire])
    for _ in range(data.draw(st.integers(1, 3))):
        number = data.draw(st.integers(0, len(parts) - 1))
        where = data.draw(st.sampled_from(list(places(parts[number]))))
        parts[number] = changed(parts[number], where, data.draw(VALUES))
    completer = offline(wire)
    reader = completer.format.reader(completer.connection)
    builder = CompletionBuilder()
    try:
        for part in parts:
            for event in completer._chunk(reader, orjson.dumps(part)):
                builder.add(event)
        for event in completer._end(reader):
            builder.add(event)
    except ModelError:
        return
    answer = builder.build()
    assert all(
        isinstance(one, str) for call in answer.tool_calls for one in (call.id, call.name, call.arguments)
    )


@pytest.mark.parametrize("wire", FORMATS)
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_a_whole_answer_with_a_member_of_another_type(wire, data):
    where = data.draw(st.sampled_from(list(places(WHOLES[wire]))))
    raw = orjson.dumps(changed(WHOLES[wire], where, data.draw(VALUES)))
    completer = offline(wire)
    builder = CompletionBuilder()
    try:
        for event in completer._whole(completer.format.reader(completer.connection), raw):
            builder.add(event)
    except ModelError:
        return
    answer = builder.build()
    assert all(
        isinstance(one, str) for call in answer.tool_calls for one in (call.id, call.name, call.arguments)
    )
    assert isinstance(answer.reasoning, str)
