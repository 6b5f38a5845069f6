"""A signal that ends a command is never lost, wherever in its start it arrives."""

import asyncio
import os
import signal
import weakref
from collections.abc import Iterator

import pytest

from refdesk.cli._signals import Leaving


@pytest.fixture
def leaving() -> Iterator[Leaving]:
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    yield Leaving()
    for number, handler in kept.items():
        signal.signal(number, handler)


def test_a_signal_interrupts_what_runs(leaving: Leaving) -> None:
    leaving.obey()
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGTERM)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_one_that_was_lost_in_a_callback_is_obeyed_at_the_next_step(leaving: Leaving) -> None:
    class Thing:
        pass

    def lose(_reference: object) -> None:
        os.kill(os.getpid(), signal.SIGTERM)  # where Python prints what is raised and goes on

    thing = Thing()
    reference = weakref.ref(thing, lose)
    del thing
    assert reference() is None
    with pytest.raises(KeyboardInterrupt):
        leaving.obey()


async def test_one_that_came_before_the_loop_took_over_ends_it_at_once(leaving: Leaving) -> None:
    left: list[str] = []
    leaving.asked = True
    leaving.hand_over(lambda: left.append("left"))
    assert left == ["left"]
    os.kill(os.getpid(), signal.SIGHUP)
    await asyncio.sleep(0.05)
    assert left == ["left", "left"]
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().remove_signal_handler(number)
