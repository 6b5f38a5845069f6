"""All SQL of skills."""

from collections.abc import Sequence

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope, audit
from refdesk.kit.ids import new_id
from refdesk.skills.errors import SkillNotFound
from refdesk.skills.packages import Package, package_of
from refdesk.skills.tables import Skill, SkillFile


class SkillRepository:
    """Skills of the scope's workspace."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def all(self) -> list[Skill]:
        query = select(Skill).where(Skill.workspace_id == self._scope.workspace_id).order_by(Skill.name)
        return list(await self._session.scalars(query))

    async def find(self, name: str) -> Skill | None:
        return await self._session.scalar(
            select(Skill).where(Skill.workspace_id == self._scope.workspace_id, Skill.name == name)
        )

    async def packages(self, names: Sequence[str]) -> dict[str, Package]:
        """Those of these skills that exist, whole."""
        rows = await self._session.execute(
            select(Skill.name, SkillFile.path, SkillFile.content)
            .join(SkillFile, SkillFile.skill_id == Skill.id)
            .where(Skill.workspace_id == self._scope.workspace_id, Skill.name.in_(names))
        )
        files: dict[str, dict[str, bytes]] = {}
        for name, path, content in rows:
            files.setdefault(name, {})[path] = content
        return {name: package_of(one) for name, one in files.items()}

    async def put(self, package: Package) -> Skill:
        """Add a skill, or replace the one of its name."""
        row = await self.find(package.name)
        if row is None:
            row = Skill(
                id=new_id(),
                workspace_id=self._scope.workspace_id,
                name=package.name,
                description=package.description,
                created_by=self._scope.user_id,
            )
            self._session.add(row)
        else:
            row.description = package.description
            await self._session.execute(delete(SkillFile).where(SkillFile.skill_id == row.id))
        await self._session.flush()
        self._session.add_all(
            SkillFile(skill_id=row.id, path=path, workspace_id=self._scope.workspace_id, content=content)
            for path, content in package.files.items()
        )
        await self._session.flush()
        await self._session.refresh(row)
        audit(self._session, self._scope, "skill.put", ("skill", row.id), name=package.name)
        return row

    async def delete(self, name: str) -> None:
        """Raises `SkillNotFound`."""
        row = await self.find(name)
        if row is None:
            raise SkillNotFound(name=name)
        await self._session.delete(row)
        audit(self._session, self._scope, "skill.delete", ("skill", row.id), name=name)
