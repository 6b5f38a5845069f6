"""Reading text in pictures: scanned pages, photographs, screenshots, the pictures inside Office files.

Loading this package costs nothing; OpenCV and the models are loaded with the first picture. Owns what OCR may
cost (`Allowance`). Knows no file format but those of pictures.
"""

from refdesk.knowledge.parsing.ocr.allowance import PATIENCE, Allowance, allowance, allowing, require_memory
from refdesk.knowledge.parsing.ocr.embedded import PictureText, read_image_text
from refdesk.knowledge.parsing.ocr.report import cut_pictures, skipped_pictures

__all__ = [
    "PATIENCE",
    "Allowance",
    "PictureText",
    "allowance",
    "allowing",
    "cut_pictures",
    "read_image_text",
    "require_memory",
    "skipped_pictures",
]
