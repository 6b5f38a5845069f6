"""What can go wrong with an index."""

from refdesk.kit.errors import AppError, Conflict, NotFound


class IndexNotFound(NotFound):
    """The index is gone (its base was deleted, or another index took its place), or belongs to others."""

    code = "index-not-found"
    message = "This index does not exist any more."
    hint = "Index the documents again."


class VectorsMismatch(Conflict):
    """The embedder returned vectors of another shape than the index was made for."""

    code = "vectors-mismatch"
    message = "The embedding model returned vectors that do not fit this index."
    hint = "The model behind this name has changed: choose it again for the knowledge base and re-index."


class VectorsInvalid(AppError):
    """The embedder returned values that are no numbers, or a vector of zeros."""

    code = "vectors-invalid"
    status = 502
    message = "The embedding model returned vectors that cannot be used."
    hint = "Check the model's endpoint: a vector held NaN, infinity or only zeros."
