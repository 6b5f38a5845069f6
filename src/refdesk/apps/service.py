"""Creating, changing and removing applications."""

import base64
import binascii
from collections.abc import Sequence
from typing import Any, cast
from uuid import UUID

from pydantic import BaseModel
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.apps.errors import (
    ApplicationBasesUnknown,
    ApplicationModelUnsuitable,
    ApplicationNameTaken,
    ApplicationRerankerUnsuitable,
    PromptIncomplete,
    PromptVariableUnknown,
)
from refdesk.apps.preview_schemas import PreviewRequest, PromptFaultView
from refdesk.apps.profiles import profile_of, templates_of
from refdesk.apps.repository import ApplicationRepository
from refdesk.apps.schemas import (
    ApplicationCreate,
    ApplicationOut,
    ApplicationPatch,
    ApplicationSettings,
)
from refdesk.apps.stage_schemas import ApplicationPrompts, StageSettings, StagesSettings
from refdesk.apps.tables import Application
from refdesk.chat import RunProfile, forget_notes, has_intents, prompt_faults
from refdesk.gateway import ModelRepository, UnknownModel, forget_application
from refdesk.kit.errors import CursorInvalid, Invalid, NotFound
from refdesk.kit.ids import new_id
from refdesk.kit.web import Page
from refdesk.knowledge import KnowledgeBaseRepository
from refdesk.retrieval import check_strategy_name


class ApplicationService:
    """The verbs on applications of the caller's workspace."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope
        self._repository = ApplicationRepository(session, scope)

    async def list(self, *, limit: int, cursor: str | None) -> Page[ApplicationOut]:
        rows, total = await self._repository.page(limit=limit + 1, after=_read_cursor(cursor))
        more = len(rows) > limit
        rows = rows[:limit]
        bases = await self._repository.base_ids([row.id for row in rows])
        return Page(
            items=[ApplicationOut.of(row, bases[row.id]) for row in rows],
            next_cursor=base64.urlsafe_b64encode(rows[-1].name.encode()).decode() if more else None,
            total=total,
        )

    async def get(self, application_id: UUID) -> ApplicationOut:
        return await self._shown(await self._repository.get(application_id))

    async def create(self, draft: ApplicationCreate) -> ApplicationOut:
        """Store an application. Raises the errors of this room for what does not fit together."""
        check_prompts(draft.prompts)
        await self._check_bases(draft.knowledge_base_ids)
        await self._check_model(draft.model_id)
        check_strategy_name(draft.settings.strategy)
        await self._check_reranker(draft.settings)
        await self._check_stages(draft.settings)
        application = Application(
            id=new_id(),
            name=draft.name,
            description=draft.description,
            model_id=draft.model_id,
            prompts=draft.prompts.model_dump(),
            settings=draft.settings.model_dump(mode="json"),
            created_by=self._scope.user_id,
        )
        try:
            async with self._session.begin_nested():
                await self._repository.add(application)
        except IntegrityError:
            raise ApplicationNameTaken(name=draft.name) from None
        await self._repository.replace_bases(application, _distinct(draft.knowledge_base_ids))
        await self._session.refresh(application)
        return await self._shown(application)

    async def update(self, application_id: UUID, patch: ApplicationPatch) -> ApplicationOut:
        """Change what was sent and nothing else."""
        application = await self._repository.get(application_id)
        sent = patch.model_fields_set
        if patch.knowledge_base_ids is not None:
            await self._check_bases(patch.knowledge_base_ids)
            await self._repository.replace_bases(application, _distinct(patch.knowledge_base_ids))
        if "model_id" in sent:
            await self._check_model(patch.model_id)
            application.model_id = patch.model_id
        if patch.description is not None:
            application.description = patch.description
        if patch.prompts is not None:
            merged = ApplicationPrompts.model_validate(_merged(application.prompts, patch.prompts))
            check_prompts(merged)
            application.prompts = merged.model_dump()
        if patch.settings is not None:
            merged_settings = _merged(application.settings, patch.settings)
            settings = ApplicationSettings.model_validate(merged_settings)
            if "strategy" in patch.settings.model_fields_set:
                check_strategy_name(settings.strategy)
            if "rerank" in patch.settings.model_fields_set:
                await self._check_reranker(settings)
            if "stages" in patch.settings.model_fields_set:
                await self._check_stages(settings)
            application.settings = settings.model_dump(mode="json")
        if patch.name is not None:
            application.name = patch.name
        try:
            async with self._session.begin_nested():
                await self._session.flush()
        except IntegrityError:
            raise ApplicationNameTaken(name=patch.name) from None
        await self._session.refresh(application)
        return await self._shown(application)

    async def draft(self, request: PreviewRequest) -> RunProfile:
        """The profile of an application that is being written. Raises the errors of creating it, but for its
        templates, whose faults are told with the preview."""
        await self._check_bases(request.knowledge_base_ids)
        await self._check_model(request.model_id)
        check_strategy_name(request.settings.strategy)
        await self._check_reranker(request.settings)
        known = False
        if request.application_id is not None:
            await self._repository.get(request.application_id)
            known = await has_intents(self._session, self._scope, request.application_id)
        return profile_of(
            application_id=request.application_id,
            knowledge_base_ids=_distinct(request.knowledge_base_ids),
            model_id=request.model_id,
            prompts=request.prompts,
            settings=request.settings,
            has_intents=known,
        )

    async def delete(self, application_id: UUID) -> None:
        """Remove an application with what is set for it alone. Conversations keep their answers."""
        await self._repository.delete(await self._repository.get(application_id))
        await forget_notes(self._session, self._scope, application_id)
        await forget_application(self._session, self._scope, application_id)

    async def _shown(self, application: Application) -> ApplicationOut:
        bases = await self._repository.base_ids([application.id])
        return ApplicationOut.of(application, bases[application.id])

    async def _check_bases(self, base_ids: Sequence[UUID]) -> None:
        try:
            await KnowledgeBaseRepository(self._session, self._scope).get_many(_distinct(base_ids))
        except NotFound as error:
            raise ApplicationBasesUnknown(**error.details) from None

    async def _check_reranker(self, settings: ApplicationSettings) -> None:
        if settings.rerank is not None:
            model_id = settings.rerank.model_id
            await self._check_kind(model_id, "RERANKER", ApplicationRerankerUnsuitable)

    async def _check_stages(self, settings: ApplicationSettings) -> None:
        for name in StagesSettings.model_fields:
            stage: StageSettings = getattr(settings.stages, name)
            await self._check_model(stage.model_id)

    async def _check_model(self, model_id: UUID | None) -> None:
        if model_id is not None:
            await self._check_kind(model_id, "LLM", ApplicationModelUnsuitable)

    async def _check_kind(self, model_id: UUID, kind: str, error: type[Invalid]) -> None:
        try:
            model = await ModelRepository(self._session, self._scope).get(model_id)
        except UnknownModel:
            raise error(model_id=str(model_id)) from None
        if model.kind != kind:
            raise error(model_id=str(model_id), kind=model.kind)


def check_prompts(prompts: ApplicationPrompts) -> None:
    """Raise `PromptIncomplete` or `PromptVariableUnknown` for the first template that cannot be used."""
    for fault in faults_of(prompts):
        names = [f"{{{name}}}" for name in fault.variables]
        if fault.code == "missing":
            raise PromptIncomplete(template=fault.template, missing=names)
        raise PromptVariableUnknown(template=fault.template, unknown=names)


def faults_of(prompts: ApplicationPrompts) -> list[PromptFaultView]:
    """What is wrong with the templates, each by its name in an application's prompts."""
    return [
        PromptFaultView(
            template="answer" if fault.template == "knowledge" else fault.template,
            code=fault.code,
            variables=list(fault.variables),
        )
        for fault in prompt_faults(templates_of(prompts))
    ]


def _merged(stored: dict[str, Any], sent: BaseModel) -> dict[str, Any]:
    """The stored values with those that were sent in their place; what has fields itself, field by field."""
    merged = dict(stored)
    for name in sent.model_fields_set:
        value: Any = getattr(sent, name)
        if isinstance(value, BaseModel):
            merged[name] = _merged(cast("dict[str, Any]", stored.get(name) or {}), value)
        else:
            merged[name] = sent.model_dump(include={name})[name]
    return merged


def _distinct(ids: Sequence[UUID]) -> list[UUID]:
    return list(dict.fromkeys(ids))


def _read_cursor(cursor: str | None) -> str | None:
    if cursor is None:
        return None
    try:
        return base64.urlsafe_b64decode(cursor).decode()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        raise CursorInvalid from None
