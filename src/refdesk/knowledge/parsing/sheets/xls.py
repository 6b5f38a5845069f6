"""XLS and XLSB: the binary workbooks, through calamine (Rust), which reads typed values and merged cells.

What calamine does not give of an XLS (formats, links, notes, what is hidden) is added from its records
(`biff`).
"""

import io
from collections.abc import Generator, Iterator
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
from refdesk.knowledge.parsing.coverage import character_counts, finish
from refdesk.knowledge.parsing.errors import CorruptFile, PasswordRequired
from refdesk.knowledge.parsing.links import linked
from refdesk.knowledge.parsing.ole import OLE_MAGIC, ole_streams, require_ends
from refdesk.knowledge.parsing.sheets.biff import Stored, read_stored
from refdesk.knowledge.parsing.sheets.model import Range, Sheet
from refdesk.knowledge.parsing.sheets.raw import MISSED
from refdesk.knowledge.parsing.sheets.shown import shown_value
from refdesk.knowledge.parsing.sheets.writing import sheet_names, shown_texts, write_sheets
from refdesk.knowledge.parsing.unpacking import ZIP_MAGIC


class Xls:
    """Excel workbooks before 2007, and the binary ones since."""

    kind = "xls"
    suffixes = (".xls", ".xlt", ".xlsb")

    def supports(self, name: str, head: bytes) -> bool:
        """An OLE file with a workbook stream, or a ZIP with a binary workbook."""
        if head.startswith(OLE_MAGIC):
            return b"\nWorkbook\n" in head or b"\nBook\n" in head or name.lower().endswith(self.suffixes)
        return head.startswith(ZIP_MAGIC) and b"\nxl/workbook.bin\n" in head

    def parse(self, data: bytes, name: str, options: ParseOptions) -> Parsed:
        """Sheets in order; numbers as shown, in an XLSB as stored and dates as ISO."""
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
        texts = _add_stored(data, sheets) or shown_texts(sheets)
        repeated = write_sheets(sheets, found, options)
        source = character_counts(texts) + repeated.characters()
        meta: dict[str, object] = dict(sheet_names(sheets))
        left_out = 0 if options.include_comments else sum(len(sheet.notes) for sheet in sheets)
        return finish(name, self.kind, found, meta | {"comments_left_out": left_out or None}, source)


def _add_stored(data: bytes, sheets: list[Sheet]) -> list[str]:
    """Show numbers by their formats and add links, notes and boxes; returns the texts read independently.

    Cells without text are counted there: one that calamine did not give is marked as missed.
    """
    streams = ole_streams(data, ("Workbook",)) if data.startswith(OLE_MAGIC) else {}
    stored = read_stored(streams.get("Workbook", b""))
    if not stored or len(stored) != len(sheets):
        return []
    texts: list[str] = []
    for sheet, there in zip(sheets, stored, strict=True):
        cells = sum(1 for row in sheet.rows.values() for _ in row)
        sheet.hidden_rows, sheet.hidden_columns = there.hidden_rows, there.hidden_columns
        for (row, column), shown in there.shown.items():
            if shown and column in sheet.rows.get(row, {}):
                sheet.rows[row][column] = shown
        expected = len([text for text in there.texts if text.strip()]) + there.values
        texts += [*there.texts, *_values(sheet, there), MISSED * max(0, expected - cells)]
        for (row, column), address in there.links.items():
            text = sheet.rows.get(row, {}).get(column)
            if text:
                sheet.rows[row][column] = linked(text, address)
        sheet.notes = sorted((row, column, text.strip()) for (row, column), text in there.notes.items())
        sheet.drawn = [text.strip() for text in there.boxes.values() if text.strip()]
        texts += sheet.drawn
    return texts


def _values(sheet: Sheet, there: Stored) -> Iterator[str]:
    """What cells show that hold no text."""
    known = set(there.texts) | {text.strip() for text in there.texts}
    return (text for row in sheet.rows.values() for text in row.values() if text not in known)


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
