"""Tools: one shape for everything a run may call, and where they come from.

Owns tool servers, stored tools, the sandbox and the reading of arguments. Knows no conversation and no stage:
whoever runs one asks for a `Toolbox` and calls it.
"""

from refdesk.tools.spec import Executor, Origin, Tool, ToolCaller, ToolFault, ToolResult, ToolSpec
from refdesk.tools.toolbox import Toolbox, ToolProblem

__all__ = [
    "Executor",
    "Origin",
    "Tool",
    "ToolCaller",
    "ToolFault",
    "ToolProblem",
    "ToolResult",
    "ToolSpec",
    "Toolbox",
]
