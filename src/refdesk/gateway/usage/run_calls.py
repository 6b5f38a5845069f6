"""The calls of models that one run made, for whoever shows the run's trace."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.gateway.repository import ModelRepository
from refdesk.gateway.usage.repository import CallRepository
from refdesk.gateway.usage.schemas import CallView
from refdesk.kit.clock import now

# What a run leaves to be done after its end (a summary, notes) is part of it for so long.
AFTERMATH = timedelta(minutes=10)


class RunCall(CallView):
    """A call with the names that its models have now; null for a model that is gone."""

    model: str | None = None
    switched_from_model: str | None = None


async def calls_of_run(
    session: AsyncSession, scope: Scope, run_id: UUID, begun: datetime, ended: datetime | None
) -> Sequence[RunCall]:
    """The calls of a run that the caller may see, oldest first. They are recorded within a second of their
    end, and kept as long as the workspace keeps single calls."""
    until = (ended or now()) + AFTERMATH
    calls = await CallRepository(session, scope).of_run(run_id, begun - timedelta(seconds=1), until)
    if not calls:
        return []
    names = {model.id: model.name for model in await ModelRepository(session, scope).all()}
    return [
        RunCall.model_validate(call).model_copy(
            update={
                "model": names.get(call.model_id),
                "switched_from_model": names.get(call.switched_from) if call.switched_from else None,
            }
        )
        for call in calls
    ]
