"""What would happen: the policy's own decisions over outcomes that somebody made up. Asks no model."""

from collections.abc import Callable, Mapping
from typing import Any, Literal
from uuid import UUID

from refdesk.gateway.errors import (
    ModelAuthentication,
    ModelBadResponse,
    ModelContextExceeded,
    ModelError,
    ModelInterrupted,
    ModelNotThere,
    ModelQuota,
    ModelRateLimited,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
)
from refdesk.gateway.routing.breaker import Breaker
from refdesk.gateway.routing.conditions import Facts
from refdesk.gateway.routing.failures import Failure
from refdesk.gateway.routing.policies import (
    AskAgain,
    GiveUp,
    Policy,
    Progress,
    Refusal,
    Refuse,
    SwitchTo,
    decide,
)
from refdesk.gateway.routing.schemas import DryRun, DryRunDraft, DryRunStep, Happening, NamedModel, RuleLook
from refdesk.gateway.routing.snapshot import RoutedModel
from refdesk.gateway.routing.wording import resting

_KINDS: tuple[type[ModelError], ...] = (
    ModelAuthentication,
    ModelBadResponse,
    ModelContextExceeded,
    ModelInterrupted,
    ModelNotThere,
    ModelQuota,
    ModelRateLimited,
    ModelRefused,
    ModelTimeout,
    ModelUnavailable,
)
_BY_CODE = {kind.code: kind for kind in _KINDS}
_BY_STATUS: dict[int, type[ModelError]] = {
    401: ModelAuthentication,
    403: ModelAuthentication,
    402: ModelQuota,
    404: ModelNotThere,
    408: ModelTimeout,
    429: ModelRateLimited,
    504: ModelTimeout,
}
_WELL = Happening()

type Find = Callable[[UUID], RoutedModel | None]
type PolicyOf = Callable[[RoutedModel], Policy | None]


def dry_run(draft: DryRunDraft, model: RoutedModel, find: Find, policy_of: PolicyOf) -> DryRun:
    """The steps of a call as the flow would take them."""
    progress = Progress([model.id])
    policy = policy_of(model)
    happenings: Mapping[UUID, Happening] = {**draft.others, model.id: draft.happening}
    times: dict[UUID, int] = {}
    steps: list[DryRunStep] = []
    clock = 0
    is_resting = draft.breaker_open

    def refusal(model_id: UUID) -> str | None:
        target = find(model_id)
        if target is None:
            return "it is gone"
        return None if target.row.kind == model.row.kind else f"it is of the kind {target.row.kind}"

    while True:
        named = NamedModel(id=model.id, name=model.row.name)
        if is_resting and model.id == draft.model_id:
            error = resting(model, Breaker("open", model.check.failure_threshold), None)
            failure, took, words = (
                Failure.of(error, 0.0, may_retry=False),
                0,
                "is not asked: its breaker is open",
            )
        else:
            progress.asked()
            nth = times[model.id] = times.get(model.id, 0) + 1
            patience = _patience_ms(policy, progress, draft, refusal)
            failure, took, words = _outcome(happenings.get(model.id, _WELL), nth, patience)
        clock += took
        cut = _cut(model, draft, is_backup=len(progress.visited) > 1)
        step = DryRunStep(
            model=named,
            attempt=progress.total,
            at_ms=clock,
            outcome=_outcome_code(failure, is_asked=took > 0 or failure is None or failure.may_retry),
            took_ms=took,
            reason=failure.reason if failure is not None else "",
            happened=words,
            ok=failure is None,
            rules=[],
            next="answer",
            truncated_to=cut,
        )
        steps.append(step)
        if failure is None:
            note = f" The input is cut to {cut} tokens." if cut else ""
            return _ended(steps, clock, named, None, f"{named.name} answers.{note}")
        decision, looks = decide(policy, progress, failure, draft.input_tokens, refusal)
        step.rules = [RuleLook(rule=look.rule, code=look.code, note=look.note) for look in looks]
        match decision:
            case AskAgain(wait_s):
                step.next, step.wait_ms = "again", int(wait_s * 1000)
                clock += step.wait_ms
            case SwitchTo(model_id):
                step.next = "switch"
                found = find(model_id)
                assert found is not None
                model, policy = found, policy_of(found) or policy
                progress.moved(model.id)
            case Refuse(message):
                step.next = "reject"
                return _ended(steps, clock, None, "model-call-rejected", message)
            case GiveUp(reason):
                step.next = "give-up"
                hint = f" {failure.error.hint_text}" if failure.error.hint_text else ""
                words = f"{failure.error.text}{hint} ({reason})"
                return _ended(steps, clock, None, failure.code, words, failure.error.details)


def _patience_ms(
    policy: Policy | None, progress: Progress, draft: DryRunDraft, refusal: Refusal
) -> int | None:
    """As the flow has it: no patience ends where nothing would follow."""
    if policy is None:
        return None
    moment = policy.patience_ms(Facts(attempts=progress.attempts, input_tokens=draft.input_tokens))
    if moment is None:
        return None
    late = Failure.of(ModelTimeout(), moment / 1000)
    then, _ = decide(policy, progress.copy(), late, draft.input_tokens, refusal)
    return None if isinstance(then, GiveUp) else moment


def _outcome(happening: Happening, nth: int, patience_ms: int | None) -> tuple[Failure | None, int, str]:
    """The failure if there is one, how long it takes, and what happens in words."""
    answers = happening.response_code < 400 and happening.error is None
    if happening.first is not None and nth > happening.first:
        return None, _WELL.latency_ms, f"answers after {_WELL.latency_ms} ms"
    took = happening.latency_ms
    if patience_ms is not None and took >= patience_ms:
        late = ModelTimeout(timeout_s=patience_ms / 1000)
        return (
            Failure.of(late, patience_ms / 1000),
            patience_ms,
            f"has not begun after {patience_ms} ms, which the policy allows",
        )
    if answers:
        return None, took, f"answers after {took} ms"
    error = _error(happening)
    failure = Failure.of(error, took / 1000)
    return failure, took, f"fails with {failure.reason} after {took} ms"


def _outcome_code(
    failure: Failure | None, *, is_asked: bool
) -> Literal["answers", "fails", "is-late", "is-not-asked"]:
    if failure is None:
        return "answers"
    if not is_asked:
        return "is-not-asked"
    return (
        "is-late"
        if isinstance(failure.error, ModelTimeout) and not failure.error.details.get("status_code")
        else "fails"
    )


def _error(happening: Happening) -> ModelError:
    status = happening.response_code
    kind = _BY_CODE.get(happening.error or "") or _BY_STATUS.get(status)
    if kind is None:
        kind = ModelUnavailable if status >= 500 else ModelRefused
    details: dict[str, Any] = {"vendor_message": happening.message}
    if status >= 400:
        details["status_code"] = status
    if happening.retry_after_s is not None:
        details["retry_after_s"] = happening.retry_after_s
    return kind(**details)


def _cut(model: RoutedModel, draft: DryRunDraft, *, is_backup: bool) -> int | None:
    context = model.abilities.context_tokens
    return context if is_backup and draft.input_tokens > context else None


def _ended(
    steps: list[DryRunStep],
    clock: int,
    answered_by: NamedModel | None,
    code: str | None,
    message: str,
    details: dict[str, Any] | None = None,
) -> DryRun:
    return DryRun(
        steps=steps,
        ok=answered_by is not None,
        answered_by=answered_by,
        code=code,
        message=message,
        details=details or {},
        waited_ms=clock,
    )
