"""Changing the embedding model of a base that is in use: another index built beside the active one.

Owns `index_builds`: starting, stopping and resuming a build, the switch to it, the way back, and keeping the
index that is not active up to the one that is. Must not judge which of the two finds better: rooms above add
themselves to `after_build` for that.
"""

from refdesk.knowledge.rebuilding import jobs as jobs
from refdesk.knowledge.rebuilding.errors import (
    EmbeddingSizeChanged,
    IndexBehind,
    IndexBuildExists,
    IndexBuildNotFound,
    IndexBuildNotReady,
    IndexBuildNotRunning,
    IndexBuildNotStopped,
    NoPreviousIndex,
)
from refdesk.knowledge.rebuilding.repository import IndexBuildRepository
from refdesk.knowledge.rebuilding.routes import router
from refdesk.knowledge.rebuilding.run import after_build
from refdesk.knowledge.rebuilding.schemas import (
    IndexBuildView,
    IndexComparison,
    LegFigures,
    ModeComparison,
)
from refdesk.knowledge.rebuilding.service import IndexBuilds

__all__ = [
    "EmbeddingSizeChanged",
    "IndexBehind",
    "IndexBuildExists",
    "IndexBuildNotFound",
    "IndexBuildNotReady",
    "IndexBuildNotRunning",
    "IndexBuildNotStopped",
    "IndexBuildRepository",
    "IndexBuildView",
    "IndexBuilds",
    "IndexComparison",
    "LegFigures",
    "ModeComparison",
    "NoPreviousIndex",
    "after_build",
    "jobs",
    "router",
]
