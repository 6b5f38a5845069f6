"""Model descriptors of a workspace, their sealed credentials and their calibration."""

from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, String, UniqueConstraint, Uuid
from sqlalchemy.orm import Mapped, mapped_column

from refdesk.kit.columns import CreatedAt, Id, Json, OptionalJson, Sealed, UpdatedAt, WorkspaceId
from refdesk.kit.database import Base


class Model(Base):
    """One model that can be called.

    `kind` is one of the nine (`LLM`, `EMBEDDING`, `RERANKER`, `STT`, `TTS`, `IMAGE`, `TTI`, `TTV`, `ITV`);
    `provider` is a vendor of the catalogue, `openai-compatible` or `embedded`; `model_name` is what the
    vendor calls it. `capabilities` is what it can do, `concurrency` how many calls it takes at once, None for
    any number. `health_check` and `fallback_policy_id` tell how its health is watched and what happens when
    it fails (`routing`). `credential` is the sealed API key, `credential_hint` its mask. `parameters` are
    defaults of a call (temperature, max_tokens, timeout_s, dimensions, query_prefix, passage_prefix,
    batch_size, shape).
    `input_schema` and `output_schema` are JSON Schema draft 7 (None: what is usual for the kind, see
    `descriptors.forms`), `undeclared_output` what becomes of output that is not in the latter.
    `gates` are the thresholds fitted for it on a labelled set. `last_check` is the last connection test.
    """

    __tablename__ = "models"

    id: Mapped[Id]
    workspace_id: Mapped[WorkspaceId]
    kind: Mapped[str] = mapped_column(String(16))
    provider: Mapped[str] = mapped_column(String(32))
    name: Mapped[str] = mapped_column(String(200))
    model_name: Mapped[str] = mapped_column(String(200))
    base_url: Mapped[str | None] = mapped_column(String(2000))
    credential: Mapped[Sealed | None]
    credential_hint: Mapped[str | None] = mapped_column(String(32))
    version: Mapped[str] = mapped_column(String(32), default="1", server_default="1")
    capabilities: Mapped[Json] = mapped_column(default=dict[str, Any], server_default="{}")
    concurrency: Mapped[int | None]
    health_check: Mapped[OptionalJson | None]
    fallback_policy_id: Mapped[UUID | None] = mapped_column(
        Uuid, ForeignKey("fallback_policies.id", ondelete="SET NULL"), index=True
    )
    input_schema: Mapped[OptionalJson | None]
    output_schema: Mapped[OptionalJson | None]
    undeclared_output: Mapped[str] = mapped_column(String(16), default="filter", server_default="filter")
    parameters: Mapped[Json]
    dimensions: Mapped[int | None]
    calibration: Mapped[OptionalJson | None]
    gates: Mapped[OptionalJson | None]
    is_default: Mapped[bool] = mapped_column(default=False)
    last_check: Mapped[OptionalJson | None]
    created_at: Mapped[CreatedAt]
    updated_at: Mapped[UpdatedAt]

    __table_args__ = (UniqueConstraint("workspace_id", "name", name="uq_models_workspace_id_name"),)
