"""How much of a file was kept: characters counted by an independent reader against those in the result.

A multiset comparison, because parsers legitimately move text (footnotes, columns, running headers) and add
marks of their own (table borders, list numbers); order is checked by tests, not here. Whole lines that stand
on both sides cancel out first, which is exact for multisets and spares counting most texts by character.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from refdesk.knowledge.parsing.blocks import BlockList, Parsed

_INVISIBLE = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff\ufffd\ufffe\uffff")
# From here on numpy pays: it takes 0.2 s to load, then 4 ns a character instead of 40.
_LARGE = 4_000_000
_WINDOW = 1 << 20
_PART = 1 << 16
# Lines of larger texts are not compared: their copies would take more memory than numpy's table.
_BY_LINES = 20_000_000
_HIDDEN_BYTES = bytes(range(33))
_HIDDEN = re.compile(
    "[\x85\xa0\xad\u1680\u2000-\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff\ufffd-\uffff]"
)


def character_counts(texts: Sequence[str]) -> Counter[str]:
    """How often each visible character occurs."""
    windows = _windows(texts)
    total = _counted_by_numpy(windows) if sum(map(len, texts)) > _LARGE else _counted(windows)
    for char in [c for c in total if c.isspace() or c in _INVISIBLE or ord(c) < 32]:
        del total[char]
    return total


def visible_chars(text: str) -> int:
    """How many characters `character_counts` would count, 50 times as fast."""
    parts = (text[at : at + _PART] for at in range(0, len(text), _PART))
    return sum(
        # Of what Python calls printable, only these two are not counted.
        len(part) - part.count(" ") - part.count("\ufffd") if part.isprintable() else _visible(part)
        for part in parts
    )


def _visible(text: str) -> int:
    encoded = text.encode("utf-8", "surrogatepass")
    hidden = len(encoded) - len(encoded.translate(None, _HIDDEN_BYTES))
    return len(text) - hidden - (0 if text.isascii() else len(_HIDDEN.findall(text)))


def kept_of(
    source: list[str], texts: Sequence[str], unmarked: Callable[[str], str] | None = None
) -> tuple[int, int]:
    """Characters of the lines of a source, and how many are among the texts, lines in common first.

    `unmarked` gives the lines of the source that are not in the texts as they are without their marks.
    """
    there = _stripped(source)
    here = _stripped(chain.from_iterable(text.split("\n") if "\n" in text else (text,) for text in texts))
    common: list[str] = []
    missing: list[str] = []
    added: list[str] = []
    shared = 0
    for line, times in there.items():
        kept = here.pop(line, 0)
        if times == kept == 1:
            common.append(line)
        elif kept:
            shared += min(kept, times) * visible_chars(line)
        if kept < times:
            missing.extend([line] * (times - kept))
        elif kept > times:
            added.extend([line] * (kept - times))
    added.extend(here.elements())
    shared += visible_chars("".join(common))
    expected = character_counts([unmarked("\n".join(missing))] if unmarked else missing)
    found = (expected & character_counts(added)).total() if expected else 0
    return shared + expected.total(), shared + found


def _stripped(lines: Iterable[str]) -> Counter[str]:
    counted = Counter(map(str.strip, filter(None, lines)))
    del counted[""]
    return counted


def _windows(texts: Iterable[str]) -> Iterator[str]:
    """The texts as pieces of about one window."""
    gathered: list[str] = []
    size = 0
    for text in texts:
        if size + len(text) > _WINDOW:
            yield "".join(gathered)
            gathered, size = [], 0
        if len(text) > _WINDOW:
            yield from (text[at : at + _WINDOW] for at in range(0, len(text), _WINDOW))
        else:
            gathered.append(text)
            size += len(text)
    yield "".join(gathered)


def _counted(windows: Iterable[str]) -> Counter[str]:
    total: Counter[str] = Counter()
    for text in windows:
        total.update(text)
    return total


def _counted_by_numpy(windows: Iterable[str]) -> Counter[str]:
    import numpy as np

    total = np.zeros(0x110000, np.int64)
    for text in windows:
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        counts = np.bincount(codes)
        total[: len(counts)] += counts
    return Counter({chr(code): int(total[code]) for code in np.flatnonzero(total)})


def finish(
    name: str,
    kind: str,
    found: BlockList,
    meta: dict[str, Any],
    source: str | list[str] | Counter[str],
    kept_in_meta: Iterable[str] = (),
    unmarked: Callable[[str], str] | None = None,
) -> Parsed:
    """Close a parse: `source` is the text an independent reader found, as one, in lines, or its counts.

    `unmarked` takes the marks out of lines of a source that has some.
    """
    texts = [*(block.text for block in found.blocks), *kept_in_meta]
    if isinstance(source, str):
        source = source.split("\n") if len(source) < _BY_LINES else character_counts([source])
    if isinstance(source, list):
        extracted, kept = kept_of(source, texts, unmarked)
    else:
        extracted, kept = source.total(), (source & character_counts(texts)).total()
    return Parsed(
        name=name,
        kind=kind,
        blocks=tuple(found.blocks),
        meta={key: value for key, value in meta.items() if value not in (None, "", [], {})},
        warnings=tuple(found.warnings),
        extracted_chars=extracted,
        kept_chars=kept,
    )
