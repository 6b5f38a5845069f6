"""The working directory of a conversation (M22): files a person gives and an agent makes, and a shell.

Kept in the database, so that any process serves it and it goes with its conversation. A command gets a copy
in the sandbox; what it leaves there is taken back. Nothing here runs outside of the sandbox.
"""

from refdesk.chat.workdir.routes import router
from refdesk.chat.workdir.tools import directory_tools

__all__ = ["directory_tools", "router"]
