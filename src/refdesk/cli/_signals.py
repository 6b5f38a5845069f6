"""The signals that end a command, from its first line until its event loop takes them over.

Where one arrives while Python runs a callback of its own (a module's lock, a finalizer), the exception is
printed and lost. So it is remembered too, and looked for between the steps of a start.
"""

import asyncio
import signal
from collections.abc import Callable
from types import FrameType

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Leaving:
    """Takes Ctrl-C, SIGTERM and a closed terminal as `KeyboardInterrupt`."""

    def __init__(self) -> None:
        self.asked = False
        for number in _ENDING:
            signal.signal(number, self._take)

    def _take(self, _number: int, _frame: FrameType | None) -> None:
        self.asked = True
        raise KeyboardInterrupt

    def obey(self) -> None:
        """Raise `KeyboardInterrupt` if one was asked for and lost."""
        if self.asked:
            raise KeyboardInterrupt

    def hand_over(self, leave: Callable[[], None]) -> None:
        """Let the running loop take the signals from now on; `leave` at once if one came already."""
        loop = asyncio.get_running_loop()
        for number in _ENDING:
            loop.add_signal_handler(number, leave)
        if self.asked:
            leave()
