"""Which of the files a web site links to are documents, by type and by name."""

from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from python_multipart.multipart import parse_options_header

from refdesk.knowledge.multipart import decode_name
from refdesk.knowledge.sources.addresses import path_name
from refdesk.knowledge.sources.fetching import Fetched

_OOXML = "application/vnd.openxmlformats-officedocument"
_ODF = "application/vnd.oasis.opendocument"
_SUFFIXES = {
    "application/pdf": ".pdf",
    f"{_OOXML}.wordprocessingml.document": ".docx",
    f"{_OOXML}.spreadsheetml.sheet": ".xlsx",
    f"{_OOXML}.presentationml.presentation": ".pptx",
    "application/msword": ".doc",
    "application/vnd.ms-excel": ".xls",
    f"{_ODF}.text": ".odt",
    f"{_ODF}.spreadsheet": ".ods",
    f"{_ODF}.presentation": ".odp",
    "application/rtf": ".rtf",
    "text/rtf": ".rtf",
    "application/epub+zip": ".epub",
    "text/markdown": ".md",
    "text/plain": ".txt",
    "text/csv": ".csv",
    "text/tab-separated-values": ".tsv",
    "application/json": ".json",
}
_KNOWN = frozenset((*_SUFFIXES.values(), ".markdown", ".text", ".ipynb", ".xhtml", ".html", ".htm"))
_PAGES = frozenset(("text/html", "application/xhtml+xml"))
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".ico", ".bmp", ".tif", ".tiff", ".avif")
_SOUND = (".mp3", ".mp4", ".m4a", ".avi", ".mov", ".mkv", ".webm", ".wav", ".ogg", ".flac")
_LOOKS = (".css", ".js", ".mjs", ".map", ".woff", ".woff2", ".ttf", ".eot", ".otf", ".rss", ".atom")
_PROGRAMS = (".exe", ".msi", ".dmg", ".deb", ".rpm", ".apk", ".iso", ".jar", ".whl", ".bin", ".sig", ".asc")
_ARCHIVES = (".zip", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar", ".tar")
# Never worth a request.
_USELESS = frozenset((*_PICTURES, *_SOUND, *_LOOKS, *_PROGRAMS, *_ARCHIVES))
# Nothing that a person would read, whatever folder it lies in.
_FONTS = (".woff", ".woff2", ".ttf", ".eot", ".otf")
_BINARIES = (".pyc", ".so", ".dll", ".dylib", ".o", ".a", ".class", ".db", ".sqlite", ".sqlite3", ".parquet")
_NEVER_TEXT = frozenset((*_SOUND, *_PROGRAMS, *_ARCHIVES, *_FONTS, *_BINARIES, ".ico", ".avif")) - {".zip"}


def is_document_name(path: str) -> bool:
    """Whether a file of a folder may be a document, by its name: no program, no sound, no lock file."""
    name = path.rsplit("/", 1)[-1]
    return not name.startswith("~$") and _suffix_of_name(name) not in _NEVER_TEXT


def is_page(answer: Fetched) -> bool:
    """Whether an answer is a web page; one without a type is taken for one unless its name says otherwise."""
    kind = answer.content_type
    return kind in _PAGES or (not kind and _suffix_of_name(answer.address) not in _KNOWN - {".html", ".htm"})


def suffix_of(answer: Fetched) -> str | None:
    """The ending a file's name should have; None for kinds that are not imported."""
    own = _suffix_of_name(file_name(answer))
    if answer.content_type in ("", "application/octet-stream", "binary/octet-stream", "text/plain"):
        return own if own in _KNOWN else _SUFFIXES.get(answer.content_type)
    return _SUFFIXES.get(answer.content_type)


def file_name(answer: Fetched) -> str:
    """The name of a file: what the server calls it, else the last part of its address."""
    disposition = answer.headers.get("content-disposition", "")
    if disposition:
        _, options = parse_options_header(disposition)
        raw = options.get(b"filename")
        if raw:
            return decode_name(raw)
    return path_name(answer.address)


def document_name(answer: Fetched) -> str:
    """`file_name` with the ending that its kind has."""
    name, suffix = file_name(answer), suffix_of(answer) or ""
    return name if _suffix_of_name(name) in _KNOWN else name + suffix


def worth_fetching(address: str, *, include_files: bool) -> bool:
    """Whether the name of an address does not rule out that something can be imported from it."""
    suffix = _suffix_of_name(address)
    if suffix in _USELESS:
        return False
    return include_files or suffix not in _KNOWN - {".html", ".htm", ".xhtml"}


def _suffix_of_name(name: str) -> str:
    path = unquote(urlsplit(name).path) if "://" in name else name
    return PurePosixPath(path).suffix.lower()
