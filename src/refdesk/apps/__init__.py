"""Applications: a named way of answering over chosen knowledge bases, and the OpenAI-compatible door to it.

Owns the configuration and turns it into the profile a run is made with; the answering itself is `chat`'s.
"""

from refdesk.accounts import key_resources
from refdesk.apps.answering import ApplicationAnswers
from refdesk.apps.mcp import McpDoor
from refdesk.apps.mcp import router as mcp_router
from refdesk.apps.openai_routes import router as openai_router
from refdesk.apps.profiles import StoredProfiles
from refdesk.apps.repository import RESOURCE, applications_of_base, require_application
from refdesk.apps.routes import router
from refdesk.knowledge import users_of_bases

key_resources[RESOURCE] = require_application
users_of_bases.append(applications_of_base)
routers = (router, openai_router, mcp_router)

__all__ = ["ApplicationAnswers", "McpDoor", "StoredProfiles", "openai_router", "router", "routers"]
