"""Windows paths in JSON: models forget to double backslashes, and `\\n` of `\\new` is a line break then."""

import re
from typing import Any, cast

# A text that begins as a path: a drive, or a share. A single backslash behind the drive is the mistake.
_BROKEN = re.compile(r'(["\'])((?:[A-Za-z]:\\(?!\\)|\\\\(?!\\))[^"\'\n]*)\1')
_PATH_NAME = re.compile(r"path|file|folder|dir", re.IGNORECASE)
_EATEN = re.compile(r"[A-Za-z]:[\n\t\r\f\b]")
_LETTERS = str.maketrans({"\n": r"\n", "\t": r"\t", "\r": r"\r", "\f": r"\f", "\b": r"\b"})


def with_whole_paths(text: str) -> str:
    """Broken JSON with the backslashes of paths doubled where they were single."""
    if "\\" not in text:
        return text
    return _BROKEN.sub(lambda found: f"{found[1]}{_doubled(found[2])}{found[1]}", text)


def _doubled(path: str) -> str:
    single = path.replace("\\\\", "\\") if path[1] == ":" else path
    return single.replace("\\", "\\\\")


def paths_restored(values: dict[str, Any]) -> bool:
    """Give parameters that are paths by name back what valid JSON read as line breaks and tabs.

    Elsewhere `A:` with a line break behind it is just that. Returns whether anything was changed.
    """
    changed = False
    for name, value in values.items():
        if isinstance(value, str) and _PATH_NAME.search(name) and _EATEN.match(value):
            values[name], changed = value.translate(_LETTERS), True
        elif isinstance(value, dict):
            changed = paths_restored(cast("dict[str, Any]", value)) or changed
    return changed
