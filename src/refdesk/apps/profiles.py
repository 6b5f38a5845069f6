"""Applications as the profiles of runs: the implementation of chat's port."""

from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.apps.repository import ApplicationRepository
from refdesk.apps.schemas import ApplicationSettings
from refdesk.chat import RunProfile, SituationPrompts


class StoredProfiles:
    """Profiles read from the applications of the caller's workspace."""

    async def profile(self, session: AsyncSession, scope: Scope, application_id: UUID) -> RunProfile:
        """The profile of an application; raises `ApplicationNotFound`."""
        repository = ApplicationRepository(session, scope)
        application = await repository.get(application_id)
        bases = await repository.base_ids([application_id])
        settings = ApplicationSettings.model_validate(application.settings)
        prompts: dict[str, Any] = application.prompts
        return RunProfile(
            application_id=application_id,
            knowledge_base_ids=tuple(bases[application_id]),
            missing_bases=await repository.chosen_bases(application_id) - len(bases[application_id]),
            model_id=application.model_id,
            purpose=settings.purpose,
            system_prompt=prompts.get("system", ""),
            prompts=SituationPrompts(
                knowledge=prompts.get("answer", ""),
                tools=prompts.get("tools", ""),
                both=prompts.get("both", ""),
                empty=prompts.get("empty", ""),
            ),
            answering=settings.answering,
            stages=settings.stages.to_choices(),
            term_mapping=tuple(one.to_mapping() for one in settings.term_mapping),
            tools=tuple(dict.fromkeys(settings.tools)),
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
            language=settings.language,
            temperature=settings.temperature,
            max_tokens=settings.max_tokens,
        )
