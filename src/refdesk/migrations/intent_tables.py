"""The tables of revision 0006 for intents and what a conversation waits for."""


def make() -> None: ...


def drop() -> None: ...
