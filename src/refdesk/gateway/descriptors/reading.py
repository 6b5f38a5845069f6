"""From YAML to descriptors: every fault of every document, with field and line."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import orjson
from pydantic import BaseModel, ValidationError

from refdesk.gateway.descriptors.document import Descriptor
from refdesk.gateway.descriptors.errors import DescriptorInvalid
from refdesk.gateway.descriptors.wording import code_of, message_of
from refdesk.gateway.descriptors.yaml_text import Document, read_documents

_KEYS = frozenset(("api_key", "apikey", "key", "secret", "token", "password", "access_key", "secret_key"))
_MOST = 100


class DescriptorProblem(BaseModel):
    """One fault: the document's number from 1, its model_id where it has one, the field, and the line. `code`
    and `facts` are for those who say it in another language; `other` has none."""

    document: int
    model_id: str | None
    field: str
    message: str
    line: int
    code: str = "other"
    facts: dict[str, str] = {}

    @property
    def text(self) -> str:
        return f"{self.field}: {self.message}" if self.field else self.message


@dataclass(frozen=True, slots=True)
class ReadDescriptor:
    """A descriptor and the document it was read from."""

    number: int
    descriptor: Descriptor
    source: Document

    def problem(self, field: str, code: str, **facts: str) -> DescriptorProblem:
        return DescriptorProblem(
            document=self.number,
            model_id=self.descriptor.model_id,
            field=field,
            message=message_of(code, facts),
            line=self.source.line(field.split(".")),
            code=code,
            facts=facts,
        )


def read_descriptors(text: str) -> tuple[list[ReadDescriptor], list[DescriptorProblem]]:
    """All that can be read, and what is wrong with the rest. Raises `DescriptorUnreadable`; a text without
    a descriptor is `DescriptorInvalid`."""
    documents = read_documents(text)
    if not documents:
        raise DescriptorInvalid("There is no model descriptor in this.", problems=[])
    read: list[ReadDescriptor] = []
    problems: list[DescriptorProblem] = []
    for number, document in enumerate(documents, 1):
        found = _read(number, document)
        if isinstance(found, ReadDescriptor):
            read.append(found)
        else:
            problems += found
    problems += _twice(read)
    return read, problems[:_MOST]


def refuse(problems: Sequence[DescriptorProblem]) -> None:
    """Raise `DescriptorInvalid` if there is any."""
    if not problems:
        return
    first = problems[0]
    name = f"{first.model_id}, " if first.model_id else ""
    raise DescriptorInvalid(
        f"{name}line {first.line}: {first.text}.", problems=[one.model_dump() for one in problems]
    )


def _read(number: int, document: Document) -> ReadDescriptor | list[DescriptorProblem]:
    value = document.value
    if not isinstance(value, dict):
        return [_whole(number, None, document, "not-a-mapping")]
    try:
        # Strict as JSON: a number written as text stays wrong.
        descriptor = Descriptor.model_validate_json(orjson.dumps(value), strict=True)
    except (ValidationError, orjson.JSONEncodeError) as error:
        given = cast("dict[str, Any]", value).get("model_id")
        model_id = given if isinstance(given, str) else None
        return list(_problems(number, model_id, document, error))
    return ReadDescriptor(number, descriptor, document)


def _problems(
    number: int, model_id: str | None, document: Document, error: Exception
) -> list[DescriptorProblem]:
    if not isinstance(error, ValidationError):
        return [_whole(number, model_id, document, "number-out-of-range")]
    found: list[DescriptorProblem] = []
    for item in error.errors(include_url=False):
        path = [part for part in item["loc"] if part not in ("SameKey", "literal['none','entered']")]
        field = ".".join(str(part) for part in path)
        code, facts, message = _told(item, path)
        if not path and ": " in message and message.split(": ")[0].isidentifier():
            field, message = message.split(": ", 1)
        line = document.line(path or [field])
        where = {"document": number, "model_id": model_id, "field": field, "line": line}
        found.append(
            DescriptorProblem.model_validate(where | {"message": message, "code": code, "facts": facts})
        )
    if any(one.field == "credential" for one in found):  # both of its forms tell what they lack
        code = "credential-form"
        kept: dict[str, Any] = {
            "field": "credential",
            "message": message_of(code, {}),
            "code": code,
            "facts": {},
        }
        first = next(one for one in found if one.field.startswith("credential"))
        found = [one for one in found if not one.field.startswith("credential")]
        found.append(first.model_copy(update=kept))
    return found


def _whole(number: int, model_id: str | None, document: Document, code: str) -> DescriptorProblem:
    """A fault of a document as a whole."""
    message, line = message_of(code, {}), document.line(())
    return DescriptorProblem(
        document=number, model_id=model_id, field="", message=message, line=line, code=code
    )


def _told(item: Any, path: Sequence[str | int]) -> tuple[str, dict[str, str], str]:
    """Code, facts and English words of what the types found."""
    kind: str = item["type"]
    code = None
    if kind == "missing":
        code = "missing"
    elif kind == "extra_forbidden":
        code = "key-within" if str(path[-1]).lower() in _KEYS else "unknown-field"
    elif kind == "string_type" and path and path[-1] == "version":
        code = "version-unquoted"
    if code is not None:
        return code, {}, message_of(code, {})
    message = str(item["msg"]).removeprefix("Value error, ").removeprefix("Input ")
    return *code_of(kind, item.get("ctx", {})), message[0].lower() + message[1:]


def _twice(read: Sequence[ReadDescriptor]) -> list[DescriptorProblem]:
    first: dict[str, int] = {}
    problems: list[DescriptorProblem] = []
    for one in read:
        before = first.setdefault(one.descriptor.model_id, one.number)
        if before != one.number:
            twice = {"first": str(before), "second": str(one.number)}
            problems.append(
                one.problem("model_id", "described-twice", model=one.descriptor.model_id, **twice)
            )
    return problems
