"""What can go wrong with stored tools."""

from refdesk.kit.errors import Conflict, Invalid, NotFound


class StoredToolExists(Conflict):
    """Two stored tools of one workspace cannot have one name."""

    code = "stored-tool-exists"
    message = "There is a tool of that name already."


class ToolSchemaInvalid(Invalid):
    """The parameters are no JSON Schema of an object, or do not fit the code; `details` names what."""

    code = "tool-schema-invalid"
    message = "The parameters of the tool cannot be used."


class ToolInterfaceNotFound(NotFound):
    """No HTTP interface of this id in the workspace."""

    code = "tool-interface-not-found"
    message = "There is no such interface."


class ToolInterfaceExists(Conflict):
    """Two HTTP interfaces of one workspace cannot have one name."""

    code = "tool-interface-exists"
    message = "There is an interface of that name already."
