"""The plain search."""

from typing import ClassVar

from refdesk.retrieval.search import Ranking, SearchRequest
from refdesk.retrieval.strategies.protocol import Ranker


class HybridSearch:
    """Both legs, fused, as the mode says. What every question gets that asks for nothing else."""

    name: ClassVar[str] = "hybrid-search"

    def fits(self, question: str) -> bool:
        return True

    async def rank(self, request: SearchRequest, search: Ranker) -> Ranking:
        return await search(request, depth=request.top_n)
