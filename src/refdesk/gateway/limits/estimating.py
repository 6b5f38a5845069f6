"""How many tokens a call will use, guessed before it is made."""

from dataclasses import dataclass
from decimal import Decimal

from refdesk.gateway.calls import CompletionRequest
from refdesk.gateway.content import ImagePart, parts_of
from refdesk.gateway.tokens import IMAGE_TOKENS

# UTF-8 bytes for a token: vocabularies of today spend about 4 on English and 3.5 on Chinese (one token for
# 0.7 to 1.2 characters of 3 bytes); the lower number estimates too much rather than too little.
BYTES_PER_TOKEN = 3.5
TOKENS_PER_MESSAGE = 4
DEFAULT_OUTPUT_TOKENS = 512


@dataclass(frozen=True, slots=True)
class Estimate:
    """Tokens read and written; `cached_tokens` are a part of those read. `units` are what is not tokens:
    pictures, seconds, characters, documents."""

    input_tokens: int
    output_tokens: int
    cached_tokens: int = 0
    units: Decimal = Decimal(0)


def tokens_of(text: str) -> int:
    """An estimate for one text, made from its length alone."""
    return int(len(text.encode(errors="replace")) / BYTES_PER_TOKEN) + 1


def estimate(request: CompletionRequest, default_output: int = DEFAULT_OUTPUT_TOKENS) -> Estimate:
    """What a request will use: all texts and pictures, and an answer as long as it may be or as is usual."""
    read = sum(tokens_of(message.text) + TOKENS_PER_MESSAGE for message in request.messages)
    read += IMAGE_TOKENS * sum(
        isinstance(part, ImagePart) for message in request.messages for part in parts_of(message.content)
    )
    read += sum(tokens_of(call.arguments) for message in request.messages for call in message.tool_calls)
    read += sum(tokens_of(tool.description) + tokens_of(str(tool.parameters)) for tool in request.tools)
    return Estimate(read, request.max_tokens or default_output)
