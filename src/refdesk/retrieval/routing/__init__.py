"""Routing: which of many bases a question is worth asking, before any of them is searched.

Owns the routing profiles of indexes (`route_profiles`, `route_centroids`, `route_terms`), their refreshing in
the background, and the choice. Must not search and must not decide what is found: a base that it cannot judge
is searched.

A caller who may not see all documents is judged for by what that caller may see only: centroids and term
counts are kept for each access list apart, and a profile that was made before the last change of who may see
what is not used at all.
"""

from refdesk.retrieval.routing import jobs as jobs
from refdesk.retrieval.routing.choice import BaseScore, Route, RouteReason, RouteSettings
from refdesk.retrieval.routing.profiles import refresh_profile
from refdesk.retrieval.routing.router import RouteQuery, choose_bases, choose_route

__all__ = [
    "BaseScore",
    "Route",
    "RouteQuery",
    "RouteReason",
    "RouteSettings",
    "choose_bases",
    "choose_route",
    "refresh_profile",
]
