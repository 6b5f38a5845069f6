"""PDF with a text layer: glyphs → tables, columns, lines → blocks with page and box."""

from refdesk.knowledge.parsing.pdf.parser import Pdf

__all__ = ["Pdf"]
