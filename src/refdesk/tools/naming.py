"""What tools are called where a model reads it: letters, digits, `_` and `-`, at most 64 characters, no two
alike in one toolbox."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import replace

from refdesk.tools.spec import Tool

MAX_NAME_CHARS = 64
_SERVER_CHARS = 24


def namespaced(server: str, tool: str) -> str:
    """The name of a server's tool: `orders__order_query`. Where letters had to be left out, a few characters
    of a hash keep names apart and the same from day to day."""
    space = _plain(server)[:_SERVER_CHARS].strip("_") or f"server_{_hash(server)}"
    return _fitted(f"{space}__{_plain(tool)}", f"{server}\x00{tool}", is_exact=_plain(tool) == tool)


def plain_name(name: str) -> str:
    """A name of any letters as one that a model may use."""
    return _fitted(_plain(name) or "tool", name, is_exact=_plain(name) == name)


def told_apart(tools: Iterable[Tool]) -> list[Tool]:
    """The tools, each id once, with names that differ: the second `find` becomes `find_2`."""
    taken: set[str] = set()
    seen: set[str] = set()
    result: list[Tool] = []
    for tool in tools:
        if tool.spec.id in seen:
            continue
        seen.add(tool.spec.id)
        name, number = tool.spec.name, 1
        while name in taken:
            number += 1
            suffix = f"_{number}"
            name = tool.spec.name[: MAX_NAME_CHARS - len(suffix)] + suffix
        taken.add(name)
        result.append(tool if name == tool.spec.name else replace(tool, spec=replace(tool.spec, name=name)))
    return result


def _plain(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]+", "_", text).strip("_")


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _fitted(name: str, origin: str, *, is_exact: bool) -> str:
    if is_exact and len(name) <= MAX_NAME_CHARS:
        return name
    return f"{name[: MAX_NAME_CHARS - 9]}_{_hash(origin)}"
