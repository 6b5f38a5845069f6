"""Films that models make: jobs at a vendor, kept here by the vendor's id until they are done.

A job is asked for when somebody looks at it, in whatever process that is; nothing waits for it meanwhile. The
film itself stays at the vendor, which keeps it for a day or so, and is passed on as it arrives.
"""

from refdesk.gateway.films.routes import router

__all__ = ["router"]
