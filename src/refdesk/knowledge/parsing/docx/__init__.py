"""DOCX: the package (`container`), its numbering and styles, and the body as blocks."""

from refdesk.knowledge.parsing.docx.parser import Docx

__all__ = ["Docx"]
