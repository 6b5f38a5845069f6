"""What a call through `/mcp/invoke` is refused or fails for, beside what models fail for."""

from refdesk.gateway.errors import ModelError
from refdesk.kit.errors import Invalid


class ModelInputInvalid(Invalid):
    """The input does not fit the model's input_schema. The model was not called; `details.faults` names each
    field."""

    code = "model-input-invalid"
    message = "The input does not fit the model's input_schema."
    hint = "Nothing was sent to the model. Correct the fields that are named, or the model's input_schema."


class ModelOutputInvalid(ModelError):
    """What the model answered does not fit its output_schema; `details.faults` names each field."""

    code = "model-output-invalid"
    message = "The model's answer does not fit its output_schema."
    hint = "Correct the output_schema in the model's descriptor, or ask the model for another form."


class ModelOutputUndeclared(ModelError):
    """The answer has fields that the output_schema does not declare, and the descriptor refuses those."""

    code = "model-output-undeclared"
    message = "The model's answer has fields that its output_schema does not declare."
    hint = "Declare them in output_schema, or set undeclared_output in the descriptor to filter or declare."


class ModelNoOutput(ModelError):
    """The model answered, but with nothing in it."""

    code = "model-no-output"
    message = "No output returned: the model answered with nothing."
    hint = "Ask again, or raise max_tokens: a model that thinks first may have used all of them."


class ModelQueryInvalid(Invalid):
    """A query for models names a field that models are not found by."""

    code = "model-query-invalid"
    message = "Models are not found by that field."
    hint = "Use words, or model_id:…, kind:…, provider:…, version:…; * stands for anything."
