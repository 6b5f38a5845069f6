"""The gateway's own OpenAI-compatible door, of `refdesk gateway`: models themselves, with tools, images and
structured answers.

Beside it stands the door of applications (`apps`), which answers from documents; one process serves one of
the two.
"""

from refdesk.gateway.openai_door.answering import answer_chat
from refdesk.gateway.openai_door.chat import warning_headers
from refdesk.gateway.openai_door.lane import ChatLane
from refdesk.gateway.openai_door.routes import router
from refdesk.gateway.openai_door.schemas import ChatRequest

__all__ = ["ChatLane", "ChatRequest", "answer_chat", "router", "warning_headers"]
