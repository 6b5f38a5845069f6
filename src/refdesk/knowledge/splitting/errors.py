"""Why a text cannot be split as asked."""

from refdesk.kit.errors import AppError, Invalid


class SettingsInvalid(Invalid):
    """A split setting is out of its range."""

    code = "split-settings-invalid"
    message = "The split settings cannot be used."
    hint = "Correct the setting that the details name."


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


class SplitTimeout(AppError):
    """Splitting the text took longer than the limit allows."""

    code = "split-timeout"
    status = 422
    message = "Splitting the text took too long and was stopped."
    hint = "Try other split settings, split the file into parts, or raise REFDESK_SPLIT_TIMEOUT_S."


class SplitMemory(AppError):
    """Splitting the text needed more memory than the limit allows."""

    code = "split-memory"
    status = 422
    message = "Splitting the text needed too much memory and was stopped."
    hint = "Split the file into parts, or raise REFDESK_PARSE_MEMORY_BYTES."


class SplitTooLarge(AppError):
    """The paragraphs of the text are larger than the limit of output."""

    code = "split-result-too-large"
    status = 413
    message = "The paragraphs of the text are larger than the limit allows."
    hint = "Choose a larger limit of paragraphs, split the file, or raise REFDESK_PARSE_MAX_OUTPUT_BYTES."


class SplitCrashed(AppError):
    """The process that splits the text ended unexpectedly."""

    code = "split-crashed"
    status = 422
    message = "Splitting the text ended unexpectedly."
    hint = "Try other split settings; if that does not help, save the file in another format."


BY_CODE: dict[str, type[AppError]] = {
    kind.code: kind
    for kind in (
        SettingsInvalid,
        PatternInvalid,
        PatternTooSlow,
        SplitTimeout,
        SplitMemory,
        SplitTooLarge,
        SplitCrashed,
    )
}
