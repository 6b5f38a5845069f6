"""What can be wrong with a search."""

from refdesk.kit.errors import Conflict, Invalid, NotFound


class KnowledgeBaseNotFound(NotFound):
    """One of the knowledge bases does not exist, or is not the caller's to search."""

    code = "knowledge-base-not-found"
    message = "There is no such knowledge base."


class NothingToExplain(NotFound):
    """The document or paragraph does not exist, or is not the caller's to see."""

    code = "nothing-to-explain"
    message = "There is no such document or paragraph."


class QueryEmpty(Invalid):
    """A search without a question."""

    code = "query-empty"
    message = "The query is empty."


class QueryTooLong(Invalid):
    """The query is longer than the limit."""

    code = "query-too-long"
    message = "The query is too long."
    hint = "Shorten it, or raise REFDESK_MAX_QUESTION_CHARS."


class UnknownMode(Invalid):
    """The search mode is not one of those registered."""

    code = "unknown-search-mode"
    message = "There is no search mode of that name."
    hint = "Use embedding, keywords or blend."


class EmbeddingChanged(Conflict):
    """The embedder answered with a vector of another size than the index holds."""

    code = "embedding-changed"
    message = "The embedding model no longer fits this knowledge base's index."
    hint = "The model behind this name has changed: choose it again for the knowledge base and re-index."


class UnknownStrategy(Invalid):
    """The strategy is not one of those registered."""

    code = "unknown-strategy"
    message = "There is no search strategy of that name."
    hint = "`GET /api/v1/strategies` lists the names."
