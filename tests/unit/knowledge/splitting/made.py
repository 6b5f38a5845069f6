"""Parsed files made in memory, and a Hypothesis strategy for them."""

from hypothesis import strategies as st

from refdesk.knowledge.parsing import Parsed
from refdesk.knowledge.parsing.blocks import BlockKind, BlockList

_TEXTS = st.text(
    st.sampled_from("abcXYZ 中文条款。！？,.;：\n\t0123-|#*`é\u200b\u3000"),
    min_size=1,
    max_size=300,
)
_TABLES = st.lists(st.text(st.sampled_from("ab中1 ."), max_size=12), min_size=1, max_size=30).map(
    lambda rows: "\n".join(["| k | v |", "| --- | --- |", *(f"| {row} | x |" for row in rows)])
)
_KINDS: list[BlockKind] = ["paragraph", "list_item", "quote", "caption"]


def parsed_of(*blocks: tuple[BlockKind, str] | tuple[BlockKind, str, int], kind: str = "markdown") -> Parsed:
    """A parsed file of blocks given as (kind, text) or (kind, text, level)."""
    found = BlockList()
    for block in blocks:
        found.add(block[0], block[1], level=block[2] if len(block) > 2 else None)
    return Parsed("a", kind, tuple(found.blocks), {}, (), 0, 0)


def _block() -> st.SearchStrategy[tuple[BlockKind, str, int]]:
    plain = st.tuples(st.sampled_from(_KINDS), _TEXTS, st.just(0))
    heading = st.tuples(st.just("heading"), _TEXTS.map(lambda t: t.replace("\n", " ")), st.integers(1, 6))
    code = st.tuples(st.just("code"), _TEXTS, st.just(0))
    table = st.tuples(st.just("table"), _TABLES, st.just(0))
    return st.one_of(plain, heading, code, table)  # pyright: ignore[reportReturnType]


FILES = st.lists(_block(), min_size=1, max_size=25).map(lambda blocks: parsed_of(*blocks))
