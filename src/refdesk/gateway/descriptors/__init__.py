"""Model descriptors: each model as a YAML document that can be kept, compared, moved and edited.

Owns the form of the document, JSON Schema draft 7, and taking documents in with a dry run first. A key never
stands in one. Must not call models but to measure an embedding model that is taken in.
"""

from refdesk.gateway.descriptors.routes import router

__all__ = ["router"]
