"""The tables of revision 0006 for knowledge graphs."""


def make() -> None: ...


def drop() -> None: ...
