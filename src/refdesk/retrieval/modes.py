"""How a search uses the legs: one class a mode, found by name.

A new way of ranking is one more class with `@register`; nothing else has to know of it.
"""

from abc import ABC, abstractmethod
from typing import ClassVar

from refdesk.retrieval.candidates import Candidates
from refdesk.retrieval.errors import UnknownMode
from refdesk.retrieval.fusion import Scores, blend, exact_first, min_max


class Mode(ABC):
    """Which legs are asked, and how their candidates are ordered."""

    name: ClassVar[str]
    uses_dense: ClassVar[bool]
    uses_lexical: ClassVar[bool]

    @abstractmethod
    def order(self, candidates: Candidates) -> Scores:
        """Scores 0–1, one a candidate; greater is nearer."""


_modes: dict[str, Mode] = {}


def register(kind: type[Mode]) -> type[Mode]:
    """Make a mode available under its name."""
    if kind.name in _modes:
        raise ValueError(f"two search modes are named {kind.name}")
    _modes[kind.name] = kind()
    return kind


def mode_names() -> tuple[str, ...]:
    return tuple(_modes)


def get_mode(name: str) -> Mode:
    """Raises `UnknownMode`."""
    mode = _modes.get(name)
    if mode is None:
        raise UnknownMode(mode=name, modes=list(_modes))
    return mode


@register
class EmbeddingMode(Mode):
    """By meaning alone."""

    name = "embedding"
    uses_dense = True
    uses_lexical = False

    def order(self, candidates: Candidates) -> Scores:
        return min_max(candidates.dense)


@register
class KeywordsMode(Mode):
    """By words alone."""

    name = "keywords"
    uses_dense = False
    uses_lexical = True

    def order(self, candidates: Candidates) -> Scores:
        return exact_first(min_max(candidates.lexical), candidates.exact)


@register
class BlendMode(Mode):
    """By both; the default."""

    name = "blend"
    uses_dense = True
    uses_lexical = True

    def order(self, candidates: Candidates) -> Scores:
        fused = blend(candidates.dense, candidates.lexical, candidates.comparable)
        return exact_first(fused, candidates.exact)
