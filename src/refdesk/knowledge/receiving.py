"""The files of one request, one after another, each stored as it arrives; what becomes of them is up to the
caller. A file over the limit is told as such and passed over, so that one refusal does not lose the others.

Uploads of documents have their own reception, which also takes settings (`uploads`).
"""

from collections.abc import AsyncGenerator
from dataclasses import dataclass

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import parse_options_header
from starlette.requests import ClientDisconnect, Request

from refdesk.accounts import Scope
from refdesk.kit.database import Database
from refdesk.kit.errors import AppError
from refdesk.knowledge.blobs import IncomingFile
from refdesk.knowledge.errors import MalformedUpload
from refdesk.knowledge.multipart import PartBegin, PartData, decode_name, events

# How much of a refused file is read past to reach the next one.
SKIP_BYTES = 8 * 1024 * 1024
MAX_FILES = 1_000


@dataclass(frozen=True, slots=True)
class Received:
    """A file of a request: its name as it was sent, and its content or why it was refused.

    `file` is to be ended by the caller, with `finish` or `discard`, before the next one is asked for.
    """

    name: str
    file: IncomingFile | None
    error: AppError | None = None


async def received_files(
    request: Request, database: Database, scope: Scope, *, limit_bytes: int, limit_name: str
) -> AsyncGenerator[Received]:
    """The files of a multipart body; fields without a file name are passed over.

    Ends early after a refused file that is too long to read past. Raises `MalformedUpload`.
    """
    name = ""
    file: IncomingFile | None = None
    skipped: int | None = None
    count = 0
    try:
        async for event in events(request):
            if isinstance(event, PartBegin):
                _, options = parse_options_header(event.headers.get(b"content-disposition", b""))
                filename = options.get(b"filename")
                file, skipped = None, None
                if filename is None:
                    continue
                count += 1
                if count > MAX_FILES:
                    raise MalformedUpload(f"At most {MAX_FILES} files can be sent at once.")
                name = decode_name(filename)
                file = IncomingFile(database, scope, limit_bytes, limit_name)
            elif isinstance(event, PartData):
                if file is not None:
                    try:
                        await file.write(event.data)
                    except AppError as error:
                        await file.discard()
                        file, skipped = None, 0
                        yield Received(name, None, error)
                elif skipped is not None:
                    skipped += len(event.data)
                    if skipped > SKIP_BYTES:
                        return
            elif file is not None:
                finished, file = file, None
                yield Received(name, finished)
    except (FormParserError, ClientDisconnect):
        raise MalformedUpload from None
    finally:
        if file is not None:
            await file.discard()
