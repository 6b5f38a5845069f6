"""Small Office, OpenDocument and EPUB files made in memory, part by part."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from html import escape

_S = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_P = "http://schemas.openxmlformats.org/presentationml/2006/main"
_A = "http://schemas.openxmlformats.org/drawingml/2006/main"
_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PR = "http://schemas.openxmlformats.org/package/2006/relationships"
_O = "urn:oasis:names:tc:opendocument:xmlns:"
_ODF = "".join(
    f' xmlns:{name}="{_O}{part}:1.0"'
    for name, part in (
        *(
            ("office", "office"),
            ("text", "text"),
            ("table", "table"),
            ("style", "style"),
            ("draw", "drawing"),
        ),
        ("presentation", "presentation"),
    )
)


def package(parts: Mapping[str, str | bytes], first: tuple[str, str] | None = None) -> bytes:
    """A ZIP of parts; `first` is stored uncompressed before them (the kind of OpenDocument and EPUB)."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        if first:
            archive.writestr(first[0], first[1], zipfile.ZIP_STORED)
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def relations(*entries: tuple[str, str, str]) -> str:
    """A relations part of (id, kind, target)."""
    lines = "".join(
        f'<Relationship Id="{i}" Type="{_R}/{kind}" Target="{escape(target)}"/>'
        for i, kind, target in entries
    )
    return f'<Relationships xmlns="{_PR}">{lines}</Relationships>'


def cell(place: str, value: str | float, style: int = 0) -> str:
    """A cell of text or of a number under a style."""
    if isinstance(value, str):
        return f'<c r="{place}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f'<c r="{place}" s="{style}"><v>{value}</v></c>'


def sheet_rows(rows: Sequence[Sequence[str | float | None]], top: int = 1, left: int = 0) -> str:
    """Rows of cells from a place on."""
    lines: list[str] = []
    for i, row in enumerate(rows, top):
        cells = (cell(f"{chr(65 + left + c)}{i}", v) for c, v in enumerate(row) if v is not None)
        lines.append(f'<row r="{i}">{"".join(cells)}</row>')
    return "".join(lines)


def xlsx(
    *sheets: str,
    names: Sequence[str] = (),
    states: Sequence[str] = (),
    after: str = "",
    formats: Sequence[str] = (),
    book: str = "",
    parts: Mapping[str, str] | None = None,
) -> bytes:
    """A workbook; each sheet is the inside of `sheetData`, `after` follows it in every sheet."""
    listed = "".join(
        f'<sheet name="{names[i] if names else f"Sheet{i + 1}"}" sheetId="{i + 1}" r:id="r{i}"'
        f' state="{states[i] if states else "visible"}"/>'
        for i in range(len(sheets))
    )
    codes = "".join(f'<numFmt numFmtId="{200 + i}" formatCode="{escape(c)}"/>' for i, c in enumerate(formats))
    styles = '<xf numFmtId="0"/>' + "".join(f'<xf numFmtId="{200 + i}"/>' for i in range(len(formats)))
    return package(
        {
            "[Content_Types].xml": "<Types/>",
            "xl/workbook.xml": f'<workbook xmlns="{_S}" xmlns:r="{_R}">{book}'
            f"<sheets>{listed}</sheets></workbook>",
            "xl/_rels/workbook.xml.rels": relations(
                *((f"r{i}", "worksheet", f"worksheets/sheet{i}.xml") for i in range(len(sheets)))
            ),
            "xl/styles.xml": f'<styleSheet xmlns="{_S}"><numFmts>{codes}</numFmts>'
            f"<cellXfs>{styles}</cellXfs></styleSheet>",
            **{
                f"xl/worksheets/sheet{i}.xml": f'<worksheet xmlns="{_S}" xmlns:r="{_R}"><sheetData>{content}'
                f"</sheetData>{after}</worksheet>"
                for i, content in enumerate(sheets)
            },
            **(parts or {}),
        }
    )


def merged(*areas: str) -> str:
    """The part of a sheet that names its merged cells."""
    return "<mergeCells>" + "".join(f'<mergeCell ref="{area}"/>' for area in areas) + "</mergeCells>"


def shape(text: str, role: str = "", properties: str = "") -> str:
    """A text shape; several lines are several paragraphs."""
    place = f"<p:ph {role}/>" if role else ""
    lines = "".join(
        f"<a:p><a:pPr{properties}</a:pPr><a:r><a:t>{escape(line)}</a:t></a:r></a:p>".replace(
            "<a:pPr</a:pPr>", "<a:pPr/>"
        )
        for line in text.split("\n")
    )
    return f"<p:sp><p:nvSpPr><p:nvPr>{place}</p:nvPr></p:nvSpPr><p:txBody>{lines}</p:txBody></p:sp>"


def pptx(*slides: str, parts: Mapping[str, str] | None = None, hidden: Sequence[int] = ()) -> bytes:
    """A presentation; each slide is the inside of its shape tree."""
    order = "".join(f'<p:sldId id="{i + 1}" r:id="r{i}"/>' for i in range(len(slides)))
    space = f'xmlns:p="{_P}" xmlns:a="{_A}" xmlns:r="{_R}"'
    return package(
        {
            "[Content_Types].xml": "<Types/>",
            "ppt/presentation.xml": f"<p:presentation {space}><p:sldIdLst>{order}</p:sldIdLst>"
            "</p:presentation>",
            # Numbered backwards, so that an order by file name would be wrong.
            "ppt/_rels/presentation.xml.rels": relations(
                *((f"r{i}", "slide", f"slides/slide{99 - i}.xml") for i in range(len(slides)))
            ),
            **{
                f"ppt/slides/slide{99 - i}.xml": f'<p:sld {space} show="{int(i not in hidden)}"><p:cSld>'
                f"<p:spTree>{content}</p:spTree></p:cSld></p:sld>"
                for i, content in enumerate(slides)
            },
            **(parts or {}),
        }
    )


def notes(text: str) -> str:
    """A notes page."""
    return (
        f'<p:notes xmlns:p="{_P}" xmlns:a="{_A}"><p:cSld><p:spTree>{shape("7", 'type="sldNum"')}'
        f"{shape(text, 'type="body"')}</p:spTree></p:cSld></p:notes>"
    )


def odf(kind: str, body: str, styles: str = "", common: str = "", manifest: str = "") -> bytes:
    """An OpenDocument file: `kind` is `text`, `spreadsheet` or `presentation`."""
    parts = {
        "content.xml": f"<office:document-content{_ODF}><office:automatic-styles>{styles}"
        "</office:automatic-styles>"
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>",
        "styles.xml": f"<office:document-styles{_ODF}>{common}</office:document-styles>",
    }
    if manifest:
        parts["META-INF/manifest.xml"] = manifest
    return package(parts, ("mimetype", f"application/vnd.oasis.opendocument.{kind}"))


def epub(chapters: Mapping[str, str], contents: str = "", encryption: str = "") -> bytes:
    """A book; chapters by file name, `contents` is the NCX."""
    items = "".join(f'<item id="c{i}" href="{name}"/>' for i, name in enumerate(chapters))
    spine = "".join(f'<itemref idref="c{i}"/>' for i in range(len(chapters)))
    ncx = '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>' if contents else ""
    parts: dict[str, str | bytes] = {
        "META-INF/container.xml": '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles>'
        "</container>",
        "OEBPS/book.opf": '<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>Book</dc:title>'
        f"</metadata><manifest>{items}{ncx}</manifest><spine>{spine}</spine></package>",
        **{f"OEBPS/{name}": text for name, text in chapters.items()},
    }
    if contents:
        parts["OEBPS/toc.ncx"] = contents
    if encryption:
        parts["META-INF/encryption.xml"] = encryption
    return package(parts, ("mimetype", "application/epub+zip"))
