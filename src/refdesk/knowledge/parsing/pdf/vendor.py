"""The edge to PDFium: `pypdfium2` has no type information, so its modules are `Any` here and nowhere else."""

from importlib import import_module
from typing import Any

pdfium: Any = import_module("pypdfium2")
raw: Any = import_module("pypdfium2.raw")
PdfiumError: type[Exception] = pdfium.PdfiumError

type Handle = Any
"""A document, page, text page or object of PDFium."""
