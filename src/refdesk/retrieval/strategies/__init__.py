"""How a search goes about its question: strategies by name, and the rules that choose one.

A strategy ranks; the gate, the drop and the number asked for come after it and are the same for all. One more
is a class as `Strategy` describes it, registered under the entry-point group `refdesk.strategies` or with
`register`; `refdesk.testing.strategies` holds the checks that each must pass.
"""

from refdesk.retrieval.strategies.entities import EntityFocused, entities_in
from refdesk.retrieval.strategies.hybrid import HybridSearch
from refdesk.retrieval.strategies.protocol import Described, Ranker, Settles, Strategy
from refdesk.retrieval.strategies.registry import (
    AUTO,
    StrategyChoice,
    check_strategy_name,
    get_strategy,
    register,
    strategy_choices,
    strategy_names,
)
from refdesk.retrieval.strategies.time_aware import TimeAware, asks_for_the_newest

__all__ = [
    "AUTO",
    "Described",
    "EntityFocused",
    "HybridSearch",
    "Ranker",
    "Settles",
    "Strategy",
    "StrategyChoice",
    "TimeAware",
    "asks_for_the_newest",
    "check_strategy_name",
    "entities_in",
    "get_strategy",
    "register",
    "strategy_choices",
    "strategy_names",
]
