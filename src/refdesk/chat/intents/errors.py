"""Errors of intents."""

from refdesk.kit.errors import Conflict, Invalid, NotFound, TooLarge


class IntentNotFound(NotFound):
    """The application has no intent by that id, or it is deleted."""

    code = "intent-not-found"
    message = "The application has no intent by that id."


class IntentCodeTaken(Conflict):
    """Two intents of an application cannot have the same code."""

    code = "intent-code-taken"
    message = "Another intent of this application has this code."
    hint = "Choose another code."


class IntentToolMissing(Invalid):
    """An intent of kind MCP names the tool that answers it."""

    code = "intent-tool-missing"
    message = "An intent of kind MCP (2) needs a tool."
    hint = "Choose the tool that answers such questions, or another kind."


class IntentPlaceInvalid(Invalid):
    """An intent cannot stand below itself, nor deeper than domain, category and topic."""

    code = "intent-place-invalid"
    message = "The intent cannot stand there."
    hint = "A tree has at most three levels, and nothing stands below itself."


class IntentBasesUnknown(Invalid):
    """An intent is bound to knowledge bases that are not in the workspace."""

    code = "intent-bases-unknown"
    message = "Some of the knowledge bases do not exist in this workspace."


class TooManyIntents(TooLarge):
    """An application has at most 1,000 intents with 20,000 examples in all."""

    code = "too-many-intents"
    message = "That would be more intents or examples than an application can have."


class IntentFileInvalid(Invalid):
    """A file of intents or examples that cannot be taken in; the details name the first places."""

    code = "intent-file-invalid"
    message = "The file cannot be read as intents."
    hint = "Export a tree to see the form, or see the documentation of intents."
