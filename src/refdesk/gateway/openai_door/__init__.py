"""The gateway's own OpenAI-compatible door, of `refdesk gateway`: models themselves, with tools, images and
structured answers.

Beside it stands the door of applications (`apps`), which answers from documents; one process serves one of
the two.
"""

from refdesk.gateway.openai_door.routes import router

__all__ = ["router"]
