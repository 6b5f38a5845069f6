"""What a message holds: text, and images beside it.

Owns the forms an image comes in (bytes, a data URL, an address elsewhere) and tells what it is by its own
first bytes rather than by what somebody called it. Fetches nothing: wires do, through the guarded client.
"""

import base64
import binascii
import re
from dataclasses import dataclass, field
from urllib.parse import unquote_to_bytes

from refdesk.kit.errors import Invalid

MAX_IMAGE_BYTES = 20 * 1024 * 1024
_DATA_URL = re.compile(r"data:(?P<type>[\w.+-]+/[\w.+-]+)?(?:;[\w=-]+)*?(?P<base64>;base64)?,", re.IGNORECASE)
_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


class ImageNotUnderstood(Invalid):
    """An image of a message is neither PNG, JPEG, GIF nor WebP, is broken, or is too large."""

    code = "image-not-understood"
    message = "The image is not one that models take."
    hint = "Send PNG, JPEG, GIF or WebP of at most 20 MB."


@dataclass(frozen=True, slots=True)
class TextPart:
    text: str


@dataclass(frozen=True, slots=True)
class ImagePart:
    """An image: either its bytes with their media type, or the http(s) address where it lies."""

    data: bytes = field(default=b"", repr=False)
    media_type: str = ""
    url: str | None = None

    @classmethod
    def of_bytes(cls, data: bytes) -> "ImagePart":
        """Raises `ImageNotUnderstood`."""
        return cls(data, _media_type(data))

    @classmethod
    def of_url(cls, url: str) -> "ImagePart":
        """From a data URL or an http(s) address. Raises `ImageNotUnderstood`."""
        if url.lower().startswith(("http://", "https://")):
            return cls(url=url)
        found = _DATA_URL.match(url)
        if found is None:
            raise ImageNotUnderstood("The image's address is neither http(s) nor a data URL.")
        if len(url) > MAX_IMAGE_BYTES * 4 // 3 + 1000:
            raise ImageNotUnderstood("The image is too large.")
        body = url[found.end() :]
        try:
            data = (
                base64.b64decode(unquote_to_bytes(body), validate=True)
                if found["base64"]
                else unquote_to_bytes(body)
            )
        except binascii.Error as error:
            raise ImageNotUnderstood("The image's data is not valid base64.") from error
        return cls.of_bytes(data)

    @property
    def base64(self) -> str:
        return base64.b64encode(self.data).decode()

    @property
    def as_url(self) -> str:
        """The address, or the bytes as a data URL."""
        return self.url if self.url is not None else f"data:{self.media_type};base64,{self.base64}"


type ContentPart = TextPart | ImagePart
type Content = str | tuple[ContentPart, ...]


def text_of(content: Content) -> str:
    """The words alone."""
    if isinstance(content, str):
        return content
    return "\n".join(part.text for part in content if isinstance(part, TextPart))


def parts_of(content: Content) -> tuple[ContentPart, ...]:
    """The same as parts; an empty text has none."""
    if isinstance(content, str):
        return (TextPart(content),) if content else ()
    return content


def _media_type(data: bytes) -> str:
    if len(data) > MAX_IMAGE_BYTES:
        raise ImageNotUnderstood("The image is too large.")
    for signature, media_type in _SIGNATURES:
        if data.startswith(signature):
            return media_type
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    raise ImageNotUnderstood
