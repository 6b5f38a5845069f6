"""Images for servers that take bytes only: what lies elsewhere is fetched here.

The address comes from whoever asks a question, not from whoever set the model up: private addresses are never
connected to, whatever is allowed for models.
"""

from dataclasses import replace

import httpx

from refdesk.gateway.calls import CompletionRequest
from refdesk.gateway.content import MAX_IMAGE_BYTES, ContentPart, ImageNotUnderstood, ImagePart
from refdesk.gateway.wires.connection import HTTP_OK
from refdesk.kit.http import AddressRefused, ResponseTooLarge, guarded_client, read_limited

FETCH_TIMEOUT_S = 20.0


def public_client() -> httpx.AsyncClient:
    """A client for addresses that strangers write."""
    return guarded_client(allow_private=False, max_connections=1)


async def with_images_fetched(request: CompletionRequest) -> CompletionRequest:
    """The request with every image as bytes.

    Raises `ImageNotUnderstood`, and `AddressRefused` where the address may not be connected to.
    """
    if all(isinstance(message.content, str) for message in request.messages):
        return request
    messages = [
        message
        if isinstance(message.content, str)
        else replace(message, content=tuple([await _as_bytes(part) for part in message.content]))
        for message in request.messages
    ]
    return replace(request, messages=messages)


async def _as_bytes(part: ContentPart) -> ContentPart:
    if not isinstance(part, ImagePart) or part.url is None:
        return part
    try:
        async with (
            public_client() as client,
            client.stream("GET", part.url, timeout=FETCH_TIMEOUT_S) as response,
        ):
            if response.status_code != HTTP_OK:
                raise ImageNotUnderstood("The image's server did not give it.")
            data = await read_limited(response, MAX_IMAGE_BYTES)
    except AddressRefused as error:
        hint = "Images are fetched from public addresses only; send the image itself."
        raise AddressRefused(hint=hint, **error.details) from error
    except ResponseTooLarge as error:
        raise ImageNotUnderstood("The image is too large.") from error
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise ImageNotUnderstood("The image's server could not be reached.") from error
    return ImagePart.of_bytes(data)
