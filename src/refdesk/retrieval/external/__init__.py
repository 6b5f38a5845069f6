"""Sources of knowledge that someone else runs: asked as they stand, nothing of them is copied here.

Owns the contract (`KnowledgeSource`), the adapters, and the stored sources of a workspace. Must not judge
what is found: scores of two sources are not comparable, and none is on the calibrated scale of the bases.
"""

from refdesk.retrieval.external.builtin import open_base
from refdesk.retrieval.external.errors import (
    ExternalSourceExists,
    ExternalSourceNotFound,
    SourceAuthentication,
    SourceBadAnswer,
    SourceClientMissing,
    SourceConfigInvalid,
    SourceCredentialNeeded,
    SourceDocumentNotFound,
    SourceFilterInvalid,
    SourceReadOnly,
    SourceTimeout,
    SourceUnreachable,
)
from refdesk.retrieval.external.guarded import GuardedSource
from refdesk.retrieval.external.opening import KINDS, SourceContext, checked_config, open_source
from refdesk.retrieval.external.protocol import Capabilities, KnowledgeSource, SourceDocument, SourceHit

__all__ = [
    "KINDS",
    "Capabilities",
    "ExternalSourceExists",
    "ExternalSourceNotFound",
    "GuardedSource",
    "KnowledgeSource",
    "SourceAuthentication",
    "SourceBadAnswer",
    "SourceClientMissing",
    "SourceConfigInvalid",
    "SourceContext",
    "SourceCredentialNeeded",
    "SourceDocument",
    "SourceDocumentNotFound",
    "SourceFilterInvalid",
    "SourceHit",
    "SourceReadOnly",
    "SourceTimeout",
    "SourceUnreachable",
    "checked_config",
    "open_base",
    "open_source",
]
