"""What descriptors are refused for."""

from refdesk.kit.errors import Invalid


class DescriptorInvalid(Invalid):
    """Model descriptors cannot be taken as they are; `details.problems` names document, field and line of
    each fault."""

    code = "descriptor-invalid"
    message = "The model descriptor is not valid."
    hint = "Correct what is named and check it again before it is applied."


class DescriptorUnreadable(Invalid):
    """What was given is no YAML that is read here; `details.line` is where."""

    code = "descriptor-unreadable"
    message = "This is not YAML that can be read."
    hint = "Give at most 1 MB of plain YAML: no tags, no keys twice, few aliases."


class SchemaInvalid(Invalid):
    """A JSON Schema is not one of draft 7, or uses a part of it that is not taken here; `details.path` tells
    where in the schema."""

    code = "schema-invalid"
    message = "This is not a JSON Schema of draft 7."
