"""Policies, purposes and health at the border."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from refdesk.gateway.kinds import Kind
from refdesk.gateway.routing.checks import HealthCheck
from refdesk.gateway.routing.policies import LookCode
from refdesk.gateway.routing.rules import MAX_RULES, Rule
from refdesk.kit.border_types import CleanText, PlainLine


class PolicyDraft(BaseModel):
    """A fallback policy as entered. `policy_id` is its name in descriptors."""

    model_config = ConfigDict(extra="forbid")

    policy_id: PlainLine = Field(min_length=1, max_length=100)
    description: CleanText = Field(default="", max_length=500)
    rules: list[Rule] = Field(min_length=1, max_length=MAX_RULES)


class PolicyChange(BaseModel):
    """Members that are present are changed."""

    model_config = ConfigDict(extra="forbid")

    policy_id: PlainLine | None = Field(default=None, min_length=1, max_length=100)
    description: CleanText | None = Field(default=None, max_length=500)
    rules: list[Rule] | None = Field(default=None, min_length=1, max_length=MAX_RULES)


class NamedModel(BaseModel):
    """A model as others speak of it."""

    id: UUID
    name: str


class PolicyView(BaseModel):
    """A policy as shown: `models` fall back by it, `targets` are those its rules switch to."""

    id: UUID
    policy_id: str
    description: str
    rules: list[Rule]
    models: list[NamedModel]
    targets: list[NamedModel]
    created_at: datetime
    updated_at: datetime


class RulesDraft(BaseModel):
    """Rules being entered. `policy`: the one they are to replace, None for a new one."""

    model_config = ConfigDict(extra="forbid")

    rules: list[Rule] = Field(max_length=MAX_RULES)
    policy: UUID | None = None


class RuleFault(BaseModel):
    """What is wrong with a rule (its number from 1), or with the policy as a whole (null). `details` hold the
    facts, for those who say it in another language; `reason` among them tells faults of one code apart."""

    rule: int | None
    code: str
    message: str
    details: dict[str, Any] = {}


class RulesCheck(BaseModel):
    """Whether rules could be saved."""

    ok: bool
    faults: list[RuleFault]
    variables: dict[str, str] = Field(description="What conditions may speak of.")


class Happening(BaseModel):
    """What a model does in a dry run: answers after `latency_ms`, or fails after it.

    `response_code` below 400 is an answer. `error` is a code as `model-context-exceeded`; without one it is
    what the response code means. `first` is for a model that fails so often and answers then.
    """

    model_config = ConfigDict(extra="forbid")

    response_code: int = Field(default=200, ge=100, le=599)
    latency_ms: int = Field(default=100, ge=0, le=3_600_000)
    error: PlainLine | None = Field(default=None, max_length=64)
    message: CleanText = Field(default="", max_length=500, description="The server's own words.")
    retry_after_s: float | None = Field(default=None, ge=0, le=86_400)
    first: int | None = Field(default=None, ge=1, le=25)


class DryRunDraft(BaseModel):
    """What would happen? `rules` are tried in place of the model's own policy; models that are not named in
    `others` answer at once."""

    model_config = ConfigDict(extra="forbid")

    model_id: UUID
    happening: Happening
    others: dict[UUID, Happening] = Field(default_factory=dict[UUID, Happening], max_length=50)
    rules: list[Rule] | None = Field(default=None, max_length=MAX_RULES)
    input_tokens: int = Field(default=1_000, ge=0, le=100_000_000)
    breaker_open: bool = Field(default=False, description="As if the model's breaker were open already.")


class RuleLook(BaseModel):
    """What became of one rule, as a code and in words."""

    rule: int
    code: LookCode
    note: str


class DryRunStep(BaseModel):
    """One attempt: what the model did, which rules were looked at, what follows."""

    model: NamedModel
    attempt: int
    at_ms: int = Field(description="When the attempt ends, from the beginning of the call.")
    outcome: Literal["answers", "fails", "is-late", "is-not-asked"]
    took_ms: int
    reason: str = Field(description="Response code and code of the error; empty for an answer.")
    happened: str = Field(description="The same in words.")
    ok: bool
    rules: list[RuleLook]
    next: Literal["answer", "again", "switch", "reject", "give-up"]
    wait_ms: int = 0
    truncated_to: int | None = None


class DryRun(BaseModel):
    """Every step, and how the call ends for whoever asked."""

    steps: list[DryRunStep]
    ok: bool
    answered_by: NamedModel | None
    code: str | None
    message: str
    details: dict[str, Any] = Field(default={}, description="The facts of the refusal, as of any problem.")
    waited_ms: int = Field(description="Until the first token, or until the refusal.")


class RouteDraft(BaseModel):
    """The model that serves a purpose."""

    model_config = ConfigDict(extra="forbid")

    model_id: UUID


class PurposeRouteView(BaseModel):
    """A purpose with its model."""

    purpose: str
    kind: Kind
    model: NamedModel
    updated_at: datetime


class ProbeView(BaseModel):
    """What an active health check found, in words for people."""

    at: datetime
    ok: bool
    finding: Literal["good", "slow", "missing", "failing", "timeout", "unreachable"]
    status: int | None
    latency_ms: int
    message: str


class SlaView(BaseModel):
    """Attempts and failures of a span; `figure` is the share that did not fail, null without any."""

    calls: int
    failures: int
    figure: float | None


class ModelHealthView(BaseModel):
    """One model on the health board."""

    model: NamedModel
    kind: Kind
    provider: str
    state: Literal["closed", "open", "half_open"]
    failures_in_a_row: int
    retry_at: datetime | None
    changed_at: datetime | None
    last_failure: dict[str, Any] | None
    last_probe: ProbeView | None
    health_check: HealthCheck
    policy: str | None
    day: SlaView
    month: SlaView
