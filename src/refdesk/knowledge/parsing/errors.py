"""Why a file could not be read: one class a reason, each with a stable code and a hint."""

from refdesk.kit.errors import AppError


class ParseError(AppError):
    """A file that cannot be read; the subclasses say why."""

    code = "unreadable-file"
    status = 422
    message = "The file cannot be read."


class EmptyFile(ParseError):
    """The file has no bytes, no pages or no text."""

    code = "empty-file"
    message = "The file is empty."
    hint = "Check that the file was saved completely and upload it again."


class UnsupportedKind(ParseError):
    """No parser knows this kind of file."""

    code = "unsupported-kind"
    message = "This kind of file is not supported."
    hint = "Save it as PDF, as an Office or OpenDocument file, as HTML, Markdown or plain text."


class OldPresentation(UnsupportedKind):
    """A presentation of PowerPoint 97–2003 (PPT): no library that may be shipped reads it."""

    code = "old-presentation"
    message = "This is a presentation of PowerPoint 97–2003 (PPT), which cannot be read."
    hint = "Open it in PowerPoint or LibreOffice, save it as PPTX or PDF, and upload that file."


class PasswordRequired(ParseError):
    """The file is encrypted and no password was given."""

    code = "password-required"
    message = "The file is protected by a password."
    hint = "Give the password, or save the file without one."


class PasswordWrong(PasswordRequired):
    """The file is encrypted and the password that was given does not open it."""

    code = "password-wrong"
    message = "The password does not open the file."
    hint = "Check capital letters and the keyboard's language, and try again."


class ProtectionUnsupported(ParseError):
    """The file is encrypted so that no password opens it here: OpenDocument, books with DRM, and the like."""

    code = "protection-unsupported"
    message = "The file is protected in a way that cannot be unlocked here."
    hint = "Open it in the program it was made with, save it without protection and upload that copy."


class CorruptFile(ParseError):
    """The file is damaged or cut off."""

    code = "corrupt-file"
    message = "The file is damaged or incomplete."
    hint = "Open it in the program it was made with, save it again and upload that copy."


class NoText(ParseError):
    """The file can be opened but holds no text that can be read."""

    code = "no-text"
    message = "No text was found in the file."
    hint = "Upload a version with a text layer, or a larger and sharper picture."


class TooManyPages(ParseError):
    """More pages than the limit allows."""

    code = "too-many-pages"
    status = 413
    message = "The file has more pages than the limit allows."
    hint = "Split the file into parts, or raise REFDESK_PARSE_MAX_PAGES."


class PictureTooLarge(ParseError):
    """A picture of more than 150 million pixels, or one that is a thousand times as long as wide."""

    code = "picture-too-large"
    status = 413
    message = "The picture is larger than the limit allows."
    hint = "Make it smaller; letters of 20 pixels are read as well as letters of 200."


class UnpackedTooLarge(ParseError):
    """A compressed file that unpacks to more than the limit allows."""

    code = "unpacked-too-large"
    status = 413
    message = "The file unpacks to more than the limit allows."
    hint = "Split it or remove pictures; the limits are the settings that begin with REFDESK_PARSE_MAX."


class NestedTooDeep(ParseError):
    """An archive or message inside others, deeper than the limit allows."""

    code = "archive-nested-too-deep"
    status = 413
    message = "Archives are nested deeper than the limit allows."
    hint = "Unpack the outer archives and upload what they hold, or raise REFDESK_PARSE_MAX_NESTING."


class NoMemberRead(ParseError):
    """No file of an archive could be read, each for a reason of its own."""

    code = "no-member-read"
    message = "No file of the archive could be read, for different reasons."
    hint = "Unpack the archive and upload its files one by one: each then tells what it needs."


class ResultTooLarge(ParseError):
    """The text read from the file is larger than the limit."""

    code = "parse-result-too-large"
    status = 413
    message = "The file holds more text than the limit allows."
    hint = "Split the file into parts, or raise REFDESK_PARSE_MAX_OUTPUT_BYTES."


class ParseTimeout(ParseError):
    """Reading the file took longer than the limit allows."""

    code = "parse-timeout"
    message = "Reading the file took too long and was stopped."
    hint = "Split the file into parts, or raise REFDESK_PARSE_TIMEOUT_S."


class ParseMemory(ParseError):
    """Reading the file needed more memory than the limit allows."""

    code = "parse-memory"
    message = "Reading the file needed too much memory and was stopped."
    hint = "Split the file into parts, or raise REFDESK_PARSE_MEMORY_BYTES."


class ParseCrashed(ParseError):
    """The process that reads the file ended unexpectedly."""

    code = "parse-crashed"
    message = "Reading the file ended unexpectedly."
    hint = "The file is probably damaged: save it again in the program it was made with."


class ParseCancelled(ParseError):
    """Reading the file was stopped on request."""

    code = "parse-cancelled"
    status = 409
    message = "Reading the file was cancelled."


BY_CODE: dict[str, type[ParseError]] = {
    kind.code: kind
    for kind in (
        ParseError,
        EmptyFile,
        UnsupportedKind,
        OldPresentation,
        PasswordRequired,
        PasswordWrong,
        ProtectionUnsupported,
        CorruptFile,
        NoText,
        TooManyPages,
        PictureTooLarge,
        UnpackedTooLarge,
        NestedTooDeep,
        NoMemberRead,
        ResultTooLarge,
        ParseTimeout,
        ParseMemory,
        ParseCrashed,
        ParseCancelled,
    )
}
