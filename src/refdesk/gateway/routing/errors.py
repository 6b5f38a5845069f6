"""What routing refuses."""

from refdesk.gateway.errors import ModelError
from refdesk.kit.errors import Conflict, Invalid, NotFound


class ModelLacksCapability(ModelError):
    """The model cannot do what the call demands, and no policy names one that can; `details.capability`."""

    code = "model-lacks-capability"
    status = 422
    message = "The model cannot do what is asked of it."
    hint = "Choose another model, or correct what it can do on its page."


class ModelCallRejected(ModelError):
    """A rule of the fallback policy refuses the call; the message is the rule's."""

    code = "model-call-rejected"
    status = 503
    message = "The call was refused by the model's fallback policy."


class PolicyNotFound(NotFound):
    """No fallback policy by that id in this workspace."""

    code = "policy-not-found"
    message = "There is no such fallback policy in this workspace."


class PolicyInvalid(Invalid):
    """A fallback policy cannot be kept as it is; `details.rule` is the number of the rule, from 1."""

    code = "policy-invalid"
    message = "The fallback policy is not valid."


class ConditionInvalid(PolicyInvalid):
    """A condition is no valid expression."""

    code = "condition-invalid"
    message = "The condition is not valid."
    hint = "Conditions are CEL, as in: response_code == 503 || latency > 5000"


class PolicyNameTaken(Conflict):
    """Two policies of a workspace cannot have one policy_id."""

    code = "policy-name-taken"
    message = "A fallback policy of this policy_id exists already."


class PolicyInUse(Conflict):
    """Models fall back by this policy."""

    code = "policy-in-use"
    message = "Models use this fallback policy."
    hint = "Give those models another policy, or none, first."


class RouteNotFound(NotFound):
    """The purpose has no model of its own in this workspace."""

    code = "purpose-route-not-found"
    message = "This purpose has no model of its own."


class NothingToProbe(Invalid):
    """The model has no health endpoint that could be asked."""

    code = "nothing-to-probe"
    message = "This model has no health endpoint."
    hint = "Set health_check.path on the model, as /health or models."
