"""Applications as servers of the Model Context Protocol (A22): their corpus tools, and asking them.

Streamable HTTP at `/apps/{id}/mcp` with the official SDK, one request at a time and no session, so that any
process answers any request. A call runs with the rights of whoever sent it.
"""

from refdesk.apps.mcp.door import McpDoor
from refdesk.apps.mcp.routes import router

__all__ = ["McpDoor", "router"]
