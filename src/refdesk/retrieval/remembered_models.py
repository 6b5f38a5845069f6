"""Which model embeds questions to which base, as the last search found it.

Spares a search the transaction that would only ask for this before it embeds. Never decides anything: the
search reads in its own snapshot what holds, and begins anew where that is another model.
"""

from collections import OrderedDict
from collections.abc import Sequence
from uuid import UUID

from refdesk.accounts import Scope
from refdesk.retrieval.repository import SearchedIndex
from refdesk.retrieval.search import SearchRequest

_KEPT = 10_000


class RememberedModels:
    """By workspace and base; None stands for a base without an index."""

    def __init__(self) -> None:
        self._models: OrderedDict[tuple[UUID, UUID], UUID | None] = OrderedDict()

    def known(self, scope: Scope, request: SearchRequest) -> list[UUID] | None:
        """The models of the bases asked, None where one of them is not known."""
        if request.index_id is not None:
            return None
        keys = [(scope.workspace_id, base_id) for base_id in request.knowledge_base_ids]
        if any(key not in self._models for key in keys):
            return None
        models = (self._models[key] for key in keys)
        return list(dict.fromkeys(model for model in models if model is not None))

    def remember(self, scope: Scope, request: SearchRequest, indexes: Sequence[SearchedIndex]) -> None:
        """Keep what a search of these bases found."""
        if request.index_id is not None:
            return
        found = {index.knowledge_base_id: index.model_id for index in indexes}
        for base_id in request.knowledge_base_ids:
            key = (scope.workspace_id, base_id)
            self._models[key] = found.get(base_id)
            self._models.move_to_end(key)
        while len(self._models) > _KEPT:
            self._models.popitem(last=False)
