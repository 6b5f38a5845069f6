"""Strategies by name: ours, and those of installed packages."""

from functools import cache
from importlib.metadata import entry_points

from refdesk.retrieval.errors import UnknownStrategy
from refdesk.retrieval.strategies.entities import EntityFocused
from refdesk.retrieval.strategies.hybrid import HybridSearch
from refdesk.retrieval.strategies.protocol import Strategy
from refdesk.retrieval.strategies.time_aware import TimeAware

AUTO = "auto"
ENTRY_POINTS = "refdesk.strategies"

# In the order in which they are asked whether a question is theirs; the plain search takes what is left.
_strategies: dict[str, Strategy] = {
    strategy.name: strategy for strategy in (TimeAware(), EntityFocused(), HybridSearch())
}


def register(strategy: Strategy) -> None:
    """Make a strategy available under its name. It is asked before ours whether a question is its own."""
    if strategy.name in _strategies or strategy.name == AUTO:
        raise ValueError(f"two strategies are named {strategy.name}")
    ours = dict(_strategies)
    _strategies.clear()
    _strategies.update({strategy.name: strategy} | ours)


@cache
def _load_installed() -> None:
    for point in entry_points(group=ENTRY_POINTS):
        register(point.load()())


def strategy_names() -> tuple[str, ...]:
    _load_installed()
    return tuple(_strategies)


def get_strategy(name: str, question: str) -> Strategy:
    """The strategy of a name; for `auto` the first whose kind this question is. Raises `UnknownStrategy`."""
    _load_installed()
    if name == AUTO:
        return next(strategy for strategy in _strategies.values() if strategy.fits(question))
    strategy = _strategies.get(name)
    if strategy is None:
        raise UnknownStrategy(strategy=name, strategies=[AUTO, *_strategies])
    return strategy
