"""Routes that take files are held to the limit of uploads, not to that of requests."""

from refdesk.kit.settings import Settings
from refdesk.server import create_app
from refdesk.server.middleware import FILES_PATH


def test_every_route_with_a_multipart_body_may_be_larger_than_a_request() -> None:
    app = create_app(Settings(), database_url="postgresql://unused")
    paths = [
        path
        for path, item in app.openapi()["paths"].items()
        if "multipart/form-data" in item.get("post", {}).get("requestBody", {}).get("content", {})
    ]
    assert len(paths) >= 6
    assert [path for path in paths if FILES_PATH.fullmatch(path) is None] == []


def test_other_routes_may_not() -> None:
    for path in ("/api/v1/runs", "/api/v1/documents/x", "/api/v1/knowledge-bases/a/b/files"):
        assert FILES_PATH.fullmatch(path) is None
