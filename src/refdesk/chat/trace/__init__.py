"""What a run did, told to whoever may see it, and running it again with other settings.

Owns no record: stages are the recorder's, calls of models the gateway's. Checks again, whenever it is asked,
what of the documents the caller may see.
"""

from refdesk.chat.trace.routes import router

__all__ = ["router"]
