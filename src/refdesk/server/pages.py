"""The built page: hashed assets for ever, every other path gets the one HTML file."""

from pathlib import Path

from fastapi import APIRouter, FastAPI
from fastapi.responses import FileResponse, HTMLResponse, Response
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

STATIC = Path(__file__).parent / "static"
RESERVED = ("api/", "v1/", "mcp/", "healthz", "readyz", "metrics", "assets/")
MISSING = """<!doctype html><meta charset="utf-8"><title>Refdesk</title>
<p>The page was not built. Run <code>make run</code>, or install the wheel, which carries it.</p>
<p>页面尚未构建。请运行 <code>make run</code>，或安装已包含页面的 wheel。</p>"""


class _Assets(StaticFiles):
    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response


router = APIRouter(include_in_schema=False)


@router.get("/{path:path}")
async def get_page(path: str) -> Response:
    climbs = any(part in (".", "..") for part in path.split("/"))
    if path.startswith(RESERVED) or climbs or not path.isprintable():
        raise HTTPException(404, "There is nothing at this address.")
    if path.startswith("apps/") and path.endswith("/mcp"):
        # To clients of the Model Context Protocol: there is no stream beside the answers.
        raise HTTPException(405, "Only POST is answered here.", {"Allow": "POST"})
    candidate = (STATIC / path).resolve()
    if (
        path
        and candidate.is_relative_to(STATIC)
        and candidate.is_file()
        and not candidate.name.startswith(".")
    ):
        return FileResponse(candidate)
    index = STATIC / "index.html"
    if not index.is_file():
        return HTMLResponse(MISSING, 503)
    return FileResponse(index, headers={"Cache-Control": "no-cache"})


def install(app: FastAPI) -> None:
    """Mount last: its catch-all route would hide what comes after it."""
    app.mount("/assets", _Assets(directory=STATIC / "assets", check_dir=False), name="assets")
    app.include_router(router)
