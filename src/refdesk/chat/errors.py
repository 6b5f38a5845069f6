"""Errors of conversations and runs."""

from refdesk.kit.errors import Conflict, Invalid, NotFound, TooLarge, Unavailable


class ConversationNotFound(NotFound):
    """The conversation does not exist, or belongs to somebody else."""

    code = "conversation-not-found"
    message = "There is no conversation of yours by that id."


class RunNotFound(NotFound):
    """The run does not exist, or belongs to somebody else."""

    code = "run-not-found"
    message = "There is no run of yours by that id."


class QuestionEmpty(Invalid):
    """The question holds nothing but white space."""

    code = "question-empty"
    message = "The question is empty."
    hint = "Write what you want to know."


class QuestionTooLong(Invalid):
    """The question is longer than the setting `max_question_chars` allows."""

    code = "question-too-long"
    message = "The question is too long."
    hint = "Shorten it, or add long material as a document and ask about it."


class NothingToAsk(Invalid):
    """Neither an application nor a knowledge base was named and the workspace has none."""

    code = "nothing-to-ask"
    message = "There is no knowledge base to ask."
    hint = "Create a knowledge base and add documents first."


class RetryMismatch(Invalid):
    """A retry names a run of another conversation."""

    code = "retry-mismatch"
    message = "The run to retry belongs to another conversation."


class RunStillActive(Conflict):
    """A run can be retried once it has ended."""

    code = "run-still-active"
    message = "That run has not ended yet."
    hint = "Wait for its end or cancel it first."


class DatabaseUnavailable(Unavailable):
    """The database cannot be reached, or went away while the question was worked on."""

    code = "database-unavailable"
    message = "The database is not there at the moment."
    hint = "Ask again in a moment."


class RunQueueFull(Unavailable):
    """So many questions wait that another one would wait too long."""

    code = "run-queue-full"
    message = "Too many questions are waiting."
    hint = "Try again in a minute."


class RunTimedOut(Unavailable):
    """A run took longer than any answer may take."""

    code = "run-timeout"
    message = "The answer took too long and was ended."
    hint = "Try again; if it happens often, check the model's speed."


class AnswerEmpty(Unavailable):
    """The model ended its answer without writing anything."""

    code = "answer-empty"
    message = "The model returned no text."
    hint = "Try again, or check the model with its connection test."


class RecordingEmpty(Invalid):
    """A recording without sound in it."""

    code = "recording-empty"
    message = "The recording is empty."
    hint = "Send the sound itself as the body of the request."


class RecordingTooLarge(TooLarge):
    """A recording of more than 25 MB."""

    code = "recording-too-large"
    message = "The recording is too large."
    hint = "Record less at once: 25 MB is about half an hour."


class NothingToRead(Conflict):
    """A run without an answer was to be read aloud."""

    code = "nothing-to-read"
    message = "This run has no answer that could be read aloud."


class NotesNeedPerson(Conflict):
    """Notes belong to a person who is signed in; a key or the operator has none."""

    code = "notes-need-person"
    message = "Only a person who is signed in has notes."


class NotesNotKept(Conflict):
    """The application does not keep notes, so there is nothing to agree to or to add."""

    code = "notes-not-kept"
    message = "This application keeps no notes of people."
    hint = "An editor can allow it in the application's settings."


class NoteNotFound(NotFound):
    """The note does not exist, or is somebody else's."""

    code = "note-not-found"
    message = "There is no note of yours by that id."


class NoteLimit(Conflict):
    """A person has as many notes with an application as may be."""

    code = "note-limit"
    message = "There are as many notes as may be kept."
    hint = "Erase some of them first."


class PictureNotFound(NotFound):
    """A picture that was asked with does not exist, is somebody else's, or is of another conversation."""

    code = "picture-not-found"
    message = "There is no picture of yours by that id."


class PictureTooLarge(TooLarge):
    """A picture of more than 10 MB."""

    code = "question-picture-too-large"
    message = "The picture is too large."
    hint = "Send at most 10 MB; photographs of 2,000 pixels are enough."


class RunModelUnsuitable(Invalid):
    """A run was to be asked again with a model that is no language model of the workspace."""

    code = "run-model-unsuitable"
    message = "The model must be a language model of this workspace."
    hint = "Choose one of kind LLM."
