"""Trees as files: JSON or YAML of the whole tree, CSV of the examples.

Files name knowledge bases by name and tools by whatever the importer says they are called, so that a tree can
move between installations. What cannot be bound is told and left unbound, never guessed.
"""

import asyncio
import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast
from uuid import UUID

import orjson
import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from refdesk.accounts import audit
from refdesk.chat.intents.errors import IntentFileInvalid
from refdesk.chat.intents.schemas import FileFormat, IntentFields, IntentImport, IntentImported
from refdesk.chat.intents.service import RESOURCE, IntentService, check_size, fill
from refdesk.chat.intents.tables import IntentNode
from refdesk.chat.intents.tree import MOST_DEPTH, IntentKind
from refdesk.kit.border_types import PlainLine
from refdesk.kit.clock import now
from refdesk.kit.ids import new_id
from refdesk.knowledge import KnowledgeBaseRepository

_NAMES = {kind.name: int(kind) for kind in IntentKind}
_TOLD = 20
_COLUMNS = ("code", "name", "example")
_PLAIN = ("description", "examples", "parameter_prompt", "answer_rule", "system_prompt", "reply", "top_k")


class FiledIntent(IntentFields):
    """An intent in a file, with those below it."""

    model_config = ConfigDict(extra="forbid")

    knowledge_base_ids: list[UUID] = Field(default=[], exclude=True, max_length=0)
    knowledge_bases: list[PlainLine] = Field(default=[], max_length=100)
    tool: PlainLine | None = Field(default=None, max_length=200)
    children: list["FiledIntent"] = Field(default=[])


class FiledTree(BaseModel):
    """A file of intents."""

    model_config = ConfigDict(extra="forbid")

    intents: list[FiledIntent]


async def export(service: IntentService, form: FileFormat) -> str:
    """The tree as a file's text."""
    nodes = await service.repository.all()
    if form == "csv":
        return _examples_csv(nodes)
    names = await _base_names(service, {base for node in nodes for base in node.knowledge_base_ids})
    tree = {"intents": _filed(nodes, None, names)}
    if form == "json":
        return orjson.dumps(tree, option=orjson.OPT_INDENT_2).decode() + "\n"
    return yaml.safe_dump(tree, allow_unicode=True, sort_keys=False, width=110)


async def take_in(service: IntentService, given: IntentImport) -> IntentImported:
    """Add what the file holds to the tree, by code. Raises `IntentFileInvalid` and leaves all as it was."""
    await service.repository.changed()
    if given.format == "csv":
        result = await _take_examples(service, given.content)
    else:
        result = await _take_tree(service, await asyncio.to_thread(_read, given), given)
    check_size(await service.repository.all())
    audit(
        service.session,
        service.scope,
        "intent.import",
        (RESOURCE, service.application_id),
        **result.model_dump(exclude={"warnings"}),
    )
    return result


def _read(given: IntentImport) -> FiledTree:
    try:
        read: Any = _yaml(given.content) if given.format == "yaml" else orjson.loads(given.content)
        if isinstance(read, list):
            read = {"intents": cast("list[Any]", read)}
        return FiledTree.model_validate(_with_kinds(read))
    except (yaml.YAMLError, orjson.JSONDecodeError, RecursionError) as error:
        raise IntentFileInvalid(reason=str(error)[:300]) from None
    except ValidationError as error:
        places = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()[:_TOLD]]
        raise IntentFileInvalid(places=places) from None


def _yaml(content: str) -> Any:
    """YAML without aliases: a few lines of them can stand for more than any memory holds."""
    events = cast("Iterable[object]", cast("Any", yaml).parse(content, yaml.SafeLoader))
    if any(isinstance(event, yaml.AliasEvent) for event in events):
        raise yaml.YAMLError("aliases are not allowed")
    return yaml.safe_load(content)


def _with_kinds(found: Any, depth: int = 0) -> Any:
    """Kinds may be named in files: `KB`, `SYSTEM`, `MCP`."""
    if depth > 2 * MOST_DEPTH + 2:
        return found
    if isinstance(found, dict):
        read = cast("dict[str, Any]", found)
        return {
            key: _NAMES.get(str(value).upper(), value)
            if key == "kind"
            else _with_kinds(value, depth + 1)
            if key in ("intents", "children")
            else value
            for key, value in read.items()
        }
    if isinstance(found, list):
        return [_with_kinds(one, depth + 1) for one in cast("list[Any]", found)]
    return found


async def _take_tree(service: IntentService, tree: FiledTree, given: IntentImport) -> IntentImported:
    nodes = {node.code: node for node in await service.repository.all()}
    bases = await _bases_by_name(service)
    result = IntentImported(created=0, updated=0, deleted=0, examples=0, warnings=[])
    named: set[str] = set()

    async def walk(filed: Sequence[FiledIntent], parent: IntentNode | None, depth: int) -> None:
        if filed and depth >= MOST_DEPTH:
            raise IntentFileInvalid(places=[f"{filed[0].code}: deeper than {MOST_DEPTH} levels"])
        for position, one in enumerate(filed):
            if one.code in named:
                raise IntentFileInvalid(places=[f"{one.code}: named twice"])
            named.add(one.code)
            node = nodes.get(one.code)
            known = set(node.examples) if node is not None else set[str]()
            if node is None:
                node = IntentNode(id=new_id(), code=one.code, knowledge_base_ids=[])
                nodes[one.code] = node
                service.session.add(node)
                result.created += 1
            else:
                result.updated += 1
            values = one.model_dump(exclude={"knowledge_bases", "tool", "children"})
            tool = one.tool or one.tool_id
            values["tool_id"] = given.tools.get(tool, tool) if tool else None
            fill(node, values)
            node.knowledge_base_ids = _bound(one, bases, result.warnings)
            node.workspace_id = service.scope.workspace_id
            node.application_id = service.application_id
            node.parent_id = parent.id if parent is not None else None
            node.position = position
            await service.check(node)
            result.examples += len(set(node.examples) - known)
            await walk(one.children, node, depth + 1)

    with service.session.no_autoflush:
        await walk(tree.intents, None, 0)
    await service.session.flush()
    gone = [node.id for code, node in nodes.items() if code not in named] if given.replace else []
    if gone:
        result.deleted = len(gone)
        await service.repository.remove(gone, now())
    return result


def _bound(filed: FiledIntent, bases: Mapping[str, UUID], warnings: list[str]) -> list[UUID]:
    found: list[UUID] = []
    for name in filed.knowledge_bases:
        if (base := bases.get(name)) is not None:
            found.append(base)
        elif len(warnings) < _TOLD:
            warnings.append(f"{filed.code}: there is no knowledge base “{name}”")
    return found


async def _take_examples(service: IntentService, content: str) -> IntentImported:
    nodes = {node.code: node for node in await service.repository.all()}
    try:
        reader = csv.DictReader(io.StringIO(content.removeprefix("\ufeff")))
        columns = set(reader.fieldnames or ())
        rows = list(reader)
    except csv.Error as error:
        raise IntentFileInvalid(places=[f"not readable CSV: {error}"]) from error
    if not {"code", "example"} <= columns:
        raise IntentFileInvalid(places=["the columns code and example are needed"])
    result = IntentImported(created=0, updated=0, deleted=0, examples=0, warnings=[])
    wrong: list[str] = []
    added: dict[str, list[str]] = {}
    for number, row in enumerate(rows, 2):
        code, example = (row.get("code") or "").strip(), " ".join((row.get("example") or "").split())
        if not code and not example:
            continue
        if code not in nodes or not 0 < len(example) <= 500:
            wrong.append(f"line {number}: {'unknown code ' + code if code not in nodes else 'no example'}")
            continue
        added.setdefault(code, []).append(example)
    if wrong:
        raise IntentFileInvalid(places=wrong[:_TOLD])
    for code, examples in added.items():
        node = nodes[code]
        merged = list(dict.fromkeys([*node.examples, *examples]))
        result.examples += len(merged) - len(node.examples)
        result.updated += len(merged) > len(node.examples)
        node.examples = merged
    await service.session.flush()
    return result


def _filed(
    nodes: Sequence[IntentNode], parent_id: UUID | None, names: Mapping[UUID, str]
) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for node in nodes:
        if node.parent_id != parent_id:
            continue
        one: dict[str, Any] = {"code": node.code, "name": node.name, "kind": IntentKind(node.kind).name}
        for name in _PLAIN:
            if (value := getattr(node, name)) not in ("", [], None):
                one[name] = list(value) if name == "examples" else value
        if node.knowledge_base_ids:
            one["knowledge_bases"] = [names[base] for base in node.knowledge_base_ids if base in names]
        if node.tool_id:
            one["tool"] = node.tool_id
        if not node.enabled:
            one["enabled"] = False
        if children := _filed(nodes, node.id, names):
            one["children"] = children
        found.append(one)
    return found


def _examples_csv(nodes: Sequence[IntentNode]) -> str:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(_COLUMNS)
    for node in nodes:
        writer.writerows((node.code, node.name, example) for example in node.examples)
    return out.getvalue()


async def _base_names(service: IntentService, ids: set[UUID]) -> dict[UUID, str]:
    repository = KnowledgeBaseRepository(service.session, service.scope)
    found = [await repository.find(base_id) for base_id in ids]
    return {base.id: base.name for base in found if base is not None}


async def _bases_by_name(service: IntentService) -> dict[str, UUID]:
    bases, _ = await KnowledgeBaseRepository(service.session, service.scope).page(
        limit=1_000, after=None, q=None
    )
    return {base.name: base.id for base in bases} | {str(base.id): base.id for base in bases}
