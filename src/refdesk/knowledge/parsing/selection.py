"""Which parser reads a file: content first, name second, plain text last."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from importlib import import_module
from typing import cast

from refdesk.knowledge.parsing.blocks import Parsed, ParseOptions, Parser, ParseWarning
from refdesk.knowledge.parsing.dates import with_iso_dates
from refdesk.knowledge.parsing.embedded_pictures import has_pictures_beside, pictures_beside
from refdesk.knowledge.parsing.errors import CorruptFile, EmptyFile, OldPresentation, UnsupportedKind
from refdesk.knowledge.parsing.identify import BINARY_MARKS, head_of
from refdesk.knowledge.parsing.ocr import allowing, cut_pictures, skipped_pictures
from refdesk.knowledge.parsing.ole import OLE_MAGIC, unlock
from refdesk.knowledge.parsing.unpacking import ZIP_MAGIC


@dataclass(frozen=True, slots=True)
class _Entry:
    """Where a parser is, and what must be there before it is worth loading (nothing: any text)."""

    module: str
    name: str
    magic: tuple[bytes, ...] = ()
    suffixes: tuple[str, ...] = ()


# In the order they are asked; a further kind is one module and one line. Loaded on demand: a text file
# needs neither PDFium nor lxml, and the parsing process starts 70 ms sooner without them.
_PARSERS = (
    _Entry("pdf", "Pdf", magic=(b"%PDF-",), suffixes=(".pdf",)),
    _Entry(
        "images",
        "Picture",
        magic=(b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"II*\0", b"MM\0*", b"II+\0", b"MM\0+", b"RIFF", b"BM"),
        suffixes=(".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".bmp", ".gif"),
    ),
    _Entry("docx", "Docx", magic=(ZIP_MAGIC,), suffixes=(".docx",)),
    _Entry("pptx", "Pptx", magic=(ZIP_MAGIC,), suffixes=(".pptx",)),
    _Entry("sheets.xlsx", "Xlsx", magic=(ZIP_MAGIC,), suffixes=(".xlsx",)),
    _Entry("sheets.xls", "Xls", magic=(OLE_MAGIC, ZIP_MAGIC), suffixes=(".xls",)),
    _Entry("odf.parsers", "Odt", magic=(ZIP_MAGIC,), suffixes=(".odt",)),
    _Entry("odf.parsers", "Ods", magic=(ZIP_MAGIC,), suffixes=(".ods",)),
    _Entry("odf.parsers", "Odp", magic=(ZIP_MAGIC,), suffixes=(".odp",)),
    _Entry("epub", "Epub", magic=(ZIP_MAGIC,), suffixes=(".epub",)),
    _Entry("archive", "Archive", magic=(ZIP_MAGIC, b"PK\x05\x06"), suffixes=(".zip",)),
    _Entry("doc", "Doc", magic=(OLE_MAGIC,), suffixes=(".doc",)),
    _Entry("outlook", "Outlook", magic=(OLE_MAGIC,), suffixes=(".msg",)),
    _Entry("rtf", "Rtf", magic=(b"{\\rtf",), suffixes=(".rtf",)),
    _Entry("mail", "Mail", magic=(b"MIME-Version:",), suffixes=(".eml", ".mht", ".mhtml")),
    _Entry("sheets.delimited", "Delimited", suffixes=(".csv", ".tsv", ".tab")),
    _Entry("notebook", "Notebook", suffixes=(".ipynb",)),
    _Entry("json_text", "Json", suffixes=(".json", ".jsonl", ".ndjson", ".geojson")),
    _Entry("html", "Html"),
    _Entry("markdown", "Markdown"),
    _Entry("plain", "PlainText"),
)
_OLD_PRESENTATION = b"\nPowerPoint Document\n"
_MAGIC = {
    b"\xd0\xcf\x11\xe0": "an old Office file of another kind",
    b"PK\x03\x04": "an archive of another kind",
    b"\x7fELF": "a program",
}


def parsers() -> list[Parser]:
    """All parsers, in the order they are asked."""
    return [_load(entry) for entry in _PARSERS]


def _load(entry: _Entry) -> Parser:
    return cast(Parser, getattr(import_module(f"refdesk.knowledge.parsing.{entry.module}"), entry.name)())


def _worth_loading(entry: _Entry, name: str, head: bytes) -> bool:
    if not entry.magic and entry.suffixes:
        return name.lower().endswith(entry.suffixes)
    if not entry.magic:
        # Bytes of a known container are never text, however few control characters they hold.
        return not head.startswith(BINARY_MARKS)
    return any(magic in head[:1024] for magic in entry.magic) or name.lower().endswith(entry.suffixes)


def choose(data: bytes, name: str) -> Parser:
    """The parser for a file. Raises `EmptyFile` or `UnsupportedKind`."""
    if not data:
        raise EmptyFile
    head = head_of(data)
    # What a container holds says more than its name, which is asked for where its parts are unusual ones; an
    # archive is what is neither.
    for called in ("", name) if head.startswith(BINARY_MARKS) else (name,):
        for entry in _PARSERS:
            if _worth_loading(entry, called, head) and (called or entry.name != "Archive"):
                parser = _load(entry)
                if parser.supports(called, head):
                    return parser
    if head.startswith(OLE_MAGIC) and _OLD_PRESENTATION in head:
        raise OldPresentation
    what = next((label for magic, label in _MAGIC.items() if head.startswith(magic)), None)
    why = f"it looks like {what}" if what else "its content is not text"
    raise UnsupportedKind(f"This kind of file is not supported: {why}.")


def _pictures_in_addresses(options: ParseOptions) -> AbstractContextManager[None]:
    """Of a file that stands alone only the pictures written into their addresses can be read."""
    return nullcontext() if has_pictures_beside() else pictures_beside(options, lambda _: None)


def parse(data: bytes, name: str, options: ParseOptions | None = None) -> Parsed:
    """Read a file in this process. Raises a `ParseError`; use `parse_limited` for files from outside."""
    options = options or ParseOptions()
    data = unlock(data, options)
    parser = choose(data, name)
    try:
        with allowing(options) as left, _pictures_in_addresses(options):
            parsed = parser.parse(data, name, options)
            if unread := left.take_skipped():
                parsed = replace(parsed, warnings=(*parsed.warnings, skipped_pictures(unread)))
            pictures, chars, lost = left.take_cut_short()
            if pictures:
                parsed = replace(
                    parsed,
                    warnings=(*parsed.warnings, cut_pictures(pictures)),
                    extracted_chars=parsed.extracted_chars + chars + lost,
                    kept_chars=parsed.kept_chars + chars,
                )
    except RecursionError as error:
        raise CorruptFile("The file is nested deeper than any person would write it.") from error
    if not parsed.blocks:  # nothing but control characters, say
        raise EmptyFile
    parsed = with_iso_dates(parsed)
    expected = _kind_of_name(name)
    if expected and expected != parsed.kind and not (parsed.kind == "text" and expected == "markdown"):
        warning = ParseWarning(
            "wrong-extension",
            f"The name says {expected}, the content is {parsed.kind}; the content was followed.",
        )
        parsed = replace(parsed, warnings=(warning, *parsed.warnings))
    return parsed


# Kinds by the ending of a name, for the warning that a name misleads; endings of plain text mislead nobody.
_SUFFIX_KINDS = {
    **dict.fromkeys((".pdf",), "pdf"),
    **dict.fromkeys((".docx", ".docm"), "docx"),
    **dict.fromkeys((".xlsx", ".xlsm"), "xlsx"),
    **dict.fromkeys((".pptx", ".pptm"), "pptx"),
    **dict.fromkeys((".html", ".htm"), "html"),
    **dict.fromkeys((".md", ".markdown"), "markdown"),
    **{f".{kind}": kind for kind in ("doc", "xls", "odt", "ods", "odp", "epub", "rtf", "zip")},
    ".txt": "text",
}


def _kind_of_name(name: str) -> str | None:
    dot = name.rfind(".")
    return _SUFFIX_KINDS.get(name[dot:].lower()) if dot >= 0 else None
