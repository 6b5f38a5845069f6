"""The earlier turns of a stored conversation, as far as the caller may still see them."""

import re
from dataclasses import dataclass
from uuid import UUID

from refdesk.accounts import Scope
from refdesk.chat.profile import Turn
from refdesk.chat.remembering import Summary, SummaryRepository
from refdesk.chat.repository import ConversationRepository, RunRepository
from refdesk.chat.sight import Sight
from refdesk.chat.tables import Run
from refdesk.kit.database import Database
from refdesk.knowledge import sees_all

# Runs looked at to find the wanted number of turns: failed and retried ones are left out.
LOOK_BACK = 3
_MARK = re.compile(r"\s?\[\d+\]")


@dataclass(frozen=True, slots=True)
class StoredHistory:
    """The turns before `run` in its conversation. A retried run is replaced by its retry.

    What is withheld from the caller by now (`sight`) is not told to the model either.
    """

    database: Database
    scope: Scope
    run: Run
    summarised: bool = False

    async def turns(self, limit: int) -> list[Turn]:
        return (await self.seen(limit))[0]

    async def seen(self, limit: int) -> tuple[list[Turn], frozenset[UUID]]:
        """The last turns, and the runs whose answers are withheld from the caller."""
        async with self.database.transaction() as session:
            conversation = await ConversationRepository(session, self.scope).get(self.run.conversation_id)
            # Whether an answer is withheld hangs on what its model was told of, back to the first turn.
            most = limit * LOOK_BACK + 1
            runs = await RunRepository(session, self.scope).of_conversation(
                conversation, limit=most if sees_all(self.scope) else None
            )
            sight = await Sight.of(session, self.scope, runs)
        seen = [run for run in runs[-most:] if run.id not in sight.withheld]
        return turns_of(seen, self.run, limit), sight.withheld

    async def summary(self) -> Summary | None:
        """The summary of the turns before the last ones, whoever may see what it tells of."""
        if not self.summarised:
            return None
        async with self.database.transaction() as session:
            return await SummaryRepository(session, self.scope).get(self.run.conversation_id)


def turns_of(runs: list[Run], current: Run | None, limit: int) -> list[Turn]:
    """The finished turns among `runs` (oldest first) that come before `current`, or all of them."""
    replaced: set[UUID | None] = {run.retry_of for run in runs if run.retry_of is not None}
    before = None
    if current is not None:
        replaced |= {current.retry_of} - {None}
        retried = next((run for run in runs if run.id == current.retry_of), None)
        before = (retried or current).created_at
    kept = [
        Turn(run.question, _MARK.sub("", run.answer), run.id)
        for run in runs
        if (before is None or run.created_at < before)
        and run.id not in replaced
        and run.state == "finished"
        and run.answer
    ]
    return kept[-limit:] if limit else []
