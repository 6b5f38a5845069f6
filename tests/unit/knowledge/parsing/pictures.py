"""Pictures with text on them, drawn here."""

import io

from PIL import Image, ImageDraw, ImageFont


def picture_of(text: str) -> bytes:
    """A PNG with one line of large letters."""
    font = ImageFont.load_default(size=48)
    image = Image.new("RGB", (60 + 34 * len(text), 120), "white")
    ImageDraw.Draw(image).text((30, 30), text, fill="black", font=font)
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()
