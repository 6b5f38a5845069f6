"""The tables of revision 0006 for tool servers, stored tools, their secrets."""


def make() -> None: ...


def drop() -> None: ...
