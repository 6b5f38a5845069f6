"""XLS and XLSB: the binary workbooks, through calamine (Rust), which reads typed values and merged cells."""

import io
from collections.abc import Generator
from contextlib import contextmanager

from python_calamine import (
    CalamineError,
    CalamineSheet,
    CalamineWorkbook,
    PasswordError,
    SheetTypeEnum,
    SheetVisibleEnum,
)

from refdesk.knowledge.parsing.blocks import BlockList, Parsed, ParseOptions
from refdesk.knowledge.parsing.container import Container
from refdesk.knowledge.parsing.coverage import finish
from refdesk.knowledge.parsing.errors import CorruptFile, PasswordRequired
from refdesk.knowledge.parsing.ole import OLE_MAGIC, require_ends
from refdesk.knowledge.parsing.sheets.model import Range, Sheet
from refdesk.knowledge.parsing.sheets.shown import shown_value
from refdesk.knowledge.parsing.sheets.writing import sheet_names, write_sheets
from refdesk.knowledge.parsing.unpacking import ZIP_MAGIC


class Xls:
    """Excel workbooks before 2007, and the binary ones since."""

    kind = "xls"
    suffixes = (".xls", ".xlt", ".xlsb")

    def supports(self, name: str, head: bytes) -> bool:
        """An OLE file with a workbook stream, or a ZIP with a binary workbook."""
        if head.startswith(OLE_MAGIC):
            return b"\nWorkbook\n" in head or b"\nBook\n" in head or name.lower().endswith(self.suffixes)
        return head.startswith(ZIP_MAGIC) and b"xl/workbook.bin" in head

    def parse(self, data: bytes, name: str, options: ParseOptions) -> Parsed:
        """Sheets in order; values as text, dates as ISO."""
        if data.startswith(ZIP_MAGIC):
            with Container(data, options):
                pass  # its guards against bombs; calamine has none
        else:
            require_ends(data)
        found = BlockList()
        sheets: list[Sheet] = []
        with _reported(), CalamineWorkbook.from_filelike(io.BytesIO(data)) as workbook:
            for about in workbook.sheets_metadata:
                if about.typ == SheetTypeEnum.WorkSheet:
                    sheet = _sheet(workbook.get_sheet_by_name(about.name))
                    sheet.hidden = about.visible != SheetVisibleEnum.Visible
                    sheets.append(sheet)
        source = "\n".join(write_sheets(sheets, found, options))
        return finish(name, self.kind, found, dict(sheet_names(sheets)), source)


@contextmanager
def _reported() -> Generator[None]:
    """Failures of calamine as ours. A panic of Rust is no `Exception`, so its class is known by name."""
    try:
        yield
    except PasswordError as error:
        raise PasswordRequired from error
    except (CalamineError, ValueError, OSError) as error:
        raise CorruptFile(reason=str(error)[:200]) from error
    except BaseException as error:
        if type(error).__name__ == "PanicException":
            raise CorruptFile(reason="the workbook is damaged") from error
        raise


def _sheet(source: CalamineSheet) -> Sheet:
    sheet = Sheet(source.name)
    top, left = source.start or (0, 0)
    for at, row in enumerate(source.to_python(skip_empty_area=True)):
        cells = {left + i: text for i, value in enumerate(row) if (text := shown_value(value))}
        if cells:
            sheet.rows[top + at] = cells
    for (first_row, first_column), (last_row, last_column) in source.merged_cell_ranges or ():
        sheet.merged.append(Range(first_row, first_column, last_row, last_column))
    return sheet
