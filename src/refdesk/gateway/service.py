"""Storing, changing and removing models."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope, audit
from refdesk.gateway.embedded import CALIBRATION, DIMENSIONS
from refdesk.gateway.errors import EmbeddedModelFixed, ModelInUse, ModelNameTaken
from refdesk.gateway.probing import seal
from refdesk.gateway.repository import ModelRepository
from refdesk.gateway.routing.model_settings import ModelRouting, apply_routing, audited, differences
from refdesk.gateway.schemas import CheckResult, ModelChange
from refdesk.gateway.tables import Model
from refdesk.kit.border_types import clean_json
from refdesk.kit.clock import now
from refdesk.kit.crypto import Cipher
from refdesk.kit.errors import Invalid
from refdesk.kit.ids import new_id

EMBEDDED_NAME = "multilingual-e5-small"


class EmbeddingModelFixed(Invalid):
    """Vectors of two models cannot be mixed, so an embedding model's identity never changes."""

    code = "embedding-model-fixed"
    message = "The model name and dimensions of an embedding model cannot be changed."
    hint = "Add the other model, and choose it for new knowledge bases."


@dataclass(frozen=True, slots=True)
class ModelService:
    """What is done to stored models; calls to vendors are `ModelProbe`'s, outside of any transaction."""

    session: AsyncSession
    scope: Scope
    cipher: Cipher

    @property
    def _models(self) -> ModelRepository:
        return ModelRepository(self.session, self.scope)

    async def create(
        self, model: Model, *, as_default: bool = False, routing: ModelRouting | None = None
    ) -> Model:
        """Store what `ModelProbe.prepare` made. The first model of a kind becomes its default."""
        if routing is not None:
            await apply_routing(self.session, self.scope, model, routing)
        if as_default or await self._models.default(model.kind) is None:
            await self._make_default(model)
        try:
            async with self.session.begin_nested():
                await self._models.add(model)
        except IntegrityError as error:
            raise ModelNameTaken(name=model.name) from error
        audit(
            self.session,
            self.scope,
            "model.create",
            ("model", model.id),
            name=model.name,
            before=None,
            after=audited(model),
        )
        return model

    async def note_check(self, model_id: UUID, result: CheckResult) -> None:
        """Keep the result of a connection test."""
        model = await self._models.get(model_id)
        model.last_check = clean_json(result.model_dump(mode="json"))  # models say NUL, too
        if result.shape is not None and model.parameters.get("shape") is None:
            model.parameters = model.parameters | {"shape": result.shape}

    async def change(self, model_id: UUID, change: ModelChange) -> Model:
        """Apply the members that are present."""
        model = await self._models.get(model_id)
        given = change.model_fields_set
        if model.provider == "embedded" and given - {"is_default"}:
            raise EmbeddedModelFixed
        self._refuse_identity_change(model, change)
        before = audited(model)
        if "name" in given and change.name is not None:
            model.name = change.name
        if change.model_name is not None and change.model_name != model.model_name:
            model.gates = None  # they were another model's
        if "model_name" in given and change.model_name is not None:
            model.model_name = change.model_name
        if "base_url" in given and change.base_url is not None:
            self._move(model, str(change.base_url), keeps_key="api_key" in given)
        if "api_key" in given:
            self._seal(model, change.api_key.get_secret_value() if change.api_key else None)
        if "parameters" in given and change.parameters is not None:
            model.parameters = change.parameters.model_dump(mode="json")
        await apply_routing(self.session, self.scope, model, change)
        if change.is_default:
            await self._make_default(model)
        model.updated_at = now()
        try:
            async with self.session.begin_nested():
                await self.session.flush()
        except IntegrityError as error:
            raise ModelNameTaken(name=change.name) from error
        audit(
            self.session,
            self.scope,
            "model.change",
            ("model", model.id),
            members=sorted(given),
            **differences(before, audited(model)),
        )
        return model

    async def delete(self, model_id: UUID) -> None:
        """Remove a model. Raises `ModelInUse` while knowledge bases are indexed with it, or policies switch
        to it: one whose target is gone would fail just when it is needed."""
        model = await self._models.get(model_id)
        if model.provider == "embedded":
            raise EmbeddedModelFixed
        policies = await self._models.policies_to(model)
        if policies:
            raise ModelInUse(
                f"Fallback policies switch to this model: {', '.join(policies)}.",
                hint="Let those policies switch to another model first.",
                model=model.name,
                policies=policies,
            )
        was_default, kind = model.is_default, model.kind
        try:
            async with self.session.begin_nested():
                await self._models.delete(model)
        except IntegrityError as error:
            raise ModelInUse(model=model.name) from error
        if was_default:
            heirs = await self._models.all(kind)
            if heirs:
                heirs[0].is_default = True
        audit(
            self.session,
            self.scope,
            "model.delete",
            ("model", model_id),
            name=model.name,
            before=audited(model),
            after=None,
        )

    async def _make_default(self, model: Model) -> None:
        await self._models.clear_default(model.kind)
        model.is_default = True

    def _move(self, model: Model, base_url: str, *, keeps_key: bool) -> None:
        # A stored key goes only to the server it was entered for: otherwise whoever may edit a model
        # could read its key by pointing the address at a server of his own.
        changed = base_url.rstrip("/") != model.base_url
        model.base_url = base_url.rstrip("/")
        if changed and not keeps_key:
            self._seal(model, None)

    def _refuse_identity_change(self, model: Model, change: ModelChange) -> None:
        if model.kind != "EMBEDDING" or model.provider == "embedded":
            return
        renamed = change.model_name is not None and change.model_name != model.model_name
        resized = change.parameters is not None and change.parameters.dimensions != model.parameters.get(
            "dimensions"
        )
        if renamed or resized:
            raise EmbeddingModelFixed

    def _seal(self, model: Model, key: str | None) -> None:
        seal(self.cipher, model, key)


async def store_gates(
    session: AsyncSession, scope: Scope, model_id: UUID, gates: dict[str, Any] | None
) -> Model:
    """Give a model the gates that were fitted for it (in the form of `GatesView`), or the default ones.

    They hold from the next search on. Raises `UnknownModel`.
    """
    model = await ModelRepository(session, scope).get(model_id)
    before, model.gates = model.gates, gates
    model.updated_at = now()
    await session.flush()
    verb = "model.reset-gates" if gates is None else "model.calibrate"
    audit(session, scope, verb, ("model", model.id), name=model.name, before=before, after=gates)
    return model


async def create_workspace_models(session: AsyncSession, scope: Scope) -> None:
    """Give a new workspace the embedded embedding model, as its default."""
    await ModelRepository(session, scope).add(
        Model(
            id=new_id(),
            kind="EMBEDDING",
            provider="embedded",
            name=EMBEDDED_NAME,
            model_name=EMBEDDED_NAME,
            parameters={},
            dimensions=DIMENSIONS,
            calibration=dict(CALIBRATION.to_json()),
            is_default=True,
        )
    )
