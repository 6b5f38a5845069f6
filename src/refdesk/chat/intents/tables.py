"""The intents of applications, and the vectors of their examples."""

from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey, Index, LargeBinary, SmallInteger, String, Uuid, text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from refdesk.kit.columns import CreatedAt, Id, TextArray, Timestamp, UpdatedAt, WorkspaceId
from refdesk.kit.database import Base


class IntentNode(Base):
    """A node of an application's tree: a domain, a category or a topic, by its depth. `kind`: 0 knowledge,
    1 system, 2 tool. What carries one `deleted_at` was deleted at once and comes back at once."""

    __tablename__ = "intents"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    application_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("applications.id", ondelete="CASCADE"), index=True
    )
    parent_id: Mapped[UUID | None] = mapped_column(
        Uuid, ForeignKey("intents.id", ondelete="CASCADE"), index=True
    )
    code: Mapped[str] = mapped_column(String(64))
    name: Mapped[str] = mapped_column(String(200))
    description: Mapped[str] = mapped_column(default="")
    kind: Mapped[int] = mapped_column(SmallInteger, default=0)
    examples: Mapped[TextArray]
    knowledge_base_ids: Mapped[list[UUID]] = mapped_column(ARRAY(Uuid), default=list)
    tool_id: Mapped[str | None] = mapped_column(String(200))
    parameter_prompt: Mapped[str] = mapped_column(default="")
    answer_rule: Mapped[str] = mapped_column(default="")
    system_prompt: Mapped[str] = mapped_column(default="")
    reply: Mapped[str] = mapped_column(default="")
    top_k: Mapped[int | None]
    enabled: Mapped[bool] = mapped_column(default=True)
    position: Mapped[int] = mapped_column(default=0)
    deleted_at: Mapped[Timestamp | None]
    created_at: Mapped[CreatedAt]
    updated_at: Mapped[UpdatedAt]

    __table_args__ = (
        Index(
            "uq_intents_application_id_code",
            "application_id",
            "code",
            unique=True,
            postgresql_where=text("deleted_at IS NULL"),
        ),
    )


class IntentTreeVersion(Base):
    """Counts the changes of an application's tree, so that a process knows whether its copy is the present
    one."""

    __tablename__ = "intent_tree_versions"

    application_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("applications.id", ondelete="CASCADE"), primary_key=True
    )
    workspace_id: Mapped[WorkspaceId]
    version: Mapped[int] = mapped_column(BigInteger, default=0)


class ExampleVector(Base):
    """The vector of one example by one model: float32, as a question is embedded."""

    __tablename__ = "intent_example_vectors"

    application_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("applications.id", ondelete="CASCADE"), primary_key=True
    )
    model_id: Mapped[UUID] = mapped_column(
        Uuid, ForeignKey("models.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    digest: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    workspace_id: Mapped[WorkspaceId]
    vector: Mapped[bytes] = mapped_column(LargeBinary)
