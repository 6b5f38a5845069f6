"""Shapes of skills at the border."""

from typing import Self

from pydantic import BaseModel, Field

from refdesk.skills.packages import Package
from refdesk.skills.shelf import Card


class SkillCard(BaseModel):
    """A skill in a list."""

    name: str
    description: str
    is_builtin: bool = Field(description="Comes with the product and cannot be changed.")

    @classmethod
    def of(cls, card: Card) -> Self:
        return cls(name=card.name, description=card.description, is_builtin=card.is_builtin)


class SkillView(SkillCard):
    """A skill that is read."""

    body: str = Field(description="Markdown: what follows the front matter of SKILL.md.")
    files: list[str] = Field(description="Paths of all files.")

    @classmethod
    def read(cls, package: Package, *, is_builtin: bool) -> Self:
        return cls(
            name=package.name,
            description=package.description,
            is_builtin=is_builtin,
            body=package.body,
            files=sorted(package.files),
        )
