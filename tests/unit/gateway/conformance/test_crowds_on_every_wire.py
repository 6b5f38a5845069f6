"""Many callers of one completer: each gets its own answer, none leaves anything open."""

import asyncio

from tests.unit.gateway.conformance.collecting import streamed, until
from tests.unit.gateway.conformance.conftest import ask

from refdesk.gateway import ModelError
from refdesk.testing.scripted_model import Turn, says
from refdesk.testing.scripted_wires import asked

CALLERS = 60


async def test_a_crowd_gets_its_own_answers_and_leaves_nothing_open(server, completer):
    async def reply(request, send):
        words = asked(request.path, request.body)
        number = int(words.split()[1])
        breaking = 4 if number % 3 == 1 else None
        endless = 1000 if number % 3 == 0 else 1  # those who leave have not heard the end
        await says(Turn(f"{words}, answered" * endless, cut=4), delay_s=0.005, break_after=breaking)(
            request, send
        )

    server.always(reply)
    tasks = [asyncio.create_task(streamed(completer, ask(f"caller {n}"))) for n in range(CALLERS)]
    await until(lambda: len(server.requests) == CALLERS, 5.0)
    for task in tasks[::3]:
        task.cancel()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    for number, outcome in enumerate(outcomes):
        match number % 3:
            case 0:
                assert isinstance(outcome, asyncio.CancelledError)
            case 1:
                assert isinstance(outcome, ModelError)
            case _:
                assert not isinstance(outcome, BaseException)
                assert outcome.text == f"caller {number}, answered"
    await until(lambda: server.open_connections == 0)
    assert server.connections == CALLERS
