"""Strategies by name: ours, and those of installed packages."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points

import structlog

from refdesk.retrieval.errors import UnknownStrategy
from refdesk.retrieval.strategies.entities import EntityFocused
from refdesk.retrieval.strategies.hybrid import HybridSearch
from refdesk.retrieval.strategies.protocol import Described, Strategy
from refdesk.retrieval.strategies.time_aware import TimeAware

log = structlog.get_logger(__name__)

AUTO = "auto"
ENTRY_POINTS = "refdesk.strategies"

# In the order in which they are asked whether a question is theirs; the plain search takes what is left.
_strategies: dict[str, Strategy] = {
    strategy.name: strategy for strategy in (TimeAware(), EntityFocused(), HybridSearch())
}
_BUILT_IN = frozenset((AUTO, *_strategies))
_SHOWN = {HybridSearch.name: 0, AUTO: 1}
_AUTO_DESCRIPTIONS = {
    "en": "Newest first where a question asks for the latest, entities first where it names people,"
    " organisations or products, else hybrid search.",
    "zh": "问“最新”“目前”时最新优先，点名人物、机构、产品时实体优先，其余用混合检索。",
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
        try:
            register(point.load()())
        except Exception as error:  # noqa: BLE001 — a broken package must not cost everybody the search
            log.error("strategy.unusable", name=point.name, package=point.value, error=repr(error))


def strategy_names() -> tuple[str, ...]:
    _load_installed()
    return tuple(_strategies)


@dataclass(frozen=True, slots=True)
class StrategyChoice:
    """A name that a search takes as its strategy. `descriptions`: a sentence by language, or none."""

    name: str
    is_built_in: bool
    descriptions: Mapping[str, str]


def strategy_choices() -> list[StrategyChoice]:
    """All names that a search takes: the plain search, `auto`, our own, then those of installed packages."""
    _load_installed()
    known = [
        StrategyChoice(
            name, name in _BUILT_IN, strategy.descriptions if isinstance(strategy, Described) else {}
        )
        for name, strategy in _strategies.items()
    ]
    choices = [*known, StrategyChoice(AUTO, True, _AUTO_DESCRIPTIONS)]
    return sorted(choices, key=lambda one: (not one.is_built_in, _SHOWN.get(one.name, len(_SHOWN)), one.name))


def check_strategy_name(name: str) -> None:
    """Raises `UnknownStrategy`, with the names that are known, unless a search takes this one."""
    if name not in (AUTO, *strategy_names()):
        names = [choice.name for choice in strategy_choices()]
        raise UnknownStrategy(hint=f"Use one of: {', '.join(names)}.", strategy=name, strategies=names)


def get_strategy(name: str, question: str) -> Strategy:
    """The strategy of a name; for `auto` the first whose kind this question is. Raises `UnknownStrategy`."""
    check_strategy_name(name)
    if name == AUTO:
        return next(strategy for strategy in _strategies.values() if strategy.fits(question))
    return _strategies[name]
