"""`name: value` pairs out of a text that is no JSON: `query=退货, top_k=3`, `<query>退货</query>`.

Only names that the schema knows are looked for, so a colon within a sentence makes no argument.
"""

import re
from collections.abc import Iterable
from typing import Any

_ENDS = " \t\r\n,;&，；)}]>"


def read_pairs(text: str, names: Iterable[str]) -> dict[str, Any]:
    """The known names with the text behind each; empty where none is written."""
    known = {name.casefold(): name for name in names if name}
    if not known:
        return {}
    alternatives = "|".join(re.escape(name) for name in sorted(known, key=len, reverse=True))
    tagged = re.compile(rf"<({alternatives})>(.*?)</\1\s*>", re.IGNORECASE | re.DOTALL)
    found = {known[hit[1].casefold()]: hit[2].strip() for hit in tagged.finditer(text)}
    if found:
        return dict(found)
    start = re.compile(rf"(?<![\w.-])[\"'`]?({alternatives})[\"'`]?\s*(?:[:=：]|=>)\s*", re.IGNORECASE)
    hits = list(start.finditer(text))
    pairs: dict[str, Any] = {}
    for number, hit in enumerate(hits):
        name = known[hit[1].casefold()]
        end = hits[number + 1].start() if number + 1 < len(hits) else len(text)
        value = _value(text[hit.end() : end])
        if value and name not in pairs:
            pairs[name] = value
    return pairs


def _value(text: str) -> str:
    text = text.strip()
    if text[:1] in "\"'`" and text:
        end = text.find(text[0], 1)
        while end > 0 and text[end - 1] == "\\":
            end = text.find(text[0], end + 1)
        return text[1:end].strip() if end > 0 else text[1:].rstrip(_ENDS)
    return text.partition("\n")[0].rstrip(_ENDS + "\"'`").strip()
