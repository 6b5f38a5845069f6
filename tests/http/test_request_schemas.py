"""No request takes a field that it does not know: a mistyped one is refused, not passed over.

The OpenAI-compatible interface is the exception: its clients send many fields that only some servers know.
"""

from collections.abc import Iterator
from typing import Any, get_args

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.routing import BaseRoute
from tests.http.world import World, ok, problem

API = "/api/v1"


def _models(annotation: Any, seen: set[type[BaseModel]]) -> Iterator[type[BaseModel]]:
    """The models within an annotation, and those within their fields."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        if annotation not in seen:
            seen.add(annotation)
            yield annotation
            for field in annotation.model_fields.values():
                yield from _models(field.annotation, seen)
        return
    for part in get_args(annotation):
        yield from _models(part, seen)


def _routes(routes: list[BaseRoute]) -> Iterator[BaseRoute]:
    """All routes, through included routers."""
    for route in routes:
        included = getattr(route, "original_router", None)
        yield from [route] if included is None else _routes(included.routes)


def request_models(app: FastAPI) -> set[type[BaseModel]]:
    found: set[type[BaseModel]] = set()
    for route in _routes(app.routes):
        if isinstance(route, APIRoute) and not route.path.startswith("/v1/"):
            for parameter in route.dependant.body_params:
                list(_models(parameter.field_info.annotation, found))
    return found


def test_every_request_model_forbids_what_it_does_not_know(app: FastAPI) -> None:
    models = request_models(app)
    assert len(models) > 40, "the walk finds the models"
    passing = sorted(one.__name__ for one in models if one.model_config.get("extra") != "forbid")
    assert passing == []


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", f"{API}/hit-test", {"query": "x", "knowledge_base_ids": ["{id}"]}),
        (
            "POST",
            f"{API}/hit-test/explain",
            {"query": "x", "knowledge_base_ids": ["{id}"], "document_id": "{id}"},
        ),
        ("POST", f"{API}/hit-test/batch", {"knowledge_base_ids": ["{id}"], "questions": [{"question": "x"}]}),
        ("PUT", f"{API}/documents/{{id}}/access", {"restricted": True}),
        ("PUT", f"{API}/folders/{{id}}/access", {"restricted": True}),
        ("POST", f"{API}/knowledge-bases/{{id}}/folders", {"name": "x"}),
        ("POST", f"{API}/test-sets", {"name": "x", "knowledge_base_ids": ["{id}"]}),
        ("POST", f"{API}/test-sets/{{id}}/run", {}),
    ],
)
async def test_a_field_that_is_not_known_is_refused_by_its_name(
    world: World, method: str, path: str, body: dict[str, Any]
) -> None:
    known = ok(await world.owner.get(f"{API}/knowledge-bases"))["items"][0]["id"]

    def filled(value: Any) -> Any:
        if isinstance(value, list):
            return [filled(one) for one in value]
        return known if value == "{id}" else value

    sent = {key: filled(value) for key, value in body.items()} | {"top_m": 3}
    refused = await world.owner.request(method, path.replace("{id}", known), json=sent)
    assert "top_m" in str(problem(refused, 422, "invalid"))


async def test_a_mistyped_setting_within_another_is_refused(world: World) -> None:
    known = ok(await world.owner.get(f"{API}/knowledge-bases"))["items"][0]["id"]
    body = {"query": "x", "knowledge_base_ids": [known]}
    for inner in ({"rerank": {"model_id": known, "canditates": 3}}, {"route": {"feww": 3}}):
        refused = problem(await world.owner.post(f"{API}/hit-test", json=body | inner), 422, "invalid")
        assert "canditates" in str(refused) or "feww" in str(refused)
