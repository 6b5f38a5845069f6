"""What can go wrong with tools and their servers. None tells a secret."""

from refdesk.kit.errors import AppError, Conflict, Forbidden, Invalid, NotFound


class ToolNotFound(NotFound):
    """No tool of this id can be used in the workspace."""

    code = "tool-not-found"
    message = "There is no such tool."


class ToolInactive(Conflict):
    """The tool or its server is switched off."""

    code = "tool-inactive"
    message = "The tool is switched off."


class ToolArgumentsInvalid(Invalid):
    """The arguments do not fit the tool's parameters; `details.faults` names each."""

    code = "tool-arguments-invalid"
    message = "The arguments do not fit the tool."


class ToolServerNotFound(NotFound):
    """No tool server of this id in the workspace."""

    code = "tool-server-not-found"
    message = "There is no such tool server."


class ToolServerExists(Conflict):
    """Two tool servers of one workspace cannot have one name."""

    code = "tool-server-exists"
    message = "There is a tool server of that name already."


class ToolServerConfigInvalid(Invalid):
    """The settings of a tool server do not fit its kind; `details` names what."""

    code = "tool-server-config-invalid"
    message = "The settings of the tool server cannot be used."


class ToolServersUnreadable(Invalid):
    """What was given is not the usual JSON of tool servers."""

    code = "tool-servers-unreadable"
    message = "This is not a list of tool servers."
    hint = 'Give JSON such as {"mcpServers": {"orders": {"url": "https://example.com/mcp"}}}.'


class ToolCommandForbidden(Forbidden):
    """Tool servers that run a command on the server's machine are not for this caller, or for nobody here."""

    code = "tool-command-forbidden"
    message = "You may not keep tool servers that run a command on this machine."
    hint = "Who may is set by REFDESK_TOOL_COMMANDS."


class ToolSecretNeeded(Invalid):
    """A stored secret goes only where it was entered for: another address wants it entered again."""

    code = "tool-secret-needed"
    message = "The secrets are not sent to another address. Enter them again, or remove them."


class ToolVariableMissing(Invalid):
    """A variable that the settings of a tool server use has no value; `details.names` are its names."""

    code = "tool-variable-missing"
    message = "A variable of the tool server has no value."
    hint = "Enter its value on the page of the tool server."


class ToolCredentialMissing(Invalid):
    """The tool server wants credentials of each person, and this one has entered none."""

    code = "tool-credential-missing"
    message = "Enter your own credentials for this tool server first."


class ToolSignInUnknown(NotFound):
    """An answer of an authorization server that nobody waits for: too late, another person's, or forged."""

    code = "tool-sign-in-unknown"
    message = "This sign-in is not known, or it is over."
    hint = "Begin it again on the page of the tool server."


class ToolServerFailed(AppError):
    """A tool server did not do what it should."""

    code = "tool-server-failed"
    status = 502
    message = "The tool server failed."


class ToolServerUnreachable(ToolServerFailed):
    """Nothing answers at the address of the tool server."""

    code = "tool-server-unreachable"
    message = "The tool server cannot be reached."


class ToolServerTimeout(ToolServerFailed):
    """The tool server did not answer in time."""

    code = "tool-server-timeout"
    status = 504
    message = "The tool server did not answer in time."


class ToolServerAuthentication(ToolServerFailed):
    """The tool server does not take the credentials."""

    code = "tool-server-authentication"
    message = "The tool server does not take the credentials."


class ToolServerNoMcp(ToolServerFailed):
    """What answers there does not speak the Model Context Protocol."""

    code = "tool-server-no-mcp"
    message = "What answers there does not speak the Model Context Protocol."
    hint = "Check the address: it often ends with /mcp, or with /sse for the older transport."


class ToolServerCommandFailed(ToolServerFailed):
    """The command of a tool server cannot be started, or ended at once."""

    code = "tool-server-command-failed"
    message = "The command of the tool server cannot be run."


class ToolServerLost(ToolServerFailed):
    """The connection ended in the middle of a call; whether the call took effect is not known."""

    code = "tool-server-lost"
    message = "The tool server went away during the call."


class ToolResultTooLarge(ToolServerFailed):
    """A tool server sent more than the limit."""

    code = "tool-result-too-large"
    message = "The tool sent more than is accepted."
    hint = "The limit is set by REFDESK_TOOL_MAX_MESSAGE_BYTES."
