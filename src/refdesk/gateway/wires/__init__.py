"""The wires: one package a format in which models are spoken to.

A wire turns the typed calls of `refdesk.gateway.calls` into one vendor's requests and what comes back into
events, vectors or scores. It knows no model rows, no policies and no limits, and repeats nothing on its own.
"""

from refdesk.gateway.wires.connection import Connection

__all__ = ["Connection"]
