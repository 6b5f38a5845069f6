"""What can be wrong with files of a working directory."""

from refdesk.kit.errors import Invalid, NotFound, TooLarge


class WorkingFileNotFound(NotFound):
    """The conversation's working directory has no file at this path."""

    code = "working-file-not-found"
    message = "There is no such file in the working directory."


class WorkingPathInvalid(Invalid):
    """Paths are relative to the working directory and stay within it."""

    code = "working-path-invalid"
    message = "The path must be relative and stay within the working directory."


class WorkingDirectoryFull(TooLarge):
    """A working directory has limits of size and of the number of its files."""

    code = "working-directory-full"
    message = "The working directory would become too large."


class EditNotPossible(Invalid):
    """The text to replace must stand in the file exactly once."""

    code = "edit-not-possible"
    message = "The text to replace must stand in the file exactly once."
