"""HTTP of split patterns: trying them on a text before they are used."""

import asyncio

from fastapi import APIRouter

from refdesk.accounts import BoundViewer
from refdesk.knowledge.reading import check_patterns_in_subprocess
from refdesk.knowledge.route_parts import SettingsDep
from refdesk.knowledge.schemas import PatternCheck, PatternCheckResult, PatternHit

router = APIRouter(prefix="/api/v1", tags=["knowledge"])

# A check holds a process for seconds at worst; people type, so more than this at once is no use to anybody.
_checking = asyncio.Semaphore(2)
MAX_SHOWN = 1_000


@router.post(
    "/split-patterns/check",
    operation_id="checkSplitPatterns",
    summary="Try patterns of headings on a text; a catastrophic one is refused in bounded time",
)
async def check_split_patterns(
    body: PatternCheck, _scope: BoundViewer, settings: SettingsDep
) -> PatternCheckResult:
    async with _checking:
        found = await check_patterns_in_subprocess(
            body.patterns, body.text, timeout_s=settings.split_timeout_s
        )
    return PatternCheckResult(
        matches=[PatternHit.model_validate(match, from_attributes=True) for match in found[:MAX_SHOWN]],
        total=len(found),
    )
