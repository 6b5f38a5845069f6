"""What can go wrong when a knowledge base is exported or imported."""

from refdesk.kit.errors import Conflict, Invalid, TooLarge, Unavailable


class ArchiveInvalid(Invalid):
    """No export of a knowledge base, or one that was damaged or changed; `details` name where."""

    code = "archive-invalid"
    message = "This is no export of a knowledge base, or it is damaged."
    hint = "Nothing was imported. Export the base again and send the file as it is."


class ArchiveVersionUnknown(Invalid):
    """An export in a form that this release does not know."""

    code = "archive-version-unknown"
    message = "The export was made by another version of Refdesk, in a form that is not known here."
    hint = "Import it with a newer Refdesk."


class ArchiveTooLarge(TooLarge):
    """An export that is larger than the limit, packed or unpacked."""

    code = "archive-too-large"
    message = "The export is larger than the limit allows."
    hint = "REFDESK_MAX_IMPORT_BYTES is the limit."


class ExportBusy(Unavailable):
    """As many exports are being sent as a server sends at once."""

    code = "export-busy"
    message = "Too many exports are being sent at once."
    hint = "Try again in a moment."


class ImportNotFailed(Conflict):
    """An import that is to be tried again has not failed: it goes on, or it is done."""

    code = "import-not-failed"
    message = "This import has not failed."


class ImportStopped(Conflict):
    """The base that is being imported was deleted meanwhile."""

    code = "import-stopped"
    message = "The knowledge base was deleted while it was imported."
