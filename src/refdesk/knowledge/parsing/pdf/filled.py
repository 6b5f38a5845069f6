"""What people wrote onto a page: values of form fields, text boxes and stamps become part of the page.

They are annotations with a drawing of their own, which PDFium's text interface does not see. A page that has
some is flattened and opened again. Notes behind an icon are no text of the page, and links stay links.
"""

import ctypes

from refdesk.knowledge.parsing.pdf.vendor import Handle, raw

_WRITTEN = frozenset((raw.FPDF_ANNOT_FREETEXT, raw.FPDF_ANNOT_STAMP, raw.FPDF_ANNOT_WIDGET))
_MAX_ANNOTATIONS = 5_000


def with_written(document: Handle, page: Handle, index: int) -> Handle:
    """The page, opened again with what was written onto it where there is something."""
    if not _has_written(page):
        return page
    if raw.FPDFPage_Flatten(page.raw, raw.FLAT_NORMALDISPLAY) != raw.FLATTEN_SUCCESS:
        return page
    page.close()
    return document[index]


def _has_written(page: Handle) -> bool:
    for i in range(min(raw.FPDFPage_GetAnnotCount(page.raw), _MAX_ANNOTATIONS)):
        note = raw.FPDFPage_GetAnnot(page.raw, i)
        if not note:
            continue
        kind = raw.FPDFAnnot_GetSubtype(note)
        shown = raw.FPDFAnnot_GetAP(note, raw.FPDF_ANNOT_APPEARANCEMODE_NORMAL, None, 0) > ctypes.sizeof(
            ctypes.c_ushort
        )
        raw.FPDFPage_CloseAnnot(note)
        if kind in _WRITTEN and shown:
            return True
    return False
