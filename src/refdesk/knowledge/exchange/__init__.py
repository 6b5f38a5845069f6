"""Knowledge bases out of and into an installation: one ZIP with everything, vectors included.

Owns the form of the archive, which outlives releases: `records` says what stands in it.
"""

from refdesk.knowledge.exchange import jobs as jobs
from refdesk.knowledge.exchange.export import export_base
from refdesk.knowledge.exchange.routes import router

__all__ = ["export_base", "jobs", "router"]
