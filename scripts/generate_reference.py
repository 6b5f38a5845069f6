"""Writes `docs/reference/`: settings, error codes, commands, vendors of models, from the code itself.

`--check` writes nothing and fails when a page is stale, or when an error, setting or command lacks the
words that document it.
"""

import ast
import importlib
import inspect
import pkgutil
import sys
from collections.abc import Iterator
from pathlib import Path

import refdesk
from refdesk.kit.errors import AppError
from refdesk.kit.settings import Settings

ROOT = Path(__file__).parents[1]
REFERENCE = ROOT / "docs" / "reference"
NOTE = "<!-- Written by scripts/generate_reference.py; do not edit. -->\n"


def settings_page() -> str:
    lines = [
        "# Settings",
        "",
        NOTE,
        "Read once at start from the environment. What people change while the system runs is set on the",
        "page and kept in the database.",
        "",
        "| Variable | Default | Meaning |",
        "|---|---|---|",
    ]
    for name, field in Settings.model_fields.items():
        if not field.description:
            raise SystemExit(f"setting {name} has no description")
        default = "`~/.local/share/refdesk`" if name == "data_dir" else f"`{field.default}`"
        if field.default is None:
            default = "empty"
        lines.append(f"| `REFDESK_{name.upper()}` | {default} | {field.description} |")
    return "\n".join(lines) + "\n"


def _errors() -> Iterator[type[AppError]]:
    for module in pkgutil.walk_packages(refdesk.__path__, "refdesk."):
        if ".migrations" not in module.name and "__main__" not in module.name and ".child" not in module.name:
            importlib.import_module(module.name)
    seen: set[type[AppError]] = set()
    waiting = [AppError]
    while waiting:
        kind = waiting.pop()
        if kind not in seen:
            seen.add(kind)
            waiting.extend(kind.__subclasses__())
            yield kind


def _details() -> dict[str, set[str]]:
    """The keys of `details` by the name of the error's class, as the code gives them where it raises."""
    named: dict[str, set[str]] = {}
    for path in Path(refdesk.__path__[0]).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
                name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
                keys = {keyword.arg for keyword in node.keywords if keyword.arg not in (None, "hint")}
                named.setdefault(name, set()).update(key for key in keys if key)
    return named


def errors_page() -> str:
    details = _details()
    kinds = [kind for kind in _errors() if not kind.__module__.startswith("refdesk.testing")]
    rows: dict[str, str] = {}
    for kind in sorted(kinds, key=lambda kind: (kind.code, kind.__module__)):
        doc = inspect.cleandoc(kind.__doc__ or "").split("\n\n")[0].replace("\n", " ")
        inherited = kind is not AppError and kind.__doc__ in (
            None,
            *(base.__doc__ for base in kind.__bases__),
        )
        if not doc or inherited:
            raise SystemExit(f"error {kind.__module__}.{kind.__name__} has no docstring of its own")
        if "code" not in vars(kind):  # a finer kind of its parent's error, told apart in the code only
            continue
        if kind.code in rows:
            raise SystemExit(f"two errors share the code {kind.code}: {kind.__module__}.{kind.__name__}")
        hint = f" *{kind.hint}*" if kind.hint else ""
        family = {other.__name__ for other in kinds if other.code == kind.code}
        keys = sorted({key for name in family for key in details.get(name, ())})
        facts = ", ".join(f"`{key}`" for key in keys)
        rows[kind.code] = f"| `{kind.code}` | {kind.status} | {doc}{hint} | {facts} |"
    body = [
        "# Error codes",
        "",
        NOTE,
        "Stable: programs may rely on them. Details are there where they are known.",
        "",
    ]
    head = ["| Code | HTTP | Meaning | Details |", "|---|---|---|---|"]
    return "\n".join([*body, *head, *rows.values()]) + "\n"


def commands_page() -> str:
    import typer

    from refdesk.cli import build_app, command_names

    lines = ["# Commands", "", NOTE]

    def describe(command: object, path: str) -> None:
        children = getattr(command, "commands", None)
        if children:
            for name in sorted(children):
                describe(children[name], f"{path} {name}")
            return
        help_text = (getattr(command, "help", None) or "").split("\n\n")[0].replace("\n", " ").strip()
        if not help_text:
            raise SystemExit(f"command {path} has no help")
        lines.extend([f"## `{path}`", "", help_text, ""])
        parameters = [
            p for p in getattr(command, "params", []) if p.name != "help" and not getattr(p, "hidden", False)
        ]
        if parameters:
            lines.extend(["| Option | Meaning |", "|---|---|"])
        for parameter in parameters:
            spelled = (*parameter.opts, *parameter.secondary_opts)
            names = ", ".join(f"`{name}`" for name in spelled) or f"`{parameter.name}`"
            text = (getattr(parameter, "help", None) or "").replace("\n", " ").replace("|", "\\|")
            if parameter.param_type_name == "argument":
                names = f"`{(parameter.name or '').upper()}`"
            if not text:
                raise SystemExit(f"{path}: {names} has no help")
            lines.append(f"| {names} | {text} |")
        lines.append("")

    describe(typer.main.get_command(build_app(command_names())), "refdesk")
    return "\n".join(lines).rstrip() + "\n"


_KIND_HEADS = {
    "LLM": "Chat",
    "EMBEDDING": "Embedding",
    "RERANKER": "Rerank",
    "STT": "Speech to text",
    "TTS": "Text to speech",
    "IMAGE": "Understands pictures",
    "TTI": "Text to picture",
    "TTV": "Text to video",
    "ITV": "Picture to video",
}
_GROUP_HEADS = {"international": "International", "china": "China", "local": "On your own machines"}
_AUTH_WORDS = {
    "bearer": "`Authorization: Bearer KEY`",
    "none": "none; a key goes as a bearer's",
    "app-secret": "`Authorization: Bearer;TOKEN`, app id in the body",
    "signed": "each request signed (AWS Signature Version 4); API keys as a bearer's",
    "service-account": "JSON of a service account, changed for a token; access tokens as a bearer's",
    "signed-address": "WebSockets at signed addresses (HMAC-SHA256)",
}


def vendors_page() -> str:
    from refdesk.gateway.vendors import vendors

    lines = [
        "# Vendors of models",
        "",
        NOTE,
        "What the gateway speaks with each vendor of its catalogue, by kind of model. A cell names the wire,",
        "the format that is spoken. Any other server that speaks the OpenAI-compatible wire is connected as",
        "`openai-compatible`.",
    ]
    for group, head in _GROUP_HEADS.items():
        found = [vendor for vendor in vendors().values() if vendor.group == group]
        lines += ["", f"## {head}", "", "| Vendor | " + " | ".join(_KIND_HEADS.values()) + " |"]
        lines.append("|---" * (len(_KIND_HEADS) + 1) + "|")
        for vendor in found:
            offers = [vendor.offer(kind) for kind in _KIND_HEADS]
            cells = [f"`{offer.wire}`" if offer is not None else "" for offer in offers]
            lines.append(f"| [{vendor.name.en}]({vendor.docs}) | " + " | ".join(cells) + " |")
        lines += ["", "| Id | 名称 | Address | Key | Lists its models | Example of a model |"]
        lines.append("|---|---|---|---|---|---|")
        for vendor in found:
            auth = _AUTH_WORDS.get(vendor.auth) or f"header `{vendor.auth.partition(':')[2]}`"
            if vendor.key_format is not None:
                auth += f"; written `{vendor.key_format}`"
            addresses = ", ".join(f"`{one}`" for one in vendor.regions.values() or [vendor.address] if one)
            example = next((f"`{offer.models[0]}`" for offer in vendor.kinds.values() if offer.models), "")
            lists = "yes" if vendor.lists_models else "no"
            cells = [f"`{vendor.id}`", vendor.name.zh, addresses or "your own", auth, lists, example]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


PAGES = {
    "settings.md": settings_page,
    "error-codes.md": errors_page,
    "commands.md": commands_page,
    "vendors.md": vendors_page,
}


def main() -> None:
    check = "--check" in sys.argv[1:]
    stale: list[str] = []
    for name, make in PAGES.items():
        path = REFERENCE / name
        text = make()
        if check and (not path.is_file() or path.read_text() != text):
            stale.append(str(path.relative_to(ROOT)))
        elif not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    if stale:
        raise SystemExit(f"stale: {', '.join(stale)} (run: make docs)")


if __name__ == "__main__":
    main()
