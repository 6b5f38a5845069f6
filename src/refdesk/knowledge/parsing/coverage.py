"""How much of a file was kept: characters counted by an independent reader against those in the result.

A multiset comparison, because parsers legitimately move text (footnotes, columns, running headers) and add
marks of their own (table borders, list numbers); order is checked by tests, not here.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from refdesk.knowledge.parsing.blocks import BlockList, Parsed

_INVISIBLE = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff\ufffd\ufffe\uffff")


def _counts(texts: Iterable[str]) -> Counter[str]:
    total: Counter[str] = Counter()
    for text in texts:
        total.update(text)
    for char in [c for c in total if c.isspace() or c in _INVISIBLE or ord(c) < 32]:
        del total[char]
    return total


def finish(
    name: str,
    kind: str,
    found: BlockList,
    meta: dict[str, Any],
    source: str,
    kept_in_meta: Iterable[str] = (),
) -> Parsed:
    """Close a parse: `source` is the text an independent reader found; order does not matter."""
    expected = _counts([source])
    kept = _counts([*(block.text for block in found.blocks), *kept_in_meta])
    return Parsed(
        name=name,
        kind=kind,
        blocks=tuple(found.blocks),
        meta={key: value for key, value in meta.items() if value not in (None, "", [], {})},
        warnings=tuple(found.warnings),
        extracted_chars=expected.total(),
        kept_chars=(expected & kept).total(),
    )
