"""Tools: one shape for everything a run may call, and where they come from.

Owns tool servers, stored tools, the sandbox and the reading of arguments. Knows no conversation and no stage:
whoever runs one asks for a `Toolbox` and calls it.
"""

from refdesk.tools.applications import (
    Answer,
    AnsweringApplication,
    AnsweringApplications,
    ApplicationSource,
    SourceOfAnswer,
)
from refdesk.tools.registry import ToolRegistry
from refdesk.tools.routes import ToolsDep, get_tools, router
from refdesk.tools.servers.routes import router as servers_router
from refdesk.tools.service import ToolService
from refdesk.tools.sources import Choice, Opened, ToolSource
from refdesk.tools.spec import Executor, Origin, Tool, ToolCaller, ToolFault, ToolResult, ToolSpec
from refdesk.tools.stored.routes import router as stored_router
from refdesk.tools.toolbox import Toolbox, ToolProblem

# In the order of the interface's documentation.
routers = (router, stored_router, servers_router)

__all__ = [
    "Answer",
    "AnsweringApplication",
    "AnsweringApplications",
    "ApplicationSource",
    "Choice",
    "Executor",
    "Opened",
    "Origin",
    "SourceOfAnswer",
    "Tool",
    "ToolCaller",
    "ToolFault",
    "ToolProblem",
    "ToolRegistry",
    "ToolResult",
    "ToolService",
    "ToolSource",
    "ToolSpec",
    "Toolbox",
    "ToolsDep",
    "get_tools",
    "routers",
]
