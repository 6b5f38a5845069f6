"""All skills a workspace has: those that come with the product and those somebody added."""

from collections.abc import Sequence
from dataclasses import dataclass

from refdesk.accounts import Scope
from refdesk.kit.database import Database
from refdesk.skills.builtin_skills import builtin_skills
from refdesk.skills.errors import SkillNameTaken, SkillNotFound
from refdesk.skills.packages import Package
from refdesk.skills.repository import SkillRepository


@dataclass(frozen=True, slots=True)
class Card:
    """What is seen of a skill before it is read."""

    name: str
    description: str
    is_builtin: bool


@dataclass(frozen=True, slots=True)
class Shelf:
    """Opens its own short transactions."""

    database: Database

    async def cards(self, scope: Scope) -> list[Card]:
        """All skills, by name."""
        async with self.database.transaction() as session:
            rows = await SkillRepository(session, scope).all()
        found = [Card(row.name, row.description, False) for row in rows]
        found += [Card(one.name, one.description, True) for one in builtin_skills().values()]
        return sorted(found, key=lambda card: card.name)

    async def packages(self, scope: Scope, names: Sequence[str]) -> dict[str, Package]:
        """Those of these skills that exist, in the order of `names`."""
        found = {name: one for name, one in builtin_skills().items() if name in names}
        others = [name for name in names if name not in found]
        if others:
            async with self.database.transaction() as session:
                found |= await SkillRepository(session, scope).packages(others)
        return {name: found[name] for name in names if name in found}

    async def get(self, scope: Scope, name: str) -> Package:
        """Raises `SkillNotFound`."""
        package = (await self.packages(scope, [name])).get(name)
        if package is None:
            raise SkillNotFound(name=name)
        return package

    async def put(self, scope: Scope, package: Package) -> None:
        """Raises `SkillNameTaken`."""
        if package.name in builtin_skills():
            raise SkillNameTaken(name=package.name)
        async with self.database.transaction() as session:
            await SkillRepository(session, scope).put(package)

    async def delete(self, scope: Scope, name: str) -> None:
        """Raises `SkillNotFound`, and `SkillNameTaken` for one that comes with the product."""
        if name in builtin_skills():
            raise SkillNameTaken("A skill that comes with the product cannot be removed.", name=name)
        async with self.database.transaction() as session:
            await SkillRepository(session, scope).delete(name)
