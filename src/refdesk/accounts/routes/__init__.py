"""The room's paths, one module a group of nouns."""

from refdesk.accounts.routes import keys, sessions, users, workspaces

routers = (sessions.router, users.router, workspaces.router, keys.router)

__all__ = ["routers"]
