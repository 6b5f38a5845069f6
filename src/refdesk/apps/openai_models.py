"""What the `model` of an OpenAI-compatible request names: an application, a base or an embedding model."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.apps.errors import ApplicationNotFound, ModelNameUnknown
from refdesk.apps.openai_schemas import ModelCard
from refdesk.apps.repository import RESOURCE, ApplicationRepository
from refdesk.gateway import ModelRepository
from refdesk.knowledge import KnowledgeBaseRepository

LISTED = 500
# What clients send that cannot leave the field out; a bound key knows what it is bound to.
ANY = frozenset(("", "default", "refdesk"))


@dataclass(frozen=True, slots=True)
class Target:
    """What is asked: exactly one of the two."""

    application_id: UUID | None = None
    knowledge_base_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    id: UUID
    name: str


async def find_target(session: AsyncSession, scope: Scope, name: str) -> Target:
    """The application or base by id or name, applications first. Raises `ModelNameUnknown`."""
    name = name.strip()
    if scope.resource is not None and name.casefold() in ANY:
        kind, resource_id = scope.resource
        return (
            Target(application_id=resource_id) if kind == RESOURCE else Target(knowledge_base_id=resource_id)
        )
    applications = ApplicationRepository(session, scope)
    wanted = _uuid(name)
    if wanted is not None:
        try:
            return Target(application_id=(await applications.get(wanted)).id)
        except ApplicationNotFound:
            pass
    elif (application := await applications.by_name(name)) is not None:
        return Target(application_id=application.id)
    if scope.resource is None or scope.resource[0] != RESOURCE:
        bases = KnowledgeBaseRepository(session, scope)
        base = await (bases.find(wanted) if wanted is not None else bases.by_name(name))
        if base is not None:
            return Target(knowledge_base_id=base.id)
    raise ModelNameUnknown(model=name)


async def find_embedding_model(session: AsyncSession, scope: Scope, name: str) -> EmbeddingModel:
    """An embedding model of the workspace by id, name or the vendor's name. Raises `ModelNameUnknown`."""
    wanted = _uuid(name)
    for model in await ModelRepository(session, scope).all("EMBEDDING"):
        if model.id == wanted or name in (model.name, model.model_name):
            return EmbeddingModel(model.id, model.name)
    raise ModelNameUnknown("There is no embedding model of that name.", model=name)


async def list_cards(session: AsyncSession, scope: Scope) -> list[ModelCard]:
    """Everything the caller may name as `model`."""
    applications, _ = await ApplicationRepository(session, scope).page(limit=LISTED, after=None)
    cards = [
        ModelCard(id=row.name, created=_epoch(row.created_at), owned_by="application") for row in applications
    ]
    if scope.resource is None or scope.resource[0] != RESOURCE:
        bases, _ = await KnowledgeBaseRepository(session, scope).page(limit=LISTED, after=None, q=None)
        cards += [
            ModelCard(id=row.name, created=_epoch(row.created_at), owned_by="knowledge_base") for row in bases
        ]
    if scope.resource is None:
        cards += [
            ModelCard(id=row.name, created=_epoch(row.created_at), owned_by="model")
            for row in await ModelRepository(session, scope).all()
            if row.kind in ("LLM", "EMBEDDING")
        ]
    return cards


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def _epoch(moment: datetime) -> int:
    return int(moment.timestamp())
