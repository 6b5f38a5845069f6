"""Where characters stand on a page → reading order, paragraphs, tables, headings.

Knows neither PDFium nor OCR: both give glyphs with boxes. Must not read files.
"""
