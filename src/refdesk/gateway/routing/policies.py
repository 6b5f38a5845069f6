"""Deciding what follows a failure: the rules of a policy over what has happened so far in one call.

Pure: it looks at no clock, no network and no database, so a dry run is the same code as a call. Every rule
that was looked at leaves a line that says why it did or did not apply.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID

from refdesk.gateway.routing.conditions import Condition, Facts
from refdesk.gateway.routing.failures import Failure
from refdesk.gateway.routing.rules import MAX_WAIT_MS, RateLimit, Reject, Retry, Rule, Rules, SwitchToModel

MAX_ATTEMPTS = 25
"""Of one call, over all its models: what bounds a policy of many rules."""


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy ready to be asked. `targets` are the models its rules switch to, by the rule's place."""

    id: UUID
    policy_id: str
    rules: tuple[Rule, ...]
    conditions: tuple[Condition, ...]
    targets: Mapping[int, UUID]

    @classmethod
    def compile(cls, id: UUID, policy_id: str, rules: Sequence[object]) -> "Policy":
        """From the stored form. Raises `ConditionInvalid`, or pydantic's error for another form."""
        parsed = Rules.model_validate({"rules": list(rules)}).rules
        conditions = tuple(Condition.compile(rule.condition) for rule in parsed)
        targets = {at: UUID(r.target_model_id) for at, r in enumerate(parsed) if isinstance(r, SwitchToModel)}
        return cls(id, policy_id, tuple(parsed), conditions, targets)

    @property
    def is_timed(self) -> bool:
        """Whether any rule speaks of `latency`."""
        return any(condition.limits_ms for condition in self.conditions)

    def patience_ms(self, facts: Facts) -> int | None:
        """When waiting for the first token becomes a failure: the first moment at which a rule that speaks of
        `latency` holds, taken as a timeout. None where none ever does."""
        moments = sorted({limit + 1 for condition in self.conditions for limit in condition.limits_ms})
        timed = [condition for condition in self.conditions if condition.limits_ms]
        for moment in moments:
            if any(_is_about_time(condition, moment, facts) for condition in timed):
                return moment
        return None


def _is_about_time(condition: Condition, moment: int, facts: Facts) -> bool:
    """Whether the time alone makes it true: it would not hold at once, does while nothing has failed, and
    does when the wait is then called a timeout."""
    attempts, tokens = facts.attempts, facts.input_tokens
    return (
        not condition.holds(Facts(0, 0, "", attempts, tokens))
        and condition.holds(Facts(0, moment, "", attempts, tokens))
        and condition.holds(Facts(504, moment, "model-timeout", attempts, tokens))
    )


@dataclass(frozen=True, slots=True)
class AskAgain:
    """The same model, after a wait."""

    wait_s: float
    rule: int


@dataclass(frozen=True, slots=True)
class SwitchTo:
    model_id: UUID
    rule: int


@dataclass(frozen=True, slots=True)
class Refuse:
    message: str
    rule: int


@dataclass(frozen=True, slots=True)
class GiveUp:
    """No rule has anything left to do: the failure is the answer."""

    reason: str


type Decision = AskAgain | SwitchTo | Refuse | GiveUp


type LookCode = Literal[
    "does-not-hold", "again", "switches", "refuses", "not-to-be-asked", "spent", "waits-too-long", "no-target"
]


@dataclass(frozen=True, slots=True)
class Look:
    """What became of one rule: its number from 1, whether its condition held, and why it applied or not."""

    rule: int
    code: LookCode
    note: str

    @property
    def held(self) -> bool:
        return self.code != "does-not-hold"


@dataclass(slots=True)
class Progress:
    """What has happened in one call. `attempts` are those of the present model."""

    visited: list[UUID]
    attempts: int = 0
    total: int = 0
    used: dict[tuple[UUID, int, UUID], int] = field(default_factory=dict[tuple[UUID, int, UUID], int])

    @property
    def model_id(self) -> UUID:
        return self.visited[-1]

    def copy(self) -> "Progress":
        return Progress(list(self.visited), self.attempts, self.total, dict(self.used))

    def asked(self) -> None:
        self.attempts += 1
        self.total += 1

    def moved(self, model_id: UUID) -> None:
        self.visited.append(model_id)
        self.attempts = 0

    def spend(self, policy: Policy, rule: int) -> int:
        """How often the rule asked the present model again, this time included."""
        key = (policy.id, rule, self.model_id)
        self.used[key] = self.used.get(key, 0) + 1
        return self.used[key]

    def spent(self, policy: Policy, rule: int) -> int:
        return self.used.get((policy.id, rule, self.model_id), 0)


type Refusal = Callable[[UUID], str | None]
"""Why a model cannot be switched to now; None where it can."""


def decide(
    policy: Policy | None, progress: Progress, failure: Failure, input_tokens: int, refusal: Refusal
) -> tuple[Decision, list[Look]]:
    """What to do after a failure, and what was looked at on the way. A rule's uses are counted in
    `progress`."""
    looks: list[Look] = []
    if policy is None:
        return GiveUp("the model has no fallback policy"), looks
    if progress.total >= MAX_ATTEMPTS:
        return GiveUp(f"a call makes at most {MAX_ATTEMPTS} attempts"), looks
    facts = Facts(
        failure.response_code, failure.latency_ms, failure.code, max(progress.attempts, 1), input_tokens
    )
    for at, (rule, condition) in enumerate(zip(policy.rules, policy.conditions, strict=True)):
        if not condition.holds(facts):
            looks.append(Look(at + 1, "does-not-hold", "does not hold"))
            continue
        decision, code, note = _apply(policy, at, rule, progress, failure, refusal)
        looks.append(Look(at + 1, code, note))
        if decision is not None:
            return decision, looks
    return GiveUp("no rule has anything left to do"), looks


def _apply(
    policy: Policy, at: int, rule: Rule, progress: Progress, failure: Failure, refusal: Refusal
) -> tuple[Decision | None, LookCode, str]:
    match rule:
        case Reject(message=message):
            return Refuse(message, at + 1), "refuses", "refuses the call"
        case SwitchToModel(retry_times=times):
            if failure.may_retry and progress.spent(policy, at) < times:
                nth = progress.spend(policy, at)
                return AskAgain(0.0, at + 1), "again", f"asks again before switching ({nth} of {times})"
            target = policy.targets[at]
            why = "it was asked already" if target in progress.visited else refusal(target)
            if why is None:
                return SwitchTo(target, at + 1), "switches", "switches"
            return None, "no-target", f"does not switch: {why}"
        case RateLimit(delay_ms=delay, retry_times=times):
            return _again(policy, at, times, lambda _nth: delay, progress, failure)
        case Retry(backoff_ms=backoff, retry_times=times):
            return _again(policy, at, times, lambda nth: backoff * 2 ** (nth - 1), progress, failure)


def _again(
    policy: Policy,
    at: int,
    times: int,
    wait_ms: Callable[[int], float],
    progress: Progress,
    failure: Failure,
) -> tuple[Decision | None, LookCode, str]:
    if not failure.may_retry:
        return None, "not-to-be-asked", "does not ask again: the model is not to be asked now"
    if progress.spent(policy, at) >= times:
        return None, "spent", f"has asked again {times} times already"
    named_ms = (failure.retry_after_s or 0.0) * 1000
    if named_ms > MAX_WAIT_MS:
        return None, "waits-too-long", f"does not wait {named_ms / 1000:.0f} s, as the vendor asks"
    nth = progress.spend(policy, at)
    wait = max(min(wait_ms(nth), MAX_WAIT_MS), named_ms)
    return AskAgain(wait / 1000, at + 1), "again", f"asks again after {wait:.0f} ms ({nth} of {times})"


def spread(wait_s: float) -> float:
    """The wait with up to a fifth more, so that callers who failed together do not come back together."""
    return wait_s * (1 + random.random() / 5)
