"""YAML as it may come in from anybody: read with limits, and written in the order it was made.

Reads the scalars of YAML 1.2 (`yes` and `2026-01-01` are texts), refuses tags, double keys, recursion, and
documents whose aliases would unfold to more than was sent. Knows nothing of descriptors.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import yaml

from refdesk.gateway.descriptors.errors import DescriptorUnreadable

MAX_BYTES = 1024 * 1024
MAX_DOCUMENTS = 200
MAX_NODES = 50_000
MAX_DEPTH = 40
MAX_ALIASES = 200

type Path = Sequence[str | int]


@dataclass(frozen=True, slots=True)
class Document:
    """One document: its value, of JSON's types only, and where each part of it stands."""

    value: Any
    node: yaml.Node

    def line(self, path: Path) -> int:
        """The line, from 1, of what `path` leads to, or of the last part of it that is there."""
        node, line = self.node, self.node.start_mark.line + 1
        for part in path:
            found = _child(node, part)
            if found is None:
                break
            line, node = found
        return line


class _Reader(yaml.SafeLoader):
    """`SafeLoader` with YAML 1.2's scalars and no surprises."""

    # The library declares it on instances and reads it off classes.
    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}  # pyright: ignore[reportIncompatibleVariableOverride]


for _tag, _pattern, _first in (
    ("tag:yaml.org,2002:bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("tag:yaml.org,2002:int", r"[-+]?[0-9]+", "-+0123456789"),
    (
        "tag:yaml.org,2002:float",
        r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?",
        "-+.0123456789",
    ),
    ("tag:yaml.org,2002:null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
):
    cast(Any, _Reader).add_implicit_resolver(_tag, re.compile(rf"^(?:{_pattern})$"), list(_first))


def _whole(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> int | float:
    """A whole number; one too long for any machine's integers as the float it is closest to."""
    text = str(loader.construct_scalar(node))
    return int(text) if len(text) <= 18 else float(text)


_Reader.add_constructor("tag:yaml.org,2002:int", _whole)


def read_documents(text: str) -> list[Document]:
    """The documents of a text, empty ones left out. Raises `DescriptorUnreadable`."""
    if len(text.encode("utf-8", "replace")) > MAX_BYTES:
        raise DescriptorUnreadable(f"The text is longer than {MAX_BYTES // 1024} KB.")
    try:
        _bound(text)
        loader: Any = _Reader(text)
        try:
            return list(_documents(loader))
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark is not None else 1
        raise DescriptorUnreadable(f"Line {line}: {error.problem or error.context}.", line=line) from error
    except yaml.YAMLError as error:
        raise DescriptorUnreadable(str(error).splitlines()[0]) from error
    except (ValueError, OverflowError) as error:
        raise DescriptorUnreadable(f"A value cannot be read: {error}.") from error


def write_documents(values: Sequence[Any]) -> str:
    """The values as documents of one text."""
    return yaml.safe_dump_all(
        values, sort_keys=False, allow_unicode=True, default_flow_style=False, width=100, explicit_start=True
    )


def _bound(text: str) -> None:
    """Refuse what is too much before anything is made of it."""
    nodes = aliases = depth = documents = 0
    for event in cast("Iterator[yaml.Event]", cast(Any, yaml).parse(text, _Reader)):
        line = event.start_mark.line + 1
        match event:
            case yaml.AliasEvent():
                aliases += 1
            case yaml.CollectionStartEvent():
                nodes, depth = nodes + 1, depth + 1
            case yaml.CollectionEndEvent():
                depth -= 1
            case yaml.ScalarEvent():
                nodes += 1
            case yaml.DocumentStartEvent():
                documents += 1
            case _:
                continue
        if isinstance(event, yaml.NodeEvent) and getattr(event, "tag", None) not in (None, "!"):
            raise DescriptorUnreadable(f"Line {line}: tags are not taken.", line=line)
        if nodes > MAX_NODES or aliases > MAX_ALIASES or depth > MAX_DEPTH or documents > MAX_DOCUMENTS:
            raise DescriptorUnreadable(
                f"Line {line}: at most {MAX_DOCUMENTS} documents, {MAX_NODES} values, {MAX_DEPTH} levels and"
                f" {MAX_ALIASES} aliases are taken.",
                line=line,
            )


def _documents(loader: Any) -> Iterator[Document]:
    while loader.check_node():
        node = loader.get_node()
        if node is None:
            continue
        _Walk().measure(node)
        value: Any = loader.construct_document(node)
        if value is not None:
            yield Document(value, node)


class _Walk:
    """Sizes of nodes with their aliases unfolded, each counted once."""

    def __init__(self) -> None:
        self._sizes: dict[int, int] = {}
        self._open: set[int] = set()

    def measure(self, node: yaml.Node) -> int:
        key, line = id(node), node.start_mark.line + 1
        if key in self._open:
            raise DescriptorUnreadable(f"Line {line}: a value cannot hold itself.", line=line)
        if key in self._sizes:
            return self._sizes[key]
        self._open.add(key)
        size = 1
        if isinstance(node, yaml.MappingNode):
            self._refuse_odd_keys(node)
            size += sum(1 + self.measure(value) for _, value in node.value)
        elif isinstance(node, yaml.SequenceNode):
            size += sum(self.measure(item) for item in node.value)
        if size > MAX_NODES:
            raise DescriptorUnreadable(f"Line {line}: unfolded, the aliases hold too much.", line=line)
        self._open.discard(key)
        self._sizes[key] = size
        return size

    @staticmethod
    def _refuse_odd_keys(node: yaml.MappingNode) -> None:
        seen: set[str] = set()
        for key, _ in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                raise DescriptorUnreadable(f"Line {line}: names of members are texts.", line=line)
            # A number or a word such as `null` as a name is taken as it is written.
            key.tag = "tag:yaml.org,2002:str"
            if key.value in seen:
                raise DescriptorUnreadable(f"Line {line}: {key.value} is given twice.", line=line)
            seen.add(key.value)


def _child(node: yaml.Node, part: str | int) -> tuple[int, yaml.Node] | None:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == str(part):
                return key.start_mark.line + 1, value
    elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return node.value[part].start_mark.line + 1, node.value[part]
    return None
