"""Calling a model by its descriptor: `/mcp/models` and `/mcp/invoke` (X6, X9).

Owns what programs send and get: an input held against the model's schema before anything is called, an
output held against it after. Health, backups, limits and the record are the typed calls' own.
"""

from refdesk.gateway.invoking.routes import router

__all__ = ["router"]
