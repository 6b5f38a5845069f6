"""Large files for `benchmarks/parsing.py`, made here, so that nothing needs to be downloaded."""

# ruff: noqa: E501 - the XML of Office parts is read better in one piece

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

_WORDS = (
    "The customer may return the goods within seven days, at his own cost, and gets the price back "
    "within three days (see section 4.2). "
)
_ZH = "客户在签收后七天内可以无理由退货，运费由客户自理；退款在三个工作日内原路返回。"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_MAIN = "application/vnd.openxmlformats-officedocument."


def make(folder: Path) -> Iterator[tuple[str, Path, Path]]:
    """Write every file that is not there yet; yields the name of the case, a small file and the large one."""
    for case, (suffix, write, small, large) in _CASES.items():
        files = (folder / f"{case}-small{suffix}", folder / f"{case}{suffix}")
        for path, size in zip(files, (small, large), strict=True):
            if not path.exists():
                path.write_bytes(write(size))
        yield case, *files


def _pdf(pages: int, lines: int, *, outline: bool) -> bytes:
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4, invariant=1)
    for page in range(1, pages + 1):
        if outline:
            canvas.bookmarkPage(str(page))
            canvas.addOutlineEntry(f"Section {page}", str(page), level=0 if page % 10 == 1 else 1)
        canvas.setFont("Helvetica-Bold", 14)
        canvas.drawString(72, 770, f"Section {page}")
        canvas.setFont("Helvetica", 10)
        for line in range(lines):
            canvas.drawString(72, 740 - 15 * line, f"{page}.{line} {_WORDS[:95]}")
        canvas.drawString(290, 30, str(page))
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def _csv(rows: int) -> bytes:
    lines = ["id,name,city,amount,note"]
    lines += [
        f"{n},Customer {n % 977},上海 {n % 31},{n * 7 % 10_000}.50,{_WORDS[: n % 60]!r}" for n in range(rows)
    ]
    return "\n".join(lines).encode()


def _html(size: int) -> bytes:
    section = (
        "<section><h2>Section {n}</h2><p>"
        + _WORDS * 6
        + "</p><p>"
        + _ZH * 6
        + "</p><ul><li>one</li><li>two <b>three</b></li></ul><table><tr><th>a</th><th>b</th></tr>"
        "<tr><td>{n}</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></table></section>"
    )
    parts = ["<!doctype html><html><head><meta charset='utf-8'><title>Large</title></head><body><main>"]
    total = n = 0
    while total < size:
        parts.append(section.replace("{n}", str(n)))
        total += len(parts[-1].encode())
        n += 1
    return ("".join(parts) + "</main></body></html>").encode()


def _docx(sections: int) -> bytes:
    def paragraph(text: str, style: str = "") -> str:
        properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
        return f"<w:p>{properties}<w:r><w:t>{text}</w:t></w:r></w:p>"

    row = "<w:tr>" + f"<w:tc>{paragraph('cell of a table')}</w:tc>" * 4 + "</w:tr>"
    body = "".join(
        paragraph(f"Section {n}", "Heading1")
        + paragraph(_WORDS * 3) * 3
        + paragraph(_ZH * 3)
        + (f"<w:tbl>{row * 8}</w:tbl>" if n % 5 == 0 else "")
        for n in range(sections)
    )
    w = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    styles = f'<w:styles xmlns:w="{w}"><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>'
    return _package(
        (
            "word/document.xml",
            f"{_MAIN}wordprocessingml.document.main+xml",
            f'<w:document xmlns:w="{w}"><w:body>{body}</w:body></w:document>',
        ),
        [("word/styles.xml", f"{_MAIN}wordprocessingml.styles+xml", styles, "styles")],
    )


def _xlsx(rows: int) -> bytes:
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"

    def row(n: int) -> str:
        texts = (
            ("name", "city", "amount", "note")
            if n == 1
            else (f"Customer {n % 977}", "上海", "", _WORDS[: n % 60])
        )
        cells = [
            f'<c r="{c}{n}" t="inlineStr"><is><t>{t}</t></is></c>' for c, t in zip("ABCD", texts, strict=True)
        ]
        if n > 1:
            cells[2] = f'<c r="C{n}"><v>{n * 7 % 10_000}.5</v></c>'
        return f'<row r="{n}">{"".join(cells)}</row>'

    sheet = f'<worksheet xmlns="{main}"><sheetData>{"".join(row(n) for n in range(1, rows + 1))}</sheetData></worksheet>'
    book = f'<workbook xmlns="{main}" xmlns:r="{_OFFICE}"><sheets><sheet name="Orders" sheetId="1" r:id="r0"/></sheets></workbook>'
    return _package(
        ("xl/workbook.xml", f"{_MAIN}spreadsheetml.sheet.main+xml", book),
        [("xl/worksheets/sheet1.xml", f"{_MAIN}spreadsheetml.worksheet+xml", sheet, "worksheet")],
    )


def _pptx(slides: int) -> bytes:
    p = "http://schemas.openxmlformats.org/presentationml/2006/main"
    a = "http://schemas.openxmlformats.org/drawingml/2006/main"

    nothing = '<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>'

    def shape(number: int, place: str, texts: list[str]) -> str:
        lines = "".join(f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>" for text in texts)
        return (
            f'<p:sp><p:nvSpPr><p:cNvPr id="{number}" name="s"/><p:cNvSpPr/><p:nvPr><p:ph {place}/></p:nvPr></p:nvSpPr>'
            f"<p:spPr/><p:txBody><a:bodyPr/>{lines}</p:txBody></p:sp>"
        )

    def slide(n: int) -> str:
        shapes = shape(2, 'type="title"', [f"Slide {n}"]) + shape(3, 'idx="1"', [_WORDS, _ZH, "three"] * 3)
        return f'<p:sld xmlns:p="{p}" xmlns:a="{a}"><p:cSld><p:spTree>{nothing}{shapes}</p:spTree></p:cSld></p:sld>'

    layout = f'<p:sldLayout xmlns:p="{p}" xmlns:a="{a}"><p:cSld><p:spTree>{nothing}</p:spTree></p:cSld></p:sldLayout>'
    master = f'<p:sldMaster xmlns:p="{p}" xmlns:a="{a}"><p:cSld><p:spTree>{nothing}</p:spTree></p:cSld></p:sldMaster>'
    parts = [
        (f"ppt/slides/slide{n}.xml", f"{_MAIN}presentationml.slide+xml", slide(n), "slide")
        for n in range(1, slides + 1)
    ]
    ids = "".join(f'<p:sldId id="{256 + n}" r:id="r{n}"/>' for n in range(slides))
    deck = f'<p:presentation xmlns:p="{p}" xmlns:r="{_OFFICE}"><p:sldIdLst>{ids}</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/></p:presentation>'
    to_layout = _relations(
        f'<Relationship Id="r0" Type="{_OFFICE}/slideLayout" Target="../slideLayouts/slideLayout1.xml"/>'
    )
    return _package(
        ("ppt/presentation.xml", f"{_MAIN}presentationml.presentation.main+xml", deck),
        [
            *parts,
            (
                "ppt/slideLayouts/slideLayout1.xml",
                f"{_MAIN}presentationml.slideLayout+xml",
                layout,
                "slideLayout",
            ),
            (
                "ppt/slideMasters/slideMaster1.xml",
                f"{_MAIN}presentationml.slideMaster+xml",
                master,
                "slideMaster",
            ),
        ],
        {
            "ppt/slideLayouts/_rels/slideLayout1.xml.rels": _relations(
                f'<Relationship Id="r0" Type="{_OFFICE}/slideMaster" Target="../slideMasters/slideMaster1.xml"/>'
            ),
        }
        | {f"ppt/slides/_rels/slide{n}.xml.rels": to_layout for n in range(1, slides + 1)},
    )


def _relations(inner: str) -> str:
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{inner}</Relationships>'


def _package(
    main: tuple[str, str, str], parts: list[tuple[str, str, str, str]], others: dict[str, str] | None = None
) -> bytes:
    """An Office file: its main part, (name, content type, XML, kind of relation) of the others, and the rest."""
    folder = main[0].rpartition("/")[0]
    types = "".join(
        f'<Override PartName="/{name}" ContentType="{kind}"/>' for name, kind, *_ in (main[:2], *parts)
    )
    inner = "".join(
        f'<Relationship Id="r{n}" Type="{_OFFICE}/{kind}" Target="{name.removeprefix(f"{folder}/")}"/>'
        for n, (name, _, _, kind) in enumerate(parts)
    )
    outer = f'<Relationship Id="r0" Type="{_OFFICE}/officeDocument" Target="{main[0]}"/>'
    members = {
        "[Content_Types].xml": (
            f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/>'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f"{types}</Types>"
        ),
        "_rels/.rels": _relations(outer),
        f"{folder}/_rels/{main[0].rpartition('/')[2]}.rels": _relations(inner),
        main[0]: main[2],
        **{name: xml for name, _, xml, _ in parts},
        **(others or {}),
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        for name, xml in members.items():
            package.writestr(name, f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>{xml}')
    return out.getvalue()


def _epub(chapters: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("mimetype", "application/epub+zip")
        book.writestr(
            "META-INF/container.xml",
            '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
            '<rootfile full-path="b.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
        )
        items = "".join(
            f'<item id="c{n}" href="c{n}.xhtml" media-type="application/xhtml+xml"/>' for n in range(chapters)
        )
        spine = "".join(f'<itemref idref="c{n}"/>' for n in range(chapters))
        book.writestr(
            "b.opf",
            '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata '
            'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Book</dc:title></metadata>'
            f"<manifest>{items}</manifest><spine>{spine}</spine></package>",
        )
        for n in range(chapters):
            text = f"<p>{_WORDS * 6}</p><p>{_ZH * 6}</p>" * 10
            book.writestr(
                f"c{n}.xhtml",
                f'<html xmlns="http://www.w3.org/1999/xhtml"><body><h1>Chapter {n}</h1>{text}</body></html>',
            )
    return out.getvalue()


def _notebook(cells: int) -> bytes:
    made = [
        {"cell_type": "markdown", "metadata": {}, "source": [f"## Part {n}\n", "\n", _WORDS * 3]}
        if n % 2
        else {
            "cell_type": "code",
            "metadata": {},
            "source": ["x = 1\n"] * 9,
            "outputs": [],
            "execution_count": n,
        }
        for n in range(cells)
    ]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def _markdown(sections: int) -> bytes:
    return "\n\n".join(
        f"## Section {n}\n\n{_WORDS * 4}\n\n{_ZH * 4}\n\n- one\n- two" for n in range(sections)
    ).encode()


def _zip(members: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for n in range(members):
            archive.writestr(f"folder/file {n}.md", _markdown(20))
    return out.getvalue()


def _long_pdf(pages: int) -> bytes:
    return _pdf(pages, 40, outline=False)


def _outlined_pdf(pages: int) -> bytes:
    return _pdf(pages, 3, outline=True)


# Ending of the name, what makes it, and how much of it for the small and the large file.
_CASES: dict[str, tuple[str, Callable[[int], bytes], int, int]] = {
    "pdf-1000-pages": (".pdf", _long_pdf, 2, 1_000),
    "pdf-outline-10000": (".pdf", _outlined_pdf, 2, 10_000),
    "csv-200000-rows": (".csv", _csv, 20, 200_000),
    "html-50-mb": (".html", _html, 10_000, 50_000_000),
    "docx-2000-sections": (".docx", _docx, 2, 2_000),
    "xlsx-50000-rows": (".xlsx", _xlsx, 20, 50_000),
    "pptx-300-slides": (".pptx", _pptx, 2, 300),
    "epub-200-chapters": (".epub", _epub, 2, 200),
    "notebook-2000-cells": (".ipynb", _notebook, 4, 2_000),
    "markdown-5000-sections": (".md", _markdown, 2, 5_000),
    "zip-200-members": (".zip", _zip, 2, 200),
}
