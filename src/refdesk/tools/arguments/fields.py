"""The small form that asks a person for what a call lacks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from refdesk.tools.arguments.schemas import choices_of, properties_of, required_of, types_of

Language = Literal["zh", "en"]


@dataclass(frozen=True, slots=True)
class FormField:
    """One field. `type` is `string`, `number`, `integer`, `boolean`, `date` or `array`; `enum` lists what may
    be chosen, as the schema has it."""

    name: str
    label: str
    type: str
    required: bool
    enum: tuple[Any, ...] = ()
    description: str = ""

    def as_json(self) -> dict[str, Any]:
        shown: dict[str, Any] = {
            "name": self.name,
            "label": self.label,
            "type": self.type,
            "required": self.required,
        }
        if self.enum:
            shown["enum"] = list(self.enum)
        if self.description:
            shown["description"] = self.description
        return shown


def form_fields(
    schema: Mapping[str, Any], names: Iterable[str], language: Language = "en"
) -> tuple[FormField, ...]:
    """A field for each of these parameters, in the order of the schema."""
    wanted, required = set(names), required_of(schema)
    return tuple(
        FormField(
            name,
            label_of(name, part, language),
            _type_of(part),
            name in required,
            choices_of(part),
            _localised(part, "description", language),
        )
        for name, part in properties_of(schema).items()
        if name in wanted
    )


def asking_text(fields: Iterable[FormField], language: Language = "en") -> str:
    """The sentence above the form."""
    labels = [field.label for field in fields]
    if language == "zh":
        return f"还需要以下信息才能继续：{'、'.join(labels)}。"
    return f"Please tell me to go on: {', '.join(labels)}."


def label_of(name: str, part: Mapping[str, Any], language: Language) -> str:
    """What a parameter is called to people: its title in their language, else its name in words."""
    title = _localised(part, "title", language)
    return title or name.replace("_", " ").replace("-", " ").strip().capitalize() or name


def _localised(part: Mapping[str, Any], key: str, language: Language) -> str:
    """`title` may be beside `title_zh`, `x-title-zh` or a table by language `x-title`."""
    table = part.get(f"x-{key}")
    if isinstance(table, Mapping) and isinstance(
        found := cast("Mapping[str, Any]", table).get(language), str
    ):
        return found
    for spelled in (f"x-{key}-{language}", f"{key}_{language}", key):
        if isinstance(found := part.get(spelled), str) and found.strip():
            return found.strip()
    return ""


def _type_of(part: Mapping[str, Any]) -> str:
    if part.get("format") in ("date", "date-time"):
        return "date"
    named = [kind for kind in types_of(part) if kind != "null"]
    return named[0] if named and named[0] in ("number", "integer", "boolean", "array") else "string"
