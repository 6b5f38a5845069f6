"""Fails when a module reaches into another room past its `__init__`, or imports something it does not offer.

`kit` is imported module by module. A sub-room that has its own `__init__` (`knowledge.indexing`) counts as a
door too, since it is the mother room's neighbour, and only its `__init__` may be entered. The migrations may
read every `tables` module: that is their work.
"""

import ast
import sys
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "refdesk"
ROOMS = {path.parent.name for path in SOURCE.glob("*/__init__.py")} - {"kit", "migrations", "testing"}


def offered(package: Path) -> set[str] | None:
    """The names in a package's `__all__`; None where it has none."""
    for node in ast.parse((package / "__init__.py").read_text()).body:
        if isinstance(node, ast.Assign) and any(
            isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets
        ):
            return set(ast.literal_eval(node.value))
    return None


def faults(path: Path) -> list[str]:
    room = path.relative_to(SOURCE).parts[0]
    found: list[str] = []
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("refdesk."):
            continue
        parts = (node.module or "").split(".")[1:]
        if parts[0] not in ROOMS or parts[0] == room:
            continue
        package = SOURCE.joinpath(*parts)
        where = f"{path.relative_to(SOURCE.parents[1])}:{node.lineno}"
        if not (package / "__init__.py").is_file():
            found.append(f"{where} reaches into {node.module}")
            continue
        names = offered(package)
        missing = {alias.name for alias in node.names} - (names or set())
        if missing:
            found.append(f"{where} takes {', '.join(sorted(missing))}, which {node.module} does not offer")
    return found


def main() -> None:
    problems = [
        problem
        for path in sorted(SOURCE.rglob("*.py"))
        if path.relative_to(SOURCE).parts[0] not in ("migrations", "testing")
        for problem in faults(path)
    ]
    problems += [f"room {room} has no __all__" for room in sorted(ROOMS) if offered(SOURCE / room) is None]
    if problems:
        print("\n".join(problems), file=sys.stderr)
        raise SystemExit(1)


if __name__ == "__main__":
    main()
