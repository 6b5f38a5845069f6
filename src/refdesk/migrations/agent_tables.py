"""The tables of revision 0006 for the agent, skills and working directories."""


def make() -> None: ...


def drop() -> None: ...
