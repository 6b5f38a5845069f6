"""Running a stored test set without HTTP: for the publishing of applications and for programs."""

from collections.abc import Callable
from dataclasses import replace
from uuid import UUID

from refdesk.accounts import Scope
from refdesk.evaluation.cases import CaseResult, Searcher, TestSetResult, run_cases, totals_of
from refdesk.evaluation.service import TestSets
from refdesk.kit.database import Database
from refdesk.retrieval import SearchRequest


async def run_test_set(
    database: Database,
    searcher: Searcher,
    scope: Scope,
    test_set_id: UUID,
    request: SearchRequest | None = None,
    *,
    on_result: Callable[[CaseResult], None] = lambda _: None,
) -> TestSetResult:
    """Run every question of a set as `scope` and judge what comes.

    `request` gives the settings (its query is not used); without bases of its own the set's are searched.
    Reads the questions in one short transaction and holds none while searching. Raises `TestSetNotFound`,
    `TestSetWithoutBases` and what searches raise.
    """
    async with database.transaction() as session:
        sets = TestSets(session, scope)
        cases, _ = await sets.cases(test_set_id)
        wanted = request if request is not None else SearchRequest("", ())
        if not wanted.knowledge_base_ids:
            wanted = replace(wanted, knowledge_base_ids=await sets.bases_of(test_set_id))
    results: list[CaseResult] = []
    async for result in run_cases(searcher, scope, cases, wanted):
        results.append(result)
        on_result(result)
    return TestSetResult(wanted, tuple(results), totals_of(results))
