"""The plain search."""

from collections.abc import Mapping
from typing import ClassVar

from refdesk.retrieval.search import Ranking, SearchRequest
from refdesk.retrieval.strategies.protocol import Ranker


class HybridSearch:
    """Both legs, fused, as the mode says. What every question gets that asks for nothing else."""

    name: ClassVar[str] = "hybrid-search"
    descriptions: ClassVar[Mapping[str, str]] = {
        "en": "Searches in the chosen mode and changes nothing else.",
        "zh": "按所选模式检索，不作其他调整。",
    }

    def fits(self, question: str) -> bool:
        return True

    async def rank(self, request: SearchRequest, search: Ranker) -> Ranking:
        return await search(request, depth=request.top_n)
