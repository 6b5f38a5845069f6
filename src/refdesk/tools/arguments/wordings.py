"""What a schema's own words tell: labels of a parameter, its examples, what its listed values are called."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

import regex

from refdesk.tools.arguments.schemas import choices_of

_EXAMPLES = regex.compile(
    r"(?:例如|比如|如|e\.?\s?g\.?|for example|such as|示例|example)\s*[:：,，]?\s*", regex.I
)
_TOKEN = regex.compile(r"[\"'“‘`「]?([A-Za-z0-9][\w./@+-]{2,63})")


def labels_of(name: str, part: Mapping[str, Any]) -> list[str]:
    """What people call a parameter, the longest first."""
    labels = {name, name.replace("_", " ")}
    for key, value in part.items():
        if "title" not in key:
            continue
        if isinstance(value, str):
            labels.add(value)
        elif isinstance(value, Mapping):
            labels.update(one for one in cast("Mapping[str, Any]", value).values() if isinstance(one, str))
    return sorted((label.strip() for label in labels if len(label.strip()) > 1), key=len, reverse=True)


def examples_of(part: Mapping[str, Any]) -> list[str]:
    """Examples that the schema gives, in its own list or in its description."""
    listed = part.get("examples")
    found = (
        [one for one in cast("list[Any]", listed) if isinstance(one, str)] if isinstance(listed, list) else []
    )
    if isinstance(one := part.get("example"), str):
        found.append(one)
    if not found and isinstance(text := part.get("description"), str):
        for hit in _EXAMPLES.finditer(text):
            token = _TOKEN.match(text, hit.end())
            if token is not None:
                found.append(token[1].rstrip("."))
    return found[:5]


def example_pattern(example: str) -> str | None:
    """What looks like the example: its letters, nearly as many digits. None without digits."""
    if len(example) > 64 or sum(sign.isdigit() for sign in example) < 3:
        return None
    pattern: list[str] = []
    for run in regex.findall(r"\d+|[A-Za-z]+|[^\dA-Za-z]", example):
        if run.isdigit():
            pattern.append(rf"\d{{{max(1, len(run) - 2)},{len(run) + 4}}}")
        else:
            pattern.append(regex.escape(run))
    return rf"(?<![A-Za-z0-9]){''.join(pattern)}(?![A-Za-z0-9])"


def words_of_choices(part: Mapping[str, Any]) -> Iterator[tuple[Any, list[str]]]:
    """Each listed value with the words for it: itself, its title, what the description says behind it."""
    named = part.get("x-enum-labels")
    labels = cast("Mapping[str, Any]", named if isinstance(named, Mapping) else {})
    description = part.get("description")
    for value in choices_of(part):
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            continue
        words = [str(value), str(value).replace("_", " ")]
        words.extend(_label_words(labels.get(str(value))))
        words.extend(_titles(part, value))
        if isinstance(description, str):
            words.extend(_described(str(value), description))
        yield value, [word for word in words if word.strip()]


def _label_words(label: Any) -> Iterator[str]:
    if isinstance(label, str):
        yield label
    elif isinstance(label, Mapping):
        yield from (one for one in cast("Mapping[str, Any]", label).values() if isinstance(one, str))


def _titles(part: Mapping[str, Any], value: Any) -> Iterator[str]:
    for key in ("oneOf", "anyOf"):
        options = part.get(key)
        for option in cast("list[Any]", options) if isinstance(options, list) else []:
            if isinstance(option, Mapping) and cast("Mapping[str, Any]", option).get("const") == value:
                title = cast("Mapping[str, Any]", option).get("title")
                if isinstance(title, str):
                    yield title


def _described(value: str, description: str) -> Iterator[str]:
    """`refund：退款`, `refund (退款)`, `refund 退款`, `退款(refund)`."""
    word = regex.escape(value)
    after = regex.search(
        rf"(?<![\w-]){word}\s*(?:[:：=(（]|\s)\s*([^\s,，、;；。()（）:：=]{{1,20}})", description
    )
    if after is not None and not (after[1].isascii() and " " in after[0].strip() and ":" not in after[0]):
        yield after[1]
    before = regex.search(rf"([^\s,，、;；。()（）:：=]{{1,20}})\s*[(（]\s*{word}\s*[)）]", description)
    if before is not None:
        yield before[1]
