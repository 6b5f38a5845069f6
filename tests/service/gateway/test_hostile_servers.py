"""What a model's server makes up must neither stop the record, nor move limits, nor hide from a policy."""

from uuid import UUID

import pytest
import structlog
from sqlalchemy import select
from structlog.testing import capture_logs
from tests.service.gateway.governed import eventually
from tests.service.gateway.routed import QUESTION, listen, routed_workspace, switch

from refdesk.gateway import Purpose, UsageReport
from refdesk.gateway.usage import CallRecord
from refdesk.gateway.usage.tables import ModelCall
from refdesk.testing import scripted_model as script
from refdesk.testing.scripted_model import scripted_model


@pytest.fixture
async def world(database, tmp_path):
    async with routed_workspace(database, tmp_path) as made:
        yield made


@pytest.fixture
async def server():
    async with scripted_model() as running:
        yield running


def whole(usage):
    message = {"role": "assistant", "content": "Two years."}
    return script.body({"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage})


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": 10**12, "completion_tokens": 1},
        {"prompt_tokens": -500, "completion_tokens": 1},
        {"prompt_tokens": "many"},
        {"prompt_tokens": 1e300},
        {"prompt_tokens": 5, "prompt_tokens_details": "none"},
    ],
)
async def test_made_up_numbers_of_tokens_are_not_believed_and_the_answer_stands(world, server, usage):
    server.then(whole(usage))
    model_id = await world.model(server.base_url, name=f"m-{len(server.requests)}")
    completer = await world.gateway().completer(world.scope, model_id)
    completion = await completer.complete(QUESTION)
    assert completion.text == "Two years."
    assert completion.usage in (None, UsageReport(5, 0))


async def test_one_call_that_no_column_takes_does_not_stop_the_record(world, server, database):
    model_id = await world.model(server.base_url)
    gateway = world.gateway()
    log = gateway.controls.usage

    def call(tokens: int) -> CallRecord:
        usage = UsageReport(tokens, 1)
        return CallRecord(world.scope, Purpose("answer"), model_id, "LLM", "ok", 5, usage=usage)

    for tokens in (7, 2**40, 9):
        log.record(call(tokens))

    async def written() -> bool:
        async with database.transaction() as session:
            query = select(ModelCall.input_tokens).where(ModelCall.model_id == model_id)
            return sorted((await session.scalars(query)).all()) == [7, 9]

    await eventually(written, 3)
    assert log.lost == 1


async def test_a_refusal_with_a_long_page_is_the_refusal_it_is_and_falls_back(world, server):
    page = script.body(b"<html><title>Bad gateway</title>" + b"x" * 200_000, status=503)
    server.always(page)
    async with scripted_model() as other:
        other.always(script.answer("From the backup."))
        backup = await world.model(other.base_url, "backup")
        policy = await world.policy(switch(backup, "response_code == 503"))
        model_id = await world.model(server.base_url, fallback_policy_id=policy)
        heard = await listen(world.gateway(), world.scope, model_id)
    assert (heard.text, heard.error) == ("From the backup.", None)


async def test_an_answer_without_an_end_is_a_failure_that_falls_back(world, server, monkeypatch):
    monkeypatch.setattr("refdesk.gateway.wires.streams.MAX_STREAM_BYTES", 50_000)
    server.always(script.body(b'{"choices": "' + b"x" * 100_000 + b'"}'))
    async with scripted_model() as other:
        other.always(script.answer("From the backup."))
        backup = await world.model(other.base_url, "backup")
        policy = await world.policy(switch(backup, "error == 'model-bad-response'"))
        model_id = await world.model(server.base_url, fallback_policy_id=policy)
        heard = await listen(world.gateway(), world.scope, model_id)
    assert (heard.text, heard.error) == ("From the backup.", None)


async def test_lines_of_background_work_name_no_request(world, server, monkeypatch):
    """The writer of the record is begun by some call; its own troubles are not that call's."""
    model_id = await world.model(server.base_url)
    gateway = world.gateway()

    async def fails(_rows: object) -> None:
        raise OSError("away")

    with (
        structlog.contextvars.bound_contextvars(request_id="r-1", model_id=str(model_id)),
        capture_logs([structlog.contextvars.merge_contextvars]) as lines,
    ):
        monkeypatch.setattr(gateway.controls.usage, "_write", fails)
        await listen(gateway, world.scope, model_id)

        async def complained() -> bool:
            return any(line["event"] == "usage.write-failed" for line in lines)

        await eventually(complained, 3)
    (line,) = [line for line in lines if line["event"] == "usage.write-failed"]
    assert "request_id" not in line
    assert UUID(next(line["model_id"] for line in lines if line["event"] == "model.call")) == model_id
    monkeypatch.undo()
