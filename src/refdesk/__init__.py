"""Refdesk: a reference desk for an organisation's documents."""

__version__ = "0.1.0"
