"""What a container holds, told without reading it: names of its members instead of its first bytes.

The first 64 KiB of an archive may be the inside of its first member, and the directory of an old Office file
may lie anywhere; so parsers of containers are asked with the list of names.
"""

from refdesk.knowledge.parsing.errors import CorruptFile, UnpackedTooLarge
from refdesk.knowledge.parsing.ole import OLE_MAGIC, ole_streams
from refdesk.knowledge.parsing.unpacking import ZIP_MAGIC, open_zip

HEAD_BYTES = 64 * 1024
_START = 128
BINARY_MARKS = (ZIP_MAGIC, OLE_MAGIC, b"{\\rtf", b"\x89PNG", b"\xff\xd8\xff", b"\x7fELF")
"""First bytes of what is neither plain text nor a PDF, whatever its name says."""


def head_of(data: bytes) -> bytes:
    """The beginning of a file; of a container its first 128 bytes and its member names, one a line.

    A container whose directory cannot be read gives its beginning like any other file.
    """
    names: list[str] = []
    try:
        if data.startswith(ZIP_MAGIC):
            with open_zip(data) as archive:
                names = archive.namelist()
        elif data.startswith(OLE_MAGIC):
            names = list(ole_streams(data))
    except (CorruptFile, UnpackedTooLarge):
        names = []
    if not names:
        return data[:HEAD_BYTES]
    return data[:_START] + b"\n" + "\n".join(names).encode("utf-8", "replace") + b"\n"
