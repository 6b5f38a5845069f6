"""What the routes of this room share: the process's settings, a list's query, a body of one or more files."""

from collections.abc import Iterable
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Query, Request

from refdesk.kit.settings import Settings
from refdesk.kit.web import PageQuery


def get_settings_of_app(request: Request) -> Settings:
    """The settings the running application was made with."""
    settings: Settings = request.app.state.settings
    return settings


SettingsDep = Annotated[Settings, Depends(get_settings_of_app)]
ListQuery = Annotated[PageQuery, Depends()]
InFolder = Annotated[UUID | None, Query(description="The folder they lie in; left out: at the top.")]


def pairs_of(given: Iterable[str]) -> list[tuple[str, str]]:
    """Key and value of each `KEY=VALUE`."""
    pairs = (one.partition("=") for one in given)
    return [(key, value) for key, _, value in pairs]


def one_file(content_type: str = "application/octet-stream") -> dict[str, Any]:
    """OpenAPI of a multipart body with one part `file`, which is read as a stream."""
    file = {"type": "string", "format": "binary"}
    return _multipart({"file": file}, "file", content_type)


def many_files(description: str | None = None, fields: dict[str, Any] | None = None) -> dict[str, Any]:
    """OpenAPI of a multipart body with parts `files`, and `fields` before them."""
    files: dict[str, Any] = {"type": "array", "items": {"type": "string", "format": "binary"}}
    if description is not None:
        files["description"] = description
    return _multipart({**(fields or {}), "files": files}, "files", "application/octet-stream")


def _multipart(properties: dict[str, Any], name: str, content_type: str) -> dict[str, Any]:
    schema = {"type": "object", "required": [name], "properties": properties}
    body = {"schema": schema, "encoding": {name: {"contentType": content_type}}}
    return {"requestBody": {"required": True, "content": {"multipart/form-data": body}}}
