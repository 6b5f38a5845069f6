"""The tables of revision 0006 for the stages of an answer, memory and notes."""


def make() -> None: ...


def drop() -> None: ...
