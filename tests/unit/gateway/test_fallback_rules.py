"""Conditions and decisions of fallback policies, without any call."""

from uuid import UUID

import pytest
from pydantic import ValidationError

from refdesk.gateway import ModelQuota, ModelRateLimited, ModelTimeout, ModelUnavailable
from refdesk.gateway.routing.conditions import Condition, Facts
from refdesk.gateway.routing.errors import ConditionInvalid
from refdesk.gateway.routing.failures import Failure
from refdesk.gateway.routing.policies import (
    AskAgain,
    GiveUp,
    Policy,
    Progress,
    Refuse,
    SwitchTo,
    decide,
)

FIRST, SECOND, THIRD = (UUID(int=n) for n in (1, 2, 3))


def policy(*rules):
    return Policy.compile(UUID(int=9), "p", rules)


def switching(condition="response_code == 503", target=SECOND, **members):
    return {"condition": condition, "action": "switch_to_model", "target_model_id": str(target)} | members


def failure(error=None, latency_s=0.1, **members):
    return Failure.of(error or ModelUnavailable(status_code=503), latency_s, **members)


def none(_model_id):
    return None


def test_a_condition_reads_its_five_variables():
    condition = Condition.compile(
        'response_code == 503 && latency > 10 && error == "model-unavailable" && attempts == 2'
        " && input_tokens > 100"
    )
    assert condition.holds(Facts(503, 11, "model-unavailable", 2, 101))
    assert not condition.holds(Facts(503, 10, "model-unavailable", 2, 101))


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("respons_code == 503", "there is no variable or function respons_code; there are response_code"),
        ("response_code = 503", "not valid at character 15"),
        ("latency", "this one is of type int"),
        ("latency > 2.5", "no matching overload"),
        ("", "Syntax error"),
        ("(" * 400 + "true" + ")" * 400, "not valid: Expression recursion limit"),
        ("true || " * 200 + "true", "at most 1000 characters"),
    ],
)
def test_a_condition_that_is_not_valid_says_what_and_where(source, said):
    with pytest.raises(ConditionInvalid) as caught:
        Condition.compile(source)
    assert said in caught.value.text


def test_a_condition_that_cannot_be_computed_does_not_hold():
    assert not Condition.compile("100 / (attempts - attempts) > 0").holds(Facts(attempts=1))


def test_the_example_of_the_requirements():
    """Three 503 in a row switch; a 429 waits a second."""
    rules = policy(
        switching("response_code == 503 || latency > 5000", retry_times=2),
        {"condition": "response_code == 429", "action": "rate_limit", "delay_ms": 1000},
    )
    progress = Progress([FIRST])
    decisions = []
    for _ in range(3):
        progress.asked()
        decisions.append(decide(rules, progress, failure(), 10, none)[0])
    assert decisions == [AskAgain(0.0, 1), AskAgain(0.0, 1), SwitchTo(SECOND, 1)]
    limited = failure(ModelRateLimited(status_code=429))
    assert decide(rules, Progress([FIRST]), limited, 10, none)[0] == AskAgain(1.0, 2)


def test_a_failed_backup_is_followed_by_the_next_rule_and_never_by_a_model_asked_before():
    rules = policy(switching(), switching(target=THIRD))
    progress = Progress([FIRST])
    assert decide(rules, progress, failure(), 1, none)[0] == SwitchTo(SECOND, 1)
    progress.moved(SECOND)
    assert decide(rules, progress, failure(), 1, none)[0] == SwitchTo(THIRD, 2)
    progress.moved(THIRD)
    decision, looks = decide(rules, progress, failure(), 1, none)
    assert isinstance(decision, GiveUp)
    assert [look.note for look in looks] == ["does not switch: it was asked already"] * 2


def test_a_model_that_is_not_to_be_asked_is_left_at_once():
    rules = policy(
        {"condition": "response_code == 503", "action": "retry", "retry_times": 5},
        switching(retry_times=5),
    )
    resting = failure(may_retry=False)
    assert decide(rules, Progress([FIRST]), resting, 1, none)[0] == SwitchTo(SECOND, 2)


def test_a_target_that_cannot_be_used_is_passed_over_with_the_reason():
    decision, looks = decide(policy(switching()), Progress([FIRST]), failure(), 1, lambda _id: "it is gone")
    assert isinstance(decision, GiveUp)
    assert looks[0].note == "does not switch: it is gone"


def test_backoff_doubles_and_the_vendors_word_counts():
    rules = policy({"condition": "true", "action": "retry", "retry_times": 3, "backoff_ms": 100})
    progress = Progress([FIRST])
    waits = [decide(rules, progress, failure(), 1, none)[0] for _ in range(4)]
    assert waits[:3] == [AskAgain(0.1, 1), AskAgain(0.2, 1), AskAgain(0.4, 1)]
    assert isinstance(waits[3], GiveUp)
    named = failure(ModelRateLimited(retry_after_s=7))
    assert decide(rules, Progress([FIRST]), named, 1, none)[0] == AskAgain(7.0, 1)
    too_long = failure(ModelRateLimited(retry_after_s=3600))
    assert isinstance(decide(rules, Progress([FIRST]), too_long, 1, none)[0], GiveUp)


def test_a_rule_may_refuse():
    rules = policy({"condition": 'error == "model-quota"', "action": "reject", "message": "No money left."})
    assert decide(rules, Progress([FIRST]), failure(ModelQuota()), 1, none)[0] == Refuse("No money left.", 1)


@pytest.mark.parametrize(
    ("condition", "patience"),
    [
        ("response_code == 503 || latency > 5000", 5001),
        ("response_code >= 500 || latency >= 800", 801),
        ('latency > 300 && error == "model-timeout"', None),
        ("latency > 700 && attempts == 0", 701),
        ("latency < 5000", None),
        ("response_code == 503", None),
    ],
)
def test_how_long_a_policy_waits_for_the_first_token(condition, patience):
    assert policy(switching(condition)).patience_ms(Facts()) == patience


def test_failures_without_a_status_have_the_code_a_proxy_would_send():
    assert Failure.of(ModelUnavailable(), 0).response_code == 503
    assert Failure.of(ModelTimeout(), 0).response_code == 504
    memory = Failure.of(ModelUnavailable(status_code=500, vendor_message="CUDA out of memory"), 0)
    assert (memory.response_code, memory.trips) == (503, True)


@pytest.mark.parametrize(
    "rule",
    [
        {"condition": "true", "action": "explode"},
        {"condition": "true", "action": "switch_to_model"},
        {"condition": "true", "action": "reject"},
        {"condition": "true", "action": "retry", "retry_times": 99},
        {"condition": "true", "action": "retry", "unknown": 1},
    ],
)
def test_a_rule_of_another_form_is_refused(rule):
    with pytest.raises(ValidationError):
        policy(rule)
