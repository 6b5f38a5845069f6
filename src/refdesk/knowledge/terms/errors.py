"""What can go wrong with terms."""

from refdesk.kit.errors import Conflict, Invalid, NotFound, TooLarge


class TermNotFound(NotFound):
    """No term by that id in this workspace."""

    code = "term-not-found"
    message = "There is no such term."


class TermInvalid(Invalid):
    """A word that cannot be kept whole: empty, too long, of marks alone, or with a separator in it."""

    code = "term-invalid"
    message = "This cannot be a term."


class TermTaken(Conflict):
    """The word, in whatever spelling, is part of another term; `details.term` names that one."""

    code = "term-taken"
    message = "This word is already a term or a synonym of one."
    hint = "Add the synonyms to the term that is named in the details."


class TooManyTerms(Conflict):
    """The term base holds as many words as it may."""

    code = "too-many-terms"
    message = "The term base holds as many words as it may."
    hint = "Delete terms that nobody asks for."


class TermFileTooLarge(TooLarge):
    """A CSV file over the limit."""

    code = "term-file-too-large"
    message = "The file of terms is larger than the limit allows."


class TermFileUnreadable(Invalid):
    """The file is no text with columns."""

    code = "term-file-unreadable"
    message = "The file could not be read as a table of terms."
    hint = "Save it as CSV with the columns word and synonyms; several synonyms are separated by semicolons."
