"""Reading a run's trace, and what a run asked again is to do differently."""

from dataclasses import replace
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Role, Scope
from refdesk.chat.choices import SituationPrompts, StageChoice, StageChoices, StageName
from refdesk.chat.errors import RunModelUnsuitable
from refdesk.chat.profile import RunSubmission
from refdesk.chat.service import RunService
from refdesk.chat.trace.schemas import RunAgain, TraceOut
from refdesk.chat.trace.views import calls_in, costs_of, documents_considered, spans_of
from refdesk.gateway import ModelRepository, UnknownModel, calls_of_run
from refdesk.knowledge import DocumentRepository


def manages_applications(scope: Scope) -> bool:
    """Whether the caller may change applications, and so may read their prompts."""
    return scope.role >= Role.EDITOR and "write" in scope.permissions


class TraceService:
    """Traces of the caller's runs."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def get(self, run_id: UUID) -> TraceOut:
        """What the run did. Raises `RunNotFound`."""
        run, sight = await RunService(self._session, self._scope).seen(run_id)
        whole = manages_applications(self._scope)
        touched = sight.is_touched(run)
        stages: list[dict[str, Any]] = run.stages
        documents = documents_considered(stages) if whole and not touched else set[UUID]()
        hidden = await DocumentRepository(self._session, self._scope).hidden(documents)
        spans = spans_of(stages, whole=whole, hidden=hidden, details=not touched)
        calls = calls_in(
            spans,
            await calls_of_run(self._session, self._scope, run.id, run.created_at, run.finished_at),
            run.created_at,
        )
        for place, span in enumerate(spans):
            span.costs = costs_of(call for call in calls if call.stage == place)
        shown = sight.view(run)
        return TraceOut(
            run_id=run.id,
            conversation_id=run.conversation_id,
            application_id=shown.application_id,
            question=shown.question,
            standalone_question=shown.standalone_question,
            state=shown.state,
            retry_of=run.retry_of,
            created_at=run.created_at,
            queued_ms=_between(run.created_at, run.started_at),
            total_ms=_between(run.created_at, run.finished_at),
            is_whole=whole,
            is_hidden=touched,
            is_estimated=any("started_ms" not in stage for stage in stages),
            stages=spans,
            calls=calls,
            usage=shown.usage,
            costs=costs_of(calls),
            warnings=shown.warnings,
            settings=run.profile if whole else None,
        )

    async def again(self, run_id: UUID, changes: RunAgain) -> RunSubmission:
        """The submission that asks the run's question again with what is to be different. Raises
        `RunNotFound`, `RunModelUnsuitable`."""
        run, _ = await RunService(self._session, self._scope).seen(run_id)
        await self.check(changes)
        return RunSubmission(question=None, retry_of=run.id, overrides=overrides_of(run.profile, changes))

    async def check(self, changes: RunAgain) -> None:
        """Raises `RunModelUnsuitable`."""
        model_id = changes.model_id
        if model_id is None:
            return
        try:
            model = await ModelRepository(self._session, self._scope).get(model_id)
        except UnknownModel:
            raise RunModelUnsuitable(model_id=str(model_id)) from None
        if model.kind != "LLM":
            raise RunModelUnsuitable(model_id=str(model_id), kind=model.kind)


def overrides_of(profile: dict[str, Any], changes: RunAgain) -> dict[str, Any]:
    """The fields of a stored profile that are replaced."""
    plain = ("mode", "top_n", "similarity", "temperature", "model_id", "answering")
    given = {name: value for name in plain if (value := getattr(changes, name)) is not None}
    if changes.prompts is not None:
        sent = changes.prompts.model_dump(exclude_none=True)
        if "system" in sent:
            given["system_prompt"] = sent.pop("system")
        if sent:
            given["prompts"] = SituationPrompts(**(profile.get("prompts", {}) | sent))
    if changes.stages_off is not None:
        given["stages"] = _switched(profile.get("stages", {}), changes.stages_off)
    return given


def _switched(recorded: dict[str, Any], off: list[StageName]) -> StageChoices:
    """The stages as the run had them, these off and all others on."""
    choices = StageChoices()
    for name in StageChoices.__dataclass_fields__:
        choice: StageChoice = getattr(choices, name)
        known: dict[str, Any] = recorded.get(name, {})
        model_id = known.get("model_id")
        choice = StageChoice(
            on=name not in off,
            model_id=UUID(model_id) if model_id else None,
            deadline_s=known.get("deadline_s", choice.deadline_s),
        )
        choices = replace(choices, **{name: choice})
    return choices


def _between(begun: Any, ended: Any) -> float | None:
    return None if ended is None else round((ended - begun).total_seconds() * 1000, 2)
