"""What can go wrong with knowledge graphs."""

from refdesk.kit.errors import Conflict, Invalid, NotFound


class GraphNotFound(NotFound):
    """The knowledge base has no graph."""

    code = "graph-not-found"
    message = "This knowledge base has no knowledge graph."
    hint = "Build one first."


class GraphEntityNotFound(NotFound):
    """No entity by that id in what the caller may see of the graph."""

    code = "graph-entity-not-found"
    message = "There is no such entity in the knowledge graph."


class GraphNotRunning(Conflict):
    """Cancelling a build that is not under way."""

    code = "graph-not-running"
    message = "The knowledge graph is not being built."


class GraphBuilding(Conflict):
    """Starting a build while one is under way."""

    code = "graph-building"
    message = "The knowledge graph is being built."
    hint = "Wait until it is ready, or cancel it first."


class GraphModelNeeded(Invalid):
    """A graph by a language model where none is named and the workspace has none."""

    code = "graph-model-needed"
    message = "There is no language model to read the paragraphs with."
    hint = "Connect one, or build the graph by rules."


class GraphQuestionEmpty(Invalid):
    """Paths are asked for with neither a question nor entities."""

    code = "graph-question-empty"
    message = "Give a question or the names of entities."
