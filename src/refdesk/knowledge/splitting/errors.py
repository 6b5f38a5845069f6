"""Why a text cannot be split as asked."""

from refdesk.kit.errors import Invalid


class SettingsInvalid(Invalid):
    """A split setting is out of its range."""

    code = "split-settings-invalid"
    message = "The split settings cannot be used."


class PatternInvalid(Invalid):
    """A user pattern is not a regular expression."""

    code = "pattern-invalid"
    message = "A split pattern is not a valid regular expression."
    hint = "Check brackets and escapes of the pattern named in the details."


class PatternTooSlow(Invalid):
    """A user pattern takes longer on this text than the limit allows."""

    code = "pattern-too-slow"
    message = "A split pattern takes too long on this text."
    hint = "Avoid nested repetitions such as (a+)+ and anchor the pattern with ^."
