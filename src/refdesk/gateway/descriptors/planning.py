"""What taking descriptors in would do to a workspace: created, changed, left, or why not. Changes nothing."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast
from uuid import UUID

from pydantic import BaseModel
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope
from refdesk.gateway.descriptors.document import EMBEDDED, Descriptor, SameKey
from refdesk.gateway.descriptors.forms import INPUT_SCHEMAS
from refdesk.gateway.descriptors.reading import DescriptorProblem, ReadDescriptor
from refdesk.gateway.descriptors.wording import message_of
from refdesk.gateway.descriptors.writing import describe
from refdesk.gateway.repository import ModelRepository
from refdesk.gateway.routing.tables import FallbackPolicy
from refdesk.gateway.tables import Model
from refdesk.gateway.vendors import vendor

type Action = Literal["create", "change", "unchanged"]


class Difference(BaseModel):
    """One field of a descriptor before and after."""

    field: str
    before: Any
    after: Any


class PlanNote(BaseModel):
    """Something to know before taking a document in; `code` and `facts` are for other languages."""

    code: str
    facts: dict[str, str]
    message: str


class PlannedModel(BaseModel):
    """What becomes of one document. `needs_key`: it can be called only once its key has been entered.
    `calls_vendor`: it is an embedding model that is measured when it is taken in."""

    document: int
    model_id: str
    action: Action
    changes: list[Difference]
    needs_key: bool
    calls_vendor: bool
    notes: list[PlanNote] = []


@dataclass(frozen=True, slots=True)
class Intended:
    """One document with the row it meets, None for a new model. `key_of` is the row whose key it shares."""

    read: ReadDescriptor
    planned: PlannedModel
    row: Model | None
    policy_id: UUID | None
    key_of: Model | None


@dataclass(slots=True)
class Plan:
    """All documents that were understood, and what stands in the way of the others."""

    intended: list[Intended] = field(default_factory=list[Intended])
    problems: list[DescriptorProblem] = field(default_factory=list[DescriptorProblem])


@dataclass(frozen=True, slots=True)
class Holdings:
    """What the workspace has, by the names that descriptors use."""

    models: Mapping[str, Model]
    policies: Mapping[str, UUID]

    @classmethod
    async def of(cls, session: AsyncSession, scope: Scope) -> "Holdings":
        models = await ModelRepository(session, scope).all()
        statement = select(FallbackPolicy.policy_id, FallbackPolicy.id).where(
            FallbackPolicy.workspace_id == scope.workspace_id
        )
        policies = (await session.execute(statement)).all()
        return cls({model.name: model for model in models}, {row.policy_id: row.id for row in policies})

    @property
    def policy_names(self) -> dict[UUID, str]:
        return {row_id: name for name, row_id in self.policies.items()}


def plan(
    read: Sequence[ReadDescriptor], holdings: Holdings, *, replace: bool, only: Model | None = None
) -> Plan:
    """What the documents would do. Without `replace` a model that is there is not changed: it is a duplicate
    model_id (X50). `only` is the one model that the one document describes, whatever it was called before."""
    found = Plan()
    for one in read:
        row = only if only is not None else holdings.models.get(one.descriptor.model_id)
        problems = list(_obstacles(one, row, holdings, read))
        planned = _planned(one, row, holdings)
        if row is not None and only is None and not replace and planned.action == "change":
            problems.append(
                one.problem(
                    "model_id",
                    "differs",
                    model=row.name,
                    fields=", ".join(change.field for change in planned.changes),
                )
            )
        found.problems += problems
        shared = one.descriptor.credential
        found.intended.append(
            Intended(
                one,
                planned,
                row,
                holdings.policies.get(one.descriptor.fallback_policy_id or ""),
                holdings.models.get(shared.same_as) if isinstance(shared, SameKey) else None,
            )
        )
    return found


def _obstacles(
    one: ReadDescriptor, row: Model | None, holdings: Holdings, read: Sequence[ReadDescriptor]
) -> Iterator[DescriptorProblem]:
    wanted = one.descriptor
    policy = wanted.fallback_policy_id
    if policy is not None and policy not in holdings.policies:
        yield one.problem("fallback_policy_id", "policy-unknown", policy=policy)
    if isinstance(wanted.credential, SameKey):
        yield from _key_obstacles(one, wanted.credential.same_as, holdings, read)
    if row is None:
        if wanted.provider == EMBEDDED:
            yield one.problem("provider", "embedded-not-added")
        return
    if row.provider == EMBEDDED or wanted.provider == EMBEDDED:
        if _planned(one, row, holdings).changes:
            yield one.problem("model_id", "embedded-fixed", model=row.name)
        return
    other = holdings.models.get(wanted.model_id)
    if other is not None and other.id != row.id:
        yield one.problem("model_id", "id-taken", model=wanted.model_id)
    if row.kind != wanted.kind:
        yield one.problem("kind", "kind-fixed", model=row.name, kind=row.kind)
    if row.kind == "EMBEDDING":
        if (wanted.model_name or wanted.model_id) != row.model_name:
            yield one.problem("model_name", "vectors-name-fixed")
        if wanted.parameters.dimensions != row.parameters.get("dimensions"):
            yield one.problem("parameters.dimensions", "vectors-size-fixed")


def _key_obstacles(
    one: ReadDescriptor, name: str, holdings: Holdings, read: Sequence[ReadDescriptor]
) -> Iterator[DescriptorProblem]:
    other = holdings.models.get(name)
    if other is None:
        code = "key-only-described" if _described(name, read) else "key-of-nobody"
        yield one.problem("credential.same_as", code, model=name)
    elif other.credential is None:
        yield one.problem("credential.same_as", "key-not-there", model=name)
    elif (other.provider, other.base_url) != (one.descriptor.provider, one.descriptor.address):
        # A stored key goes only to the server it was entered for.
        where = {"provider": other.provider, "address": str(other.base_url)}
        yield one.problem("credential.same_as", "key-elsewhere", model=name, **where)


def _described(name: str, read: Sequence[ReadDescriptor]) -> bool:
    return any(one.descriptor.model_id == name for one in read)


def _planned(one: ReadDescriptor, row: Model | None, holdings: Holdings) -> PlannedModel:
    wanted = one.descriptor
    changes = [] if row is None else differences(describe(row, holdings.policy_names), wanted)
    action: Action = "create" if row is None else "change" if changes else "unchanged"
    moved = row is not None and row.base_url != wanted.address
    has_key = row is not None and row.credential is not None and not moved
    shares = isinstance(wanted.credential, SameKey)
    expects = wanted.credential == "entered" or (
        row is None and wanted.provider != EMBEDDED and vendor(wanted.provider).needs_key
    )
    return PlannedModel(
        document=one.number,
        model_id=wanted.model_id,
        action=action,
        changes=changes,
        needs_key=expects and not has_key and not shares,
        calls_vendor=row is None and wanted.kind == "EMBEDDING" and wanted.measured is None,
        notes=list(_notes(wanted)),
    )


def _notes(wanted: Descriptor) -> Iterator[PlanNote]:
    known = INPUT_SCHEMAS[wanted.kind]["properties"]
    named: Any = wanted.input_schema.get("properties")
    names = list(cast("dict[str, Any]", named)) if isinstance(named, dict) else []
    odd = [name for name in names if name not in known]
    if odd:
        code, facts = "fields-not-sent", {"fields": ", ".join(odd), "kind": wanted.kind}
        yield PlanNote(code=code, facts=facts, message=message_of(code, facts))


def differences(before: Descriptor, after: Descriptor) -> list[Difference]:
    """The members in which two descriptors differ. What a key is called, what was measured and whether a
    model is the default are no differences unless the new one asks for another."""
    old, new = _whole(before), _whole(after)
    is_keyed = before.credential == "entered" and before.address == after.address
    if after.credential in ("entered", before.credential) or (after.credential != "none" and is_keyed):
        new.pop("credential")
    if after.measured is None or before.measured is not None:
        new.pop("measured")
    if not after.is_default:
        new.pop("is_default")
    return [
        Difference(field=name, before=old[name], after=value)
        for name, value in new.items()
        if old[name] != value
    ]


def _whole(descriptor: Descriptor) -> dict[str, Any]:
    whole = descriptor.model_dump(mode="json")
    whole["model_name"] = descriptor.model_name or descriptor.model_id
    whole["endpoint"] = descriptor.address
    return whole
