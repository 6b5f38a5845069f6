"""Errors of applications and of the OpenAI-compatible interface."""

from refdesk.kit.errors import AppError, Conflict, Invalid, NotFound


class ApplicationNotFound(NotFound):
    """The application does not exist in this workspace."""

    code = "application-not-found"
    message = "There is no application by that id in this workspace."


class ApplicationNameTaken(Conflict):
    """Two applications of a workspace cannot have the same name."""

    code = "application-name-taken"
    message = "An application of this name exists already."
    hint = "Choose another name."


class ApplicationBasesUnknown(Invalid):
    """An application names knowledge bases that are not in its workspace."""

    code = "application-bases-unknown"
    message = "Some of the knowledge bases do not exist in this workspace."


class ApplicationModelUnsuitable(Invalid):
    """The model of an application must be a language model of its workspace."""

    code = "application-model-unsuitable"
    message = "The model must be a language model of this workspace."
    hint = "Choose one of kind LLM, or none: the answer then quotes the documents."


class ApplicationRerankerUnsuitable(Invalid):
    """The reranker of an application must be a reranker of its workspace."""

    code = "application-reranker-unsuitable"
    message = "The reranker must be a model of kind RERANKER of this workspace."
    hint = "Choose one of the rerankers under Models, or none."


class PromptIncomplete(Invalid):
    """A prompt template lacks a variable without which it cannot work; `template` names it, `missing` what it
    lacks."""

    code = "prompt-incomplete"
    message = "A prompt lacks a variable that it must contain."
    hint = "{data} is replaced by what was found, {question} by the question."


class PromptVariableUnknown(Invalid):
    """A prompt template holds a variable that nothing replaces; `template` names the template, `unknown` the
    variables."""

    code = "prompt-variable-unknown"
    message = "A prompt holds a variable that does not exist."
    hint = "There are {data} and {question}; write other braces with a space, as in { order }."


class ModelNameUnknown(NotFound):
    """`model` of an OpenAI-compatible request names nothing this key may use."""

    code = "model_not_found"
    message = "There is no application or knowledge base of that name."
    hint = "`GET /v1/models` lists what this key may use."


class MessagesInvalid(Invalid):
    """The messages of an OpenAI-compatible request cannot be answered."""

    code = "messages-invalid"
    message = "The last message must come from the user and hold text."


class McpHostRefused(AppError):
    """The Model Context Protocol is served under known host names only, against DNS rebinding."""

    code = "mcp-host-refused"
    status = 421
    message = "The Model Context Protocol is not served under this host name."
    hint = "Name the host in REFDESK_MCP_HOSTS, or set REFDESK_PUBLIC_URL."


class ApplicationAnswerFailed(AppError):
    """An application that another one asked gave no answer; `details.run_code` is its own run's code."""

    code = "application-answer-failed"
    status = 502
    message = "The application gave no answer."
