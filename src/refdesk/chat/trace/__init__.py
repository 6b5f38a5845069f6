"""What a run did, told to whoever may see it, and running it again with other settings.

Owns no record: stages are the recorder's, calls of models the gateway's. Checks again, whenever it is asked,
what of the documents the caller may see.
"""

from refdesk.chat.trace.routes import router
from refdesk.chat.trace.schemas import RunAgain
from refdesk.chat.trace.service import TraceService, overrides_of

__all__ = ["RunAgain", "TraceService", "overrides_of", "router"]
