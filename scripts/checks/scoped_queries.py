"""Fail when a repository could read or change rows of another workspace.

Two rules, checked on the syntax tree of every class whose name ends in `Repository` under src/refdesk:
`__init__` takes `scope`, and every method that builds or runs a statement names `workspace_id`, itself or
through a method, property or function of the same module that does. A statement that must not be filtered
carries `# scope: REASON` on the line of its `def`.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "refdesk"
BUILDERS = frozenset(("select", "insert", "update", "delete", "text"))
RUNNERS = frozenset(("execute", "scalar", "scalars", "stream", "stream_scalars", "get", "get_one"))

type Function = ast.FunctionDef | ast.AsyncFunctionDef


def problems_of(source: str, name: str) -> list[str]:
    """One line for each fault of the module with this source."""
    tree = ast.parse(source)
    lines = source.splitlines()
    module_functions = {
        node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    found: list[str] = []
    for cls in (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)):
        if not cls.name.endswith("Repository"):
            continue
        methods = {
            node.name: node for node in cls.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        }
        init = methods.get("__init__")
        if init is None or "scope" not in {argument.arg for argument in init.args.args}:
            found.append(f"{name}:{cls.lineno}: {cls.name}.__init__ takes no `scope`")
        scoped = _scoped_names(methods | module_functions)
        for method in methods.values():
            if method.name == "__init__" or not _touches_the_database(method) or method.name in scoped:
                continue
            if "# scope:" not in lines[method.lineno - 1]:
                found.append(
                    f"{name}:{method.lineno}: {cls.name}.{method.name} runs a statement that does not name "
                    "workspace_id"
                )
    return found


def _scoped_names(functions: dict[str, Function]) -> set[str]:
    """Names of the functions that name `workspace_id` themselves or use one that does."""
    uses = {name: set(_names(function)) for name, function in functions.items()}
    scoped = {name for name, used in uses.items() if "workspace_id" in used}
    while True:
        more = {name for name, used in uses.items() if used & scoped} - scoped
        if not more:
            return scoped
        scoped |= more


def _names(function: Function) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.keyword) and node.arg is not None:
            yield node.arg
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "workspace_id" in node.value:
            yield "workspace_id"


def _touches_the_database(function: Function) -> bool:
    for node in ast.walk(function):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        if isinstance(called, ast.Name) and called.id in BUILDERS:
            return True
        if (
            isinstance(called, ast.Attribute)
            and called.attr in RUNNERS
            and ast.unparse(called.value).endswith("session")
        ):
            return True
    return False


def main() -> int:
    problems = [
        problem
        for path in sorted(SOURCE.rglob("*.py"))
        for problem in problems_of(path.read_text(encoding="utf-8"), str(path.relative_to(SOURCE.parents[1])))
    ]
    print("\n".join(problems) or "Every repository stays within its scope.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
