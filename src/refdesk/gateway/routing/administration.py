"""Keeping policies and purposes: what may be saved, and the record of who changed what from what to what."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from refdesk.accounts import Scope, audit
from refdesk.gateway.errors import UnknownModel, WrongModelKind
from refdesk.gateway.routing.conditions import Condition
from refdesk.gateway.routing.errors import ConditionInvalid, PolicyInUse, PolicyInvalid, PolicyNameTaken
from refdesk.gateway.routing.repository import PolicyRepository, RouteRepository
from refdesk.gateway.routing.rules import Rule, SwitchToModel
from refdesk.gateway.routing.schemas import (
    NamedModel,
    PolicyChange,
    PolicyDraft,
    PolicyView,
    PurposeRouteView,
    RuleFault,
)
from refdesk.gateway.routing.tables import FallbackPolicy, PurposeRoute
from refdesk.gateway.tables import Model
from refdesk.kit.clock import now
from refdesk.kit.ids import new_id


@dataclass(frozen=True, slots=True)
class Administration:
    """What is done to stored policies and purposes."""

    session: AsyncSession
    scope: Scope

    @property
    def _policies(self) -> PolicyRepository:
        return PolicyRepository(self.session, self.scope)

    async def all(self) -> list[PolicyView]:
        policies, models = await self._policies.all(), await self._policies.models()
        return [_view(policy, models) for policy in policies]

    async def get(self, policy_id: UUID) -> PolicyView:
        return _view(await self._policies.get(policy_id), await self._policies.models())

    async def create(self, draft: PolicyDraft) -> PolicyView:
        """Raises `PolicyInvalid`, `ConditionInvalid`, `PolicyNameTaken`."""
        models = await self._policies.models()
        policy = FallbackPolicy(
            id=new_id(),
            policy_id=draft.policy_id,
            description=draft.description,
            rules=self._stored(draft.rules, models),
        )
        try:
            async with self.session.begin_nested():
                await self._policies.add(policy)
        except IntegrityError as error:
            raise PolicyNameTaken(policy_id=draft.policy_id) from error
        audit(
            self.session,
            self.scope,
            "fallback-policy.create",
            ("fallback_policy", policy.id),
            before=None,
            after=_audited(policy),
        )
        await self.session.refresh(policy)
        return _view(policy, models)

    async def change(self, policy_id: UUID, change: PolicyChange) -> PolicyView:
        """Raises what `create` raises, and `PolicyInvalid` for a circle of models."""
        await self._policies.lock()
        policy, models = await self._policies.get(policy_id), await self._policies.models()
        before = _audited(policy)
        if change.policy_id is not None:
            policy.policy_id = change.policy_id
        if change.description is not None:
            policy.description = change.description
        if change.rules is not None:
            policy.rules = self._stored(change.rules, models)
            users = [model for model in models if model.fallback_policy_id == policy.id]
            for user in users:
                _refuse_unfit(user, change.rules, models)
            _refuse_circle(models, {p.id: p for p in await self._policies.all()} | {policy.id: policy})
        policy.updated_at = now()
        try:
            async with self.session.begin_nested():
                await self.session.flush()
        except IntegrityError as error:
            raise PolicyNameTaken(policy_id=change.policy_id) from error
        audit(
            self.session,
            self.scope,
            "fallback-policy.change",
            ("fallback_policy", policy.id),
            before=before,
            after=_audited(policy),
        )
        return _view(policy, models)

    async def delete(self, policy_id: UUID) -> None:
        """Raises `PolicyInUse` while models fall back by it."""
        policy, models = await self._policies.get(policy_id), await self._policies.models()
        users = [model.name for model in models if model.fallback_policy_id == policy.id]
        if users:
            raise PolicyInUse(f"Models use this fallback policy: {', '.join(users)}.", models=users)
        await self._policies.delete(policy)
        audit(
            self.session,
            self.scope,
            "fallback-policy.delete",
            ("fallback_policy", policy.id),
            before=_audited(policy),
            after=None,
        )

    async def faults(self, rules: Sequence[Rule], policy_id: UUID | None) -> list[RuleFault]:
        """All that is wrong with rules that are being entered; nothing is kept."""
        models = await self._policies.models()
        found: list[RuleFault] = []
        for number, rule in enumerate(rules, 1):
            for problem in _problems(rule, models):
                found.append(
                    RuleFault(rule=number, code=problem.code, message=problem.text, details=problem.details)
                )
        if found or policy_id is None:
            return found
        stored = {p.id: p for p in await self._policies.all()}
        tried = FallbackPolicy(id=policy_id, policy_id="", rules=self._stored(rules, models))
        try:
            for user in models:
                if user.fallback_policy_id == policy_id:
                    _refuse_unfit(user, rules, models)
            _refuse_circle(models, stored | {policy_id: tried})
        except PolicyInvalid as problem:
            rule = problem.details.get("rule")
            found.append(
                RuleFault(rule=rule, code=problem.code, message=problem.text, details=problem.details)
            )
        return found

    async def assign(self, model: Model, policy_id: UUID | None) -> None:
        """Give a model a policy. Raises `PolicyNotFound` and `PolicyInvalid`."""
        if policy_id is not None:
            await self._policies.lock()
            policy, models = await self._policies.get(policy_id), list(await self._policies.models())
            rules = PolicyDraft.model_validate({"policy_id": "x", "rules": policy.rules}).rules
            _refuse_unfit(model, rules, models)
            others = [one for one in models if one.id != model.id]
            tried = Model(id=model.id, name=model.name, fallback_policy_id=policy_id)
            _refuse_circle([*others, tried], {p.id: p for p in await self._policies.all()})
        model.fallback_policy_id = policy_id

    async def routes(self) -> list[PurposeRouteView]:
        return [
            _route(route, model) for route, model in await RouteRepository(self.session, self.scope).all()
        ]

    async def route(self, purpose: str, kind: str, model_id: UUID) -> PurposeRouteView:
        """Serve a purpose by a model. Raises `UnknownModel` and `WrongModelKind`."""
        models = {model.id: model for model in await self._policies.models()}
        model = models.get(model_id)
        if model is None:
            raise UnknownModel(model_id=str(model_id))
        if model.kind != kind:
            raise WrongModelKind(needed=kind, found=model.kind)
        await self._policies.lock()  # of two who set one purpose at once the second changes what is there
        routes = RouteRepository(self.session, self.scope)
        route = await routes.find(purpose, kind)
        before = str(route.model_id) if route is not None else None
        if route is None:
            route = PurposeRoute(id=new_id(), purpose=purpose, kind=kind, model_id=model_id)
            await routes.add(route)
        route.model_id, route.updated_at = model_id, now()
        await self.session.flush()
        audit(
            self.session,
            self.scope,
            "purpose-route.set",
            ("purpose_route", route.id),
            purpose=purpose,
            kind=kind,
            before=before,
            after=str(model_id),
        )
        return _route(route, model)

    async def unroute(self, purpose: str, kind: str) -> None:
        """Let the default model serve a purpose again. Raises `RouteNotFound`."""
        await self._policies.lock()
        routes = RouteRepository(self.session, self.scope)
        route = await routes.find(purpose, kind)
        await routes.delete(purpose, kind)
        assert route is not None
        audit(
            self.session,
            self.scope,
            "purpose-route.remove",
            ("purpose_route", route.id),
            purpose=purpose,
            kind=kind,
            before=str(route.model_id),
            after=None,
        )

    async def stored(self, rules: Sequence[Rule]) -> Sequence[dict[str, Any]]:
        """Rules that are not kept in the form they would be. Raises as `create` does."""
        return self._stored(rules, await self._policies.models())

    def _stored(self, rules: Sequence[Rule], models: Sequence[Model]) -> list[dict[str, Any]]:
        """The stored form: targets by id. Raises for the first rule that cannot be kept."""
        kept: list[dict[str, Any]] = []
        for number, rule in enumerate(rules, 1):
            for problem in _problems(rule, models):
                raise type(problem)(f"Rule {number}: {problem.text}", **problem.details, rule=number)
            value = rule.model_dump(mode="json")
            if isinstance(rule, SwitchToModel):
                value["target_model_id"] = str(_target(rule, models))
            kept.append(value)
        kinds = {m.kind for m in models for v in kept if v.get("target_model_id") == str(m.id)}
        if len(kinds) > 1:
            raise PolicyInvalid(
                f"The rules switch to models of several kinds: {', '.join(sorted(kinds))}.",
                reason="several-kinds",
                kinds=sorted(kinds),
            )
        return kept


def _problems(rule: Rule, models: Sequence[Model]) -> list[PolicyInvalid]:
    found: list[PolicyInvalid] = []
    try:
        Condition.compile(rule.condition)
    except ConditionInvalid as error:
        found.append(error)
    if isinstance(rule, SwitchToModel) and _target(rule, models) is None:
        found.append(
            PolicyInvalid(
                f"There is no model {rule.target_model_id} in this workspace.",
                reason="target-unknown",
                target_model_id=rule.target_model_id,
            )
        )
    return found


def _target(rule: SwitchToModel, models: Sequence[Model]) -> UUID | None:
    """The model a rule names by id or by name."""
    wanted = rule.target_model_id
    return next((model.id for model in models if wanted in (str(model.id), model.name)), None)


def _refuse_unfit(model: Model, rules: Sequence[Rule], models: Sequence[Model]) -> None:
    """A model falls back to models of its kind; an embedding model to the same one elsewhere."""
    by_id = {one.id: one for one in models}
    for number, rule in enumerate(rules, 1):
        if not isinstance(rule, SwitchToModel):
            continue
        target = by_id.get(_target(rule, models) or model.id)
        if target is None:
            continue
        if target.id == model.id:
            raise PolicyInvalid(
                f"Rule {number} would switch {model.name} to itself.",
                rule=number,
                reason="to-itself",
                model=model.name,
            )
        if target.kind != model.kind:
            raise PolicyInvalid(
                f"Rule {number} would switch {model.name} ({model.kind}) to {target.name} ({target.kind}).",
                rule=number,
                reason="other-kind",
                model=model.name,
                target=target.name,
            )
        if model.kind == "EMBEDDING" and _vectors(target) != _vectors(model):
            raise PolicyInvalid(
                f"Rule {number} would mix the vectors of {model.model_name} and {target.model_name}: an"
                " embedding model falls back to the same model at another address only.",
                rule=number,
                reason="other-vectors",
                model=model.model_name,
                target=target.model_name,
            )


def _vectors(model: Model) -> tuple[str, int | None]:
    return model.model_name.rsplit("/", 1)[-1].lower(), model.dimensions


def _refuse_circle(models: Sequence[Model], policies: Mapping[UUID, FallbackPolicy]) -> None:
    """Following the policies from any model must end."""
    names = {model.id: model.name for model in models}
    follows: dict[UUID, list[UUID]] = {}
    for model in models:
        policy = policies.get(model.fallback_policy_id) if model.fallback_policy_id is not None else None
        rules: list[dict[str, Any]] = policy.rules if policy is not None else []
        targets = [UUID(rule["target_model_id"]) for rule in rules if rule["action"] == "switch_to_model"]
        follows[model.id] = targets
    done: set[UUID] = set()

    def walk(model_id: UUID, path: list[UUID]) -> None:
        if model_id in path:
            circle = [names.get(one, str(one)) for one in [*path[path.index(model_id) :], model_id]]
            raise PolicyInvalid(
                f"The models would fall back in a circle: {' → '.join(circle)}.",
                reason="circle",
                circle=circle,
            )
        if model_id in done:
            return
        for target in follows.get(model_id, ()):
            walk(target, [*path, model_id])
        done.add(model_id)

    for model in models:
        walk(model.id, [])


def _view(policy: FallbackPolicy, models: Sequence[Model]) -> PolicyView:
    targets = {rule.get("target_model_id") for rule in policy.rules}
    return PolicyView(
        id=policy.id,
        policy_id=policy.policy_id,
        description=policy.description,
        rules=policy.rules,
        models=[_named(model) for model in models if model.fallback_policy_id == policy.id],
        targets=[_named(model) for model in models if str(model.id) in targets],
        created_at=policy.created_at,
        updated_at=policy.updated_at,
    )


def _named(model: Model) -> NamedModel:
    return NamedModel(id=model.id, name=model.name)


def _route(route: PurposeRoute, model: Model) -> PurposeRouteView:
    return PurposeRouteView.model_validate(
        {
            "purpose": route.purpose,
            "kind": route.kind,
            "model": _named(model),
            "updated_at": route.updated_at,
        }
    )


def _audited(policy: FallbackPolicy) -> dict[str, Any]:
    return {"policy_id": policy.policy_id, "description": policy.description, "rules": policy.rules}
