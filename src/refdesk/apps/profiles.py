"""Applications as the profiles of runs: the implementation of chat's port."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.apps.repository import ApplicationRepository
from refdesk.apps.schemas import ApplicationSettings
from refdesk.apps.stage_schemas import ApplicationPrompts
from refdesk.chat import RunProfile, SituationPrompts, has_intents


class StoredProfiles:
    """Profiles read from the applications of the caller's workspace."""

    async def profile(self, session: AsyncSession, scope: Scope, application_id: UUID) -> RunProfile:
        """The profile of an application; raises `ApplicationNotFound`."""
        repository = ApplicationRepository(session, scope)
        application = await repository.get(application_id)
        bases = await repository.base_ids([application_id])
        return profile_of(
            application_id=application_id,
            knowledge_base_ids=bases[application_id],
            model_id=application.model_id,
            prompts=ApplicationPrompts.model_validate(application.prompts),
            settings=ApplicationSettings.model_validate(application.settings),
            has_intents=await has_intents(session, scope, application_id),
            missing_bases=await repository.chosen_bases(application_id) - len(bases[application_id]),
        )


def profile_of(
    *,
    application_id: UUID | None,
    knowledge_base_ids: Sequence[UUID],
    model_id: UUID | None,
    prompts: ApplicationPrompts,
    settings: ApplicationSettings,
    has_intents: bool = False,
    missing_bases: int = 0,
) -> RunProfile:
    """The profile of an application that is stored or still being written."""
    return RunProfile(
        application_id=application_id,
        knowledge_base_ids=tuple(knowledge_base_ids),
        missing_bases=missing_bases,
        model_id=model_id,
        purpose=settings.purpose,
        system_prompt=prompts.system,
        prompts=templates_of(prompts),
        answering=settings.answering,
        stages=settings.stages.to_choices(),
        term_mapping=tuple(one.to_mapping() for one in settings.term_mapping),
        tools=tuple(dict.fromkeys(settings.tools)),
        has_intents=has_intents,
        agent=settings.agent.to_choices(),
        mode=settings.mode,
        top_n=settings.top_n,
        similarity=settings.similarity,
        context=settings.context,
        window_chars=settings.window_chars,
        rerank=settings.rerank.to_choice() if settings.rerank is not None else None,
        route_bases=settings.route_bases,
        strategy=settings.strategy,
        drop=settings.drop,
        diversity=settings.diversity,
        recency=settings.recency,
        max_context_chars=settings.max_context_chars,
        empty_reply=settings.empty_reply,
        complete_question=settings.complete_question,
        history_turns=settings.history_turns,
        summary_chars=settings.summary_chars,
        notes=settings.notes,
        when_model_fails=settings.when_model_fails,
        restart_answers=settings.restart_answers,
        language=settings.language,
        temperature=settings.temperature,
        max_tokens=settings.max_tokens,
    )


def templates_of(prompts: ApplicationPrompts) -> SituationPrompts:
    """The templates by situation."""
    return SituationPrompts(
        knowledge=prompts.answer, tools=prompts.tools, both=prompts.both, empty=prompts.empty
    )
