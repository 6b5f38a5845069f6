"""Taking descriptors into a workspace: all of a file or none of it, in one transaction.

An embedding model that was not measured is called before that transaction begins, for its dimensions. Keys
are taken from models that have them for the same address; a model whose address changes loses its own.
"""

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope, audit
from refdesk.gateway.descriptors.document import Descriptor
from refdesk.gateway.descriptors.planning import Holdings, Intended, Plan, PlannedModel, plan
from refdesk.gateway.descriptors.reading import DescriptorProblem, ReadDescriptor, read_descriptors, refuse
from refdesk.gateway.errors import ModelNameTaken, UnknownModel
from refdesk.gateway.probing import ModelProbe, seal
from refdesk.gateway.repository import ModelRepository
from refdesk.gateway.routing.administration import Administration
from refdesk.gateway.service import ModelService
from refdesk.gateway.tables import Model
from refdesk.kit.clock import now
from refdesk.kit.crypto import Cipher
from refdesk.kit.database import Database
from refdesk.kit.ids import new_id


@dataclass(frozen=True, slots=True)
class DescriptorIntake:
    """Descriptors on their way into the workspace of a scope."""

    database: Database
    probe: ModelProbe

    @property
    def scope(self) -> Scope:
        return self.probe.scope

    @property
    def cipher(self) -> Cipher:
        return self.probe.cipher

    async def check(self, text: str, *, replace: bool, model_id: UUID | None = None) -> Plan:
        """What taking the text in would do, with everything that stands in the way. With `model_id` it
        describes that model."""
        read, problems = read_descriptors(text)
        async with self.database.transaction() as session:
            only = await self._only(session, model_id)
            found = plan(read, await Holdings.of(session, self.scope), replace=replace, only=only)
        found.problems = [*problems, *_one_document(read, model_id), *found.problems]
        return found

    async def take_in(self, text: str, *, replace: bool, model_id: UUID | None = None) -> list[PlannedModel]:
        """Do it. Raises `DescriptorInvalid` and changes nothing if anything stands in the way."""
        first = await self.check(text, replace=replace, model_id=model_id)
        refuse(first.problems)
        measured = {
            one.planned.model_id: await self._measured(one)
            for one in first.intended
            if one.planned.calls_vendor
        }
        read = [one.read for one in first.intended]
        async with self.database.transaction() as session:
            # Again, in the transaction that changes: somebody else may have been quicker.
            only = await self._only(session, model_id)
            holdings = await Holdings.of(session, self.scope)
            found = plan(read, holdings, replace=replace, only=only)
            refuse(found.problems)
            for one in found.intended:
                await self._store(session, one, measured.get(one.planned.model_id))
        return [one.planned for one in found.intended]

    async def _only(self, session: AsyncSession, model_id: UUID | None) -> Model | None:
        if model_id is None:
            return None
        return await ModelRepository(session, self.scope).get(model_id)

    async def _measured(self, one: Intended) -> Model:
        row = self._new_row(one)
        await self.probe.measure(row)
        return row

    async def _store(self, session: AsyncSession, one: Intended, measured: Model | None) -> None:
        service = ModelService(session, self.scope, self.cipher)
        policies = Administration(session, self.scope)
        wanted, planned = one.read.descriptor, one.planned
        if one.row is None:
            row = self._new_row(one)
            if measured is not None:
                row.dimensions, row.calibration = measured.dimensions, measured.calibration
            await service.create(row, as_default=wanted.is_default)
            await policies.assign(row, one.policy_id)
            return
        if planned.action == "unchanged":
            return
        row = one.row
        moved = row.base_url != wanted.address
        if row.model_name != (wanted.model_name or wanted.model_id):
            row.gates = None  # they were another model's
        self._write(row, wanted)
        await policies.assign(row, one.policy_id)
        if one.key_of is not None and one.key_of.id != row.id:
            self._share_key(row, one.key_of)
        elif moved or wanted.credential == "none":
            seal(self.cipher, row, None)
        if wanted.is_default and not row.is_default:
            await ModelRepository(session, self.scope).clear_default(row.kind)
            row.is_default = True
        row.updated_at = now()
        try:
            async with session.begin_nested():
                await session.flush()
        except IntegrityError as error:
            raise ModelNameTaken(name=wanted.model_id) from error
        changes = [change.model_dump() for change in planned.changes]
        audit(session, self.scope, "model.describe", ("model", row.id), name=row.name, changes=changes)

    def _new_row(self, one: Intended) -> Model:
        wanted = one.read.descriptor
        row = Model(
            id=new_id(),
            workspace_id=self.scope.workspace_id,
            kind=wanted.kind,
            provider=wanted.provider,
            parameters={},
            is_default=False,
        )
        self._write(row, wanted)
        if wanted.measured is not None:
            row.dimensions, row.calibration = wanted.measured.dimensions, wanted.measured.calibration
        else:
            row.dimensions = wanted.parameters.dimensions
        if one.key_of is not None:
            self._share_key(row, one.key_of)
        return row

    def _write(self, row: Model, wanted: Descriptor) -> None:
        row.name, row.model_name = wanted.model_id, wanted.model_name or wanted.model_id
        row.version, row.provider, row.base_url = wanted.version, wanted.provider, wanted.address
        row.capabilities = wanted.capabilities.model_dump(exclude_none=True)
        row.health_check = wanted.health_check.model_dump() if wanted.health_check is not None else None
        row.concurrency = wanted.concurrency
        row.parameters = wanted.parameters.model_dump(mode="json")
        row.input_schema, row.output_schema = wanted.input_schema, wanted.output_schema
        row.undeclared_output = wanted.undeclared_output

    def _share_key(self, row: Model, other: Model) -> None:
        if other.credential is None:
            raise UnknownModel(model_id=str(other.id))
        seal(self.cipher, row, self.cipher.open(other.credential, context=other.id.bytes))


def _one_document(read: list[ReadDescriptor], model_id: UUID | None) -> list[DescriptorProblem]:
    if model_id is None or len(read) < 2:
        return []
    return [read[1].problem("", "one-document")]
