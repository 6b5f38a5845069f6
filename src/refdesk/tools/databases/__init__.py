"""Registered databases as tools: one read-only query of a PostgreSQL that someone else runs."""

from refdesk.tools.databases.source import DatabaseSource

__all__ = ["DatabaseSource"]
