"""The word lists of the rules, from `words.txt`."""

from importlib.resources import files


def _read() -> dict[str, frozenset[str]]:
    lists: dict[str, set[str]] = {}
    name = ""
    for line in files(__package__ or "").joinpath("words.txt").read_text("utf-8").splitlines():
        if line.startswith("[") and line.endswith("]"):
            name = line[1:-1]
            lists[name] = set()
        elif line and not line.startswith("# "):
            lists[name].update(word for part in line.split(",") if (word := part.strip()))
    return {name: frozenset(words) for name, words in lists.items()}


WORDS = _read()
