"""What agents remember of the turns of a conversation."""

from uuid import UUID

from sqlalchemy import ForeignKey, Uuid
from sqlalchemy.orm import Mapped, mapped_column

from refdesk.kit.columns import Json, JsonList, WorkspaceId
from refdesk.kit.database import Base


class AgentTurn(Base):
    """The tool traffic of one finished run, to be read by the next ones of its conversation.

    `answer` is the answer as the model wrote it, with the numbers it cites by; `rounds` its calls and their
    results (`transcript.Round`); `sources` the passages by number (`sources.Passage`).
    """

    __tablename__ = "agent_turns"

    run_id: Mapped[UUID] = mapped_column(Uuid, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    workspace_id: Mapped[WorkspaceId]
    answer: Mapped[str]
    rounds: Mapped[JsonList]
    sources: Mapped[Json]
