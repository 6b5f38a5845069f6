"""What can go wrong with a change of the embedding model."""

from refdesk.kit.errors import Conflict, NotFound


class IndexBuildNotFound(NotFound):
    """There is no such build in this knowledge base."""

    code = "index-build-not-found"
    message = "There is no such index build."


class IndexBuildExists(Conflict):
    """A base has one other index at most; `details` name the build and its state."""

    code = "index-build-exists"
    message = "The knowledge base already has another index beside the active one."
    hint = "Finish it (switch, or switch back) and discard what is not needed, then start anew."


class IndexBuildNotReady(Conflict):
    """Switching to an index that is not complete."""

    code = "index-build-not-ready"
    message = "The other index is not complete yet."
    hint = "Wait until it is built, or resume it if it was stopped."


class IndexBehind(Conflict):
    """Paragraphs were added or edited since; `details.paragraphs` counts those still to be indexed."""

    code = "index-behind"
    message = "The other index does not hold the latest changes yet."
    hint = "It is being brought up to date: try again in a moment."


class IndexBuildNotRunning(Conflict):
    """Cancelling a build that is not under way."""

    code = "index-build-not-running"
    message = "The index is not being built."


class IndexBuildNotStopped(Conflict):
    """Resuming a build that was neither cancelled nor failed."""

    code = "index-build-not-stopped"
    message = "The index build was not stopped."


class NoPreviousIndex(Conflict):
    """Switching back where nothing was switched, or the former index was discarded."""

    code = "no-previous-index"
    message = "There is no former index to go back to."


class EmbeddingSizeChanged(Conflict):
    """The model answers with vectors of another size than those already in the index it builds."""

    code = "embedding-size-changed"
    message = "The embedding model now returns vectors of another size than when the build began."
    hint = "Discard this build and start a new one."
