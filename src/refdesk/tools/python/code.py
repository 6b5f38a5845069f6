"""Reading the code of a tool without running it: its function, and the parameters that this one declares."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from refdesk.kit.errors import Invalid

MAX_CODE_CHARS = 64_000
# Given by us where the function declares them; a model can neither see nor set them.
OWN_NAMES = frozenset(("caller",))
_PREFERRED = ("run", "main")
_TYPES = {
    "str": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "list": "array",
    "dict": "object",
}


class ToolCodeInvalid(Invalid):
    """The code is not Python, or has no function that a tool could call; `details.line` says where."""

    code = "tool-code-invalid"
    message = "The code cannot be used as a tool."
    hint = (
        "Write one function at the top level, such as `def run(order_id: str): ...`, and return its result."
    )


@dataclass(frozen=True, slots=True)
class CodeReading:
    """What the code declares. `parameters` is a JSON Schema of the function's arguments as far as they are
    annotated; `takes_any` whether it has `**kwargs`; `names` are its arguments."""

    function: str
    description: str
    names: tuple[str, ...]
    takes_any: bool
    parameters: dict[str, Any] = field(default_factory=dict[str, Any])


def read_code(code: str, function: str | None = None) -> CodeReading:
    """Find the function: the named one, else `run` or `main`, else the only one. Raises `ToolCodeInvalid`."""
    if len(code) > MAX_CODE_CHARS:
        raise ToolCodeInvalid(f"The code is longer than {MAX_CODE_CHARS:,} characters.")
    try:
        module = ast.parse(code)
    except SyntaxError as error:
        raise ToolCodeInvalid(
            f"Line {error.lineno}: {error.msg}.", line=error.lineno, reason=error.msg
        ) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise ToolCodeInvalid("The code cannot be read: it is nested too deeply or holds NUL.") from error
    found = {
        node.name: node for node in module.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    name = _chosen(found, function)
    node = found[name]
    arguments = node.args
    if arguments.posonlyargs or arguments.vararg is not None:
        raise ToolCodeInvalid(f"{name} takes arguments by position; give them names.", line=node.lineno)
    declared = [*arguments.args, *arguments.kwonlyargs]
    defaults = dict(_defaults(arguments))
    properties = {
        argument.arg: _schema(argument.annotation) | _default(defaults.get(argument.arg))
        for argument in declared
        if argument.arg not in OWN_NAMES
    }
    required = [one for one in properties if one not in defaults]
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    return CodeReading(
        name,
        (ast.get_docstring(node) or "")[:2_000],
        tuple(argument.arg for argument in declared),
        arguments.kwarg is not None,
        schema,
    )


def _chosen(found: dict[str, Any], function: str | None) -> str:
    if function:
        if function not in found:
            raise ToolCodeInvalid(f"There is no function {function} at the top level.")
        return function
    public = [name for name in found if not name.startswith("_")]
    for name in (*_PREFERRED, *(public if len(public) == 1 else ())):
        if name in found:
            return name
    raise ToolCodeInvalid(
        "Name the function to call." if public else "There is no function at the top level."
    )


def _defaults(arguments: ast.arguments) -> Iterator[tuple[str, ast.expr]]:
    if arguments.defaults:
        yield from zip(
            (argument.arg for argument in arguments.args[-len(arguments.defaults) :]),
            arguments.defaults,
            strict=True,
        )
    for argument, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if value is not None:
            yield argument.arg, value


def _default(value: ast.expr | None) -> dict[str, Any]:
    if isinstance(value, ast.Constant) and isinstance(value.value, str | int | float | bool):
        return {"default": value.value}
    return {}


def _schema(annotation: ast.expr | None) -> dict[str, Any]:
    match annotation:
        case ast.Name(id=name) if name in _TYPES:
            return {"type": _TYPES[name]}
        case ast.Subscript(value=ast.Name(id="list"), slice=item):
            return {"type": "array", "items": _schema(item)}
        case ast.Subscript(value=ast.Name(id="dict")):
            return {"type": "object"}
        case ast.Subscript(value=ast.Name(id="Literal") | ast.Attribute(attr="Literal"), slice=options):
            parts = options.elts if isinstance(options, ast.Tuple) else [options]
            values = [part.value for part in parts if isinstance(part, ast.Constant)]
            return {"enum": [value for value in values if isinstance(value, str | int | bool)]}
        case ast.BinOp(left=left, op=ast.BitOr(), right=ast.Constant(value=None)):
            return _schema(left)
        case _:
            return {}
