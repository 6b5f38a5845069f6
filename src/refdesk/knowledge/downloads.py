"""Stored files as answers. They come from strangers: no browser shows them, whatever they say they are."""

from typing import Any

from fastapi.responses import StreamingResponse

from refdesk.accounts import Scope
from refdesk.kit.database import Database
from refdesk.knowledge import blobs
from refdesk.knowledge.filenames import content_disposition, media_type
from refdesk.knowledge.tables import Blob

UNTRUSTED = {"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "sandbox; default-src 'none'"}
DOWNLOAD: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}
}


def download(database: Database, scope: Scope, blob: Blob, name: str) -> StreamingResponse:
    """The file, as a download under this name."""
    headers = {
        **UNTRUSTED,
        "Content-Disposition": content_disposition(name),
        "Content-Length": str(blob.size),
        "Cache-Control": "private, no-cache",
        "ETag": f'"{blob.sha256.hex()}"',
    }
    pieces = blobs.read(database, scope, blob.id, blob.size)
    return StreamingResponse(pieces, media_type=media_type(name), headers=headers)
