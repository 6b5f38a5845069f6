"""Images for servers that take bytes only: what lies elsewhere is fetched, through the guarded client."""

from dataclasses import replace

import httpx

from refdesk.gateway.calls import CompletionRequest
from refdesk.gateway.content import MAX_IMAGE_BYTES, ContentPart, ImageNotUnderstood, ImagePart
from refdesk.gateway.wires.connection import HTTP_OK, Connection
from refdesk.kit.http import ResponseTooLarge, read_limited

FETCH_TIMEOUT_S = 20.0


async def with_images_fetched(request: CompletionRequest, connection: Connection) -> CompletionRequest:
    """The request with every image as bytes.

    Raises `ImageNotUnderstood`, and `AddressRefused` where the address may not be connected to.
    """
    if all(isinstance(message.content, str) for message in request.messages):
        return request
    messages = [
        message
        if isinstance(message.content, str)
        else replace(message, content=tuple([await _as_bytes(part, connection) for part in message.content]))
        for message in request.messages
    ]
    return replace(request, messages=messages)


async def _as_bytes(part: ContentPart, connection: Connection) -> ContentPart:
    if not isinstance(part, ImagePart) or part.url is None:
        return part
    # None of the model's own headers: an image's server must not see the model's key.
    try:
        async with connection.client.stream("GET", part.url, timeout=FETCH_TIMEOUT_S) as response:
            if response.status_code != HTTP_OK:
                raise ImageNotUnderstood(
                    "The image's server did not give it.", status_code=response.status_code
                )
            data = await read_limited(response, MAX_IMAGE_BYTES)
    except ResponseTooLarge as error:
        raise ImageNotUnderstood("The image is too large.") from error
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise ImageNotUnderstood("The image's server could not be reached.") from error
    return ImagePart.of_bytes(data)
