"""Trying a model out by hand: each of the nine kinds once, as it would be asked by the product.

Owns what the page and the command line send and get for it. Keeps nothing; films, which take minutes, are
jobs of `refdesk.gateway.films`.
"""

from refdesk.gateway.trying.routes import router

__all__ = ["router"]
