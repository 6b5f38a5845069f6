"""Small DOCX files made in memory, part by part."""

import io
import zipfile

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_NAMES = (
    f'xmlns:w="{W}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:v="urn:schemas-microsoft-com:vml"'
)
STYLES = """
<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/></w:style>
<w:style w:type="paragraph" w:styleId="Mine"><w:name w:val="Mine"/><w:basedOn w:val="H1"/></w:style>
<w:style w:type="paragraph" w:styleId="Outline"><w:name w:val="Own"/>
  <w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Code"><w:name w:val="Source Code"/></w:style>
"""
NUMBERING = """
<w:abstractNum w:abstractNumId="1">
  <w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
  <w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%2"/></w:lvl>
  <w:lvl w:ilvl="2"><w:start w:val="1"/><w:numFmt w:val="lowerRoman"/><w:lvlText w:val="(%3)"/></w:lvl>
</w:abstractNum>
<w:abstractNum w:abstractNumId="2">
  <w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="chineseCounting"/><w:lvlText w:val="第%1章"/></w:lvl>
</w:abstractNum>
<w:abstractNum w:abstractNumId="3">
  <w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="x"/></w:lvl>
</w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>
<w:num w:numId="2"><w:abstractNumId w:val="2"/></w:num>
<w:num w:numId="3"><w:abstractNumId w:val="3"/></w:num>
"""


def part(root: str, inner: str) -> str:
    """An XML part with all name spaces."""
    return f'<?xml version="1.0" encoding="UTF-8"?><w:{root} {_NAMES}>{inner}</w:{root}>'


def docx(body: str, **parts: str) -> bytes:
    """A DOCX with this body; `parts` are further parts of the folder `word`, without their ending."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("[Content_Types].xml", "<Types/>")
        package.writestr("word/document.xml", part("document", f"<w:body>{body}</w:body>"))
        package.writestr("word/styles.xml", part("styles", STYLES))
        package.writestr("word/numbering.xml", part("numbering", NUMBERING))
        for name, content in parts.items():
            package.writestr(f"word/{name}.xml", content)
    return out.getvalue()


def p(text: str, properties: str = "") -> str:
    """A paragraph of one run."""
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t xml:space='preserve'>{text}</w:t></w:r></w:p>"


def style(name: str) -> str:
    """Paragraph properties that name a style."""
    return f'<w:pStyle w:val="{name}"/>'


def listed(number: int, level: int = 0) -> str:
    """Paragraph properties of a list item."""
    return f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>'


def table(*rows: str) -> str:
    """A table of rows."""
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in rows)}</w:tbl>"


def cell(text: str, properties: str = "", after: str = "") -> str:
    """A cell with one paragraph."""
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{p(text)}{after}</w:tc>"
