"""The templates people fill in: the three columns with two examples, as CSV and as XLSX, in two languages."""

import csv
import io
import zipfile
from typing import Literal
from xml.sax.saxutils import escape

type Language = Literal["zh", "en"]
type Kind = Literal["csv", "xlsx"]

MEDIA_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
_ROWS: dict[Language, list[list[str]]] = {
    "en": [
        ["title", "content", "questions"],
        [
            "Refunds",
            "An order can be returned within thirty days. The money is back within five working days.",
            "How long may I return an order?\nWhen do I get my money back?",
        ],
        ["", "The hotline is open from nine to six on working days.", "When can I call you?"],
    ],
    "zh": [
        ["标题", "内容", "问题"],
        [
            "退款",
            "订单可在三十天内退货，款项在五个工作日内退回。",
            "多久之内可以退货？\n退款什么时候到账？",
        ],
        ["", "客服热线的服务时间为工作日九点到十八点。", "什么时候可以打电话？"],
    ],
}
_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    '<Override PartName="/xl/workbook.xml" ContentType='
    '"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>'
    '<Override PartName="/xl/styles.xml" ContentType='
    '"application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/>'
    '<Override PartName="/xl/worksheets/sheet1.xml" ContentType='
    '"application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>'
)
_DOCUMENT = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_PARTS = {
    "[Content_Types].xml": _TYPES,
    "_rels/.rels": f'<Relationships xmlns="{_RELATIONS}"><Relationship Id="r1" '
    f'Type="{_DOCUMENT}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_DOCUMENT}"><sheets>'
    '<sheet name="QA" sheetId="1" r:id="r1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_RELATIONS}">'
    f'<Relationship Id="r1" Type="{_DOCUMENT}/worksheet" Target="worksheets/sheet1.xml"/>'
    f'<Relationship Id="r2" Type="{_DOCUMENT}/styles" Target="styles.xml"/></Relationships>',
    # Two cell formats: bold for the header, wrapped lines for the rest.
    "xl/styles.xml": f'<styleSheet xmlns="{_MAIN}"><fonts count="2"><font/><font><b/></font></fonts>'
    '<fills count="1"><fill/></fills><borders count="1"><border/></borders>'
    '<cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf/><xf fontId="1" applyFont="1"/>'
    '<xf applyAlignment="1"><alignment vertical="top" wrapText="1"/></xf></cellXfs></styleSheet>',
}
_WIDTHS = (24, 60, 48)


def template(language: Language, kind: Kind) -> bytes:
    """The template's file."""
    rows = _ROWS[language]
    return _csv(rows) if kind == "csv" else _xlsx(rows)


def _csv(rows: list[list[str]]) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    # Without the mark Excel takes UTF-8 for the system's own encoding.
    return text.getvalue().encode("utf-8-sig")


def _xlsx(rows: list[list[str]]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {**_PARTS, "xl/worksheets/sheet1.xml": _sheet(rows)}.items():
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))  # the same bytes every time
            head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
            archive.writestr(info, head + content)
    return buffer.getvalue()


def _sheet(rows: list[list[str]]) -> str:
    columns = "".join(
        f'<col min="{i}" max="{i}" width="{width}" customWidth="1"/>' for i, width in enumerate(_WIDTHS, 1)
    )
    lines: list[str] = []
    for number, row in enumerate(rows, 1):
        style = 1 if number == 1 else 2
        cells = "".join(
            f'<c r="{"ABC"[i]}{number}" t="inlineStr" s="{style}">'
            f'<is><t xml:space="preserve">{escape(cell)}</t></is></c>'
            for i, cell in enumerate(row)
        )
        lines.append(f'<row r="{number}">{cells}</row>')
    data = "".join(lines)
    return f'<worksheet xmlns="{_MAIN}"><cols>{columns}</cols><sheetData>{data}</sheetData></worksheet>'
