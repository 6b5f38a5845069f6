"""Which model a call goes to, and what happens when it fails.

Owns what models can do, their health, the policies for failures, purposes, and the order of one governed
call. Must not know a vendor's wire: clients of models come from `clients`.
"""

from refdesk.gateway.routing.tables import FallbackPolicy, ModelHealth, ModelOutcomes, PurposeRoute

__all__ = ["FallbackPolicy", "ModelHealth", "ModelOutcomes", "PurposeRoute"]
