"""What can go wrong with files of questions and answers; a row's own faults are told row by row."""

from refdesk.kit.errors import AppError, Invalid


class QaColumnsMissing(Invalid):
    """No row of the file names a column of contents."""

    code = "qa-columns-missing"
    message = "The file has no column “content”."
    hint = "Use the template: its columns are title, content and questions (标题, 内容, 问题)."


class QaNoRows(Invalid):
    """Not one row could be used; `details.bad_rows` tells why."""

    code = "qa-no-rows"
    message = "The file has no row that can be imported."
    hint = "A row needs a content; the columns are title, content and questions (标题, 内容, 问题)."


class QaTooManyRows(Invalid):
    """More rows than one file may have."""

    code = "qa-too-many-rows"
    message = "The file has more rows than one file may have."
    hint = "Split it into several files."


class QaUnreadable(Invalid):
    """No CSV, XLSX or ZIP of them, or damaged."""

    code = "qa-unreadable"
    message = "The file is no CSV, no XLSX and no ZIP of such files, or it is damaged."
    hint = "Save it as XLSX, or as CSV in UTF-8, or begin with a template."


class QaTooLarge(AppError):
    """The file unpacks to more than is read, or took too long."""

    code = "qa-too-large"
    status = 413
    message = "The file is too large to be read."
    hint = "Split it into several files."


BY_CODE = {kind.code: kind for kind in (QaColumnsMissing, QaNoRows, QaTooManyRows, QaUnreadable, QaTooLarge)}
