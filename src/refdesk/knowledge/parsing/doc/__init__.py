"""Word documents before 2007: their binary layout, the properties of their text, and its blocks."""

from refdesk.knowledge.parsing.doc.parser import Doc

__all__ = ["Doc"]
