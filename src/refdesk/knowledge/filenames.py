"""Names of uploaded files: what is kept of them for display, and how they go out again.

A name never becomes a path here; files lie in the database. It is cleaned so that it cannot mislead the
person who reads it (control and direction-changing characters, folders) and stays readable in any script.
"""

import re
import unicodedata
from pathlib import PurePosixPath
from urllib.parse import quote

from refdesk.knowledge.errors import BlankName

MAX_NAME_CHARS = 200

_FALLBACK = "untitled"
_ENDING = re.compile(r"(?<=[^/.])\.(?=\w*[A-Za-z])[A-Za-z0-9]{1,8}$")
_OOXML = "application/vnd.openxmlformats-officedocument"
_ODF = "application/vnd.oasis.opendocument"
_MEDIA_TYPES = {
    ".pdf": "application/pdf",
    ".docx": f"{_OOXML}.wordprocessingml.document",
    ".xlsx": f"{_OOXML}.spreadsheetml.sheet",
    ".pptx": f"{_OOXML}.presentationml.presentation",
    ".doc": "application/msword",
    ".xls": "application/vnd.ms-excel",
    ".odt": f"{_ODF}.text",
    ".ods": f"{_ODF}.spreadsheet",
    ".odp": f"{_ODF}.presentation",
    ".epub": "application/epub+zip",
    ".rtf": "application/rtf",
    ".zip": "application/zip",
    ".csv": "text/csv",
    ".md": "text/plain; charset=utf-8",
    ".txt": "text/plain",
}


def _visible(text: str) -> str:
    """Without control, format (direction marks, zero width), surrogate and private characters."""
    text = unicodedata.normalize("NFC", text)
    kept = (c if unicodedata.category(c) not in ("Zl", "Zp", "Zs") else " " for c in text)
    kept = (c for c in kept if unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co", "Cn"))
    return re.sub(r" {2,}", " ", "".join(kept)).strip()


def display_name(raw: str) -> str:
    """A file name without folders and unprintable characters, at most 200 characters, suffix kept.

    Nothing readable left gives `untitled`.
    """
    # The last part of a path of either system: browsers send none, but other clients do.
    name = _visible(re.split(r"[/\\]", raw.replace("\0", ""))[-1]).strip(" ")
    stem = name.strip(". ")
    if not stem:
        return _FALLBACK
    name = name.rstrip(". ")
    if len(name) <= MAX_NAME_CHARS:
        return name
    suffix = PurePosixPath(name).suffix[:16]
    return name[: MAX_NAME_CHARS - len(suffix)].rstrip(". ") + suffix


def renewed_name(present: str, file: str) -> str:
    """The name of a document that gets another file: the present one, with the file's ending if that differs.

    The ending says how the file is read, the rest is the document's own.
    """
    ending, former = _ENDING.search(file), _ENDING.search(present)
    if ending is None or (former is not None and former[0].lower() == ending[0].lower()):
        return present
    stem = present[: former.start()] if former is not None else present
    return stem[: MAX_NAME_CHARS - len(ending[0])] + ending[0]


def clean_title(raw: str) -> str:
    """A name that a person typed: visible characters only. Raises `BlankName` when none is left."""
    name = _visible(raw)
    if not name:
        raise BlankName
    return name


def content_disposition(name: str) -> str:
    """`attachment` with a plain name for old clients and the real one (RFC 6266, RFC 8187)."""
    plain = re.sub(r'[^A-Za-z0-9 ._()\-]|["\\%]', "_", name).strip() or "download"
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"


def media_type(name: str) -> str:
    """The type to send an original with; whatever a browser might run goes out as plain bytes."""
    return _MEDIA_TYPES.get(PurePosixPath(name).suffix.lower(), "application/octet-stream")
