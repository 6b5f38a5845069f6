"""What a strategy is."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Protocol, runtime_checkable

from refdesk.retrieval.search import Hit, Ranking, SearchRequest


class Ranker(Protocol):
    """A plain search: the request's mode, no gate. `depth`: how many hits are wanted at least."""

    async def __call__(self, request: SearchRequest, *, depth: int) -> Ranking: ...


class Strategy(Protocol):
    """Ranks what a question finds. Holds no state of a request; may search more than once."""

    name: ClassVar[str]

    def fits(self, question: str) -> bool:
        """Whether the question's form asks for this strategy; must not search."""
        ...

    async def rank(self, request: SearchRequest, search: Ranker) -> Ranking:
        """Hits best first, each paragraph once, with scores in falling order; those beyond `top_n` tell what
        was left out. Must not drop a hit that the plain search has among its first `top_n` for being unlike
        the others: that is the gate's matter."""
        ...


@runtime_checkable
class Described(Protocol):
    """A strategy that says what it does, for whoever chooses one."""

    descriptions: ClassVar[Mapping[str, str]]
    """One sentence a language, `en` and `zh`."""


@runtime_checkable
class Settles(Protocol):
    """A strategy whose promise about the order holds over a reranker's as well."""

    def settle(self, hits: Sequence[Hit]) -> list[Hit]:
        """The same hits in the order promised, with scores in falling order."""
        ...
