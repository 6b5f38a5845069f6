"""Questions about pictures, asked of a chat model over whatever wire it has."""

from dataclasses import dataclass
from uuid import UUID

from refdesk.gateway.calls import Completer, Completion, CompletionRequest, Message
from refdesk.gateway.content import TextPart
from refdesk.gateway.media import PictureQuestion


@dataclass(frozen=True, slots=True)
class CompletingReader:
    """A chat model as a reader of pictures."""

    completer: Completer

    @property
    def model_id(self) -> UUID:
        return self.completer.model_id

    @property
    def model_name(self) -> str:
        return self.completer.model_name

    async def understand(self, request: PictureQuestion) -> Completion:
        """The answer. Raises `ModelError`s."""
        content = (*request.pictures, TextPart(request.question))
        return await self.completer.complete(
            CompletionRequest(
                [Message("user", content)],
                max_tokens=request.max_tokens,
                timeout_s=request.timeout_s,
                request_id=request.request_id,
            )
        )
