"""What an agent knows of the turns before: their tool traffic and the numbers of their sources.

Whoever may see a turn at all is decided by `stages.memory`: only the traffic of turns that it gives is read.
"""

from collections.abc import Sequence
from uuid import UUID

import orjson
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.chat.agent.sources import Numbered, SourceBook, sources_of
from refdesk.chat.agent.tables import AgentTurn
from refdesk.chat.agent.transcript import PastTurn, Round, rounds_of
from refdesk.chat.events import encode
from refdesk.chat.profile import Turn


class AgentTurnRepository:
    """Turns of the scope's workspace."""

    def __init__(self, session: AsyncSession, scope: Scope) -> None:
        self._session = session
        self._scope = scope

    async def of_runs(self, run_ids: Sequence[UUID]) -> dict[UUID, AgentTurn]:
        rows = await self._session.scalars(
            select(AgentTurn).where(
                AgentTurn.workspace_id == self._scope.workspace_id, AgentTurn.run_id.in_(run_ids)
            )
        )
        return {row.run_id: row for row in rows}

    async def add(self, run_id: UUID, answer: str, rounds: Sequence[Round], book: SourceBook) -> None:
        documents = {
            "answer": answer,
            "rounds": [one.to_json() for one in rounds],
            "sources": book.to_json(book.found),
        }
        cleaned = orjson.loads(encode(documents))
        self._session.add(AgentTurn(run_id=run_id, workspace_id=self._scope.workspace_id, **cleaned))


def past_turns(
    turns: Sequence[Turn], known: dict[UUID, AgentTurn]
) -> tuple[list[PastTurn], dict[int, Numbered]]:
    """The turns with their traffic where an agent led them, and the sources their answers cite."""
    past: list[PastTurn] = []
    sources: dict[int, Numbered] = {}
    for turn in turns:
        row = known.get(turn.run_id) if turn.run_id is not None else None
        if row is None:
            past.append(PastTurn(turn.question, turn.answer))
            continue
        past.append(PastTurn(turn.question, row.answer, rounds_of(row.rounds)))
        sources |= sources_of(row.sources)
    return past, sources
