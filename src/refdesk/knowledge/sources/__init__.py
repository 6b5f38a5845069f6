"""Where documents come from and are fetched again: web sites, and folders that a client keeps in step.

Owns `sources` and `source_items`: fetching pages safely, walking a site politely, and telling what is new,
changed or gone. What becomes of a file is the rest of the room's business.
"""

from refdesk.knowledge.sources import jobs as jobs
from refdesk.knowledge.sources.errors import DeletedHere
from refdesk.knowledge.sources.folder import check_file
from refdesk.knowledge.sources.routes import router
from refdesk.knowledge.sources.service import Sources

__all__ = ["DeletedHere", "Sources", "check_file", "jobs", "router"]
