"""HTTP of split patterns: trying them on a text before they are used."""

import asyncio

from fastapi import APIRouter

from refdesk.accounts import BoundViewer
from refdesk.knowledge.schemas import PatternCheck, PatternCheckResult, PatternHit
from refdesk.knowledge.splitting import check_patterns

router = APIRouter(prefix="/api/v1", tags=["knowledge"])

# A check holds a thread for seconds at worst; people type, so more than this at once is no use to anybody.
_checking = asyncio.Semaphore(2)
MAX_SHOWN = 1_000


@router.post(
    "/split-patterns/check",
    operation_id="checkSplitPatterns",
    summary="Try patterns of headings on a text; a catastrophic one is refused in bounded time",
)
async def check_split_patterns(body: PatternCheck, _scope: BoundViewer) -> PatternCheckResult:
    async with _checking:
        found = await asyncio.to_thread(check_patterns, body.patterns, body.text)
    return PatternCheckResult(
        matches=[PatternHit.model_validate(match, from_attributes=True) for match in found[:MAX_SHOWN]],
        total=len(found),
    )
