"""All SQL of test sets, their questions and runs. Bound to the scope's workspace."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from sqlalchemy import any_, delete, func, literal, select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.evaluation.tables import TestQuestion, TestRun, TestSet


class TestSetRepository:
    """Test sets of one workspace."""

    __test__ = False  # pytest takes the name for a class of tests

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self.session = session
        self.scope = scope

    async def find(self, set_id: UUID, *, lock: bool = False) -> TestSet | None:
        query = select(TestSet).where(TestSet.workspace_id == self.scope.workspace_id, TestSet.id == set_id)
        if lock:
            query = query.with_for_update(key_share=True).execution_options(populate_existing=True)
        return await self.session.scalar(query)

    async def named(self, name: str) -> TestSet | None:
        return await self.session.scalar(
            select(TestSet).where(TestSet.workspace_id == self.scope.workspace_id, TestSet.name == name)
        )

    async def page(self, *, limit: int, after: str | None, base_id: UUID | None) -> tuple[list[TestSet], int]:
        """Sets by name, those of one base if one is given, and how many there are in all."""
        query = select(TestSet).where(TestSet.workspace_id == self.scope.workspace_id)
        if base_id is not None:
            query = query.where(literal(base_id) == any_(TestSet.knowledge_base_ids))
        total = await self.session.scalar(select(func.count()).select_from(query.subquery()))
        if after is not None:
            query = query.where(TestSet.name > after)
        rows = await self.session.scalars(query.order_by(TestSet.name).limit(limit))
        return list(rows), total or 0

    async def question_counts(self, set_ids: Sequence[UUID]) -> Mapping[UUID, int]:
        """How many questions each set has; sets without any are left out."""
        rows = await self.session.execute(
            select(TestQuestion.test_set_id, func.count())
            .where(
                TestQuestion.workspace_id == self.scope.workspace_id, TestQuestion.test_set_id.in_(set_ids)
            )
            .group_by(TestQuestion.test_set_id)
        )
        return dict(rows.all())

    async def last_runs(self, set_ids: Sequence[UUID]) -> Mapping[UUID, TestRun]:
        """The latest run of each set that has one."""
        rows = await self.session.scalars(
            select(TestRun)
            .where(TestRun.workspace_id == self.scope.workspace_id, TestRun.test_set_id.in_(set_ids))
            .ext(distinct_on(TestRun.test_set_id))
            .order_by(TestRun.test_set_id, TestRun.id.desc())
        )
        return {row.test_set_id: row for row in rows}

    async def runs(self, set_id: UUID, *, limit: int) -> list[TestRun]:
        """The latest runs of a set, the newest first (ids are in order of time)."""
        rows = await self.session.scalars(
            select(TestRun)
            .where(TestRun.workspace_id == self.scope.workspace_id, TestRun.test_set_id == set_id)
            .order_by(TestRun.id.desc())
            .limit(limit)
        )
        return list(rows)

    async def forget_runs(self, set_id: UUID, *, keep: int) -> None:
        """Remove all runs of a set but the latest `keep`."""
        kept = (
            select(TestRun.id)
            .where(TestRun.workspace_id == self.scope.workspace_id, TestRun.test_set_id == set_id)
            .order_by(TestRun.id.desc())
            .limit(keep)
        )
        await self.session.execute(
            delete(TestRun).where(
                TestRun.workspace_id == self.scope.workspace_id,
                TestRun.test_set_id == set_id,
                TestRun.id.not_in(kept.scalar_subquery()),
            )
        )

    async def questions(
        self, set_id: UUID, *, limit: int | None = None, after: int | None = None
    ) -> list[TestQuestion]:
        """Questions of a set in their order."""
        query = select(TestQuestion).where(
            TestQuestion.workspace_id == self.scope.workspace_id, TestQuestion.test_set_id == set_id
        )
        if after is not None:
            query = query.where(TestQuestion.position > after)
        rows = await self.session.scalars(query.order_by(TestQuestion.position, TestQuestion.id).limit(limit))
        return list(rows)

    async def question(self, question_id: UUID) -> TestQuestion | None:
        return await self.session.scalar(
            select(TestQuestion).where(
                TestQuestion.workspace_id == self.scope.workspace_id, TestQuestion.id == question_id
            )
        )

    async def last_position(self, set_id: UUID) -> int:
        """The greatest position of the set's questions, 0 if it has none."""
        found = await self.session.scalar(
            select(func.max(TestQuestion.position)).where(
                TestQuestion.workspace_id == self.scope.workspace_id, TestQuestion.test_set_id == set_id
            )
        )
        return found or 0
