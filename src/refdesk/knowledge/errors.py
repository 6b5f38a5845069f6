"""What can go wrong with bases, uploads, documents and paragraphs. Reading a file has its own errors."""

from refdesk.kit.errors import AppError, Conflict, Invalid, NotFound, TooLarge, Unavailable


class NameTaken(Conflict):
    """Another knowledge base of the workspace already has this name."""

    code = "knowledge-base-name-taken"
    message = "There is already a knowledge base of this name."
    hint = "Choose another name, or add the documents to the existing one."


class BlankName(Invalid):
    """A name of white space or of characters that cannot be shown."""

    code = "blank-name"
    message = "A name needs at least one visible character."


class NoEmbeddingModel(Conflict):
    """No embedding model was chosen and the workspace has no default one."""

    code = "no-embedding-model"
    message = "The workspace has no default embedding model."
    hint = "Add an embedding model under Models, or name one when creating the knowledge base."


class KnowledgeBaseModelFixed(Conflict):
    """The embedding model of a knowledge base that holds documents cannot be exchanged just so."""

    code = "knowledge-base-model-fixed"
    message = "A knowledge base that holds documents keeps its embedding model until another index is built."
    hint = "Build an index with the other model (in the settings of the knowledge base) and switch to it."


class FileTooLarge(TooLarge):
    """A file over the size limit; `details.limit` names which limit, `details.max_bytes` how much."""

    code = "file-too-large"
    message = "The file is larger than the limit allows."
    hint = "Split the file, or raise the limit named in the details."


class DocumentLimitReached(Conflict):
    """The knowledge base holds as many documents as its limit allows."""

    code = "document-limit-reached"
    message = "The knowledge base holds as many documents as its limit allows."
    hint = "Raise max_documents of the knowledge base, or delete documents."


class DuplicateDocument(Conflict):
    """The same content is already in this knowledge base; `details` name that document."""

    code = "duplicate-document"
    message = "The same file is already in this knowledge base."
    hint = "Send allow_duplicate=true to keep both."


class NoFiles(Invalid):
    """An upload without a file in it."""

    code = "no-files"
    message = "The upload contains no file."
    hint = "Send multipart/form-data with one or more parts named files."


class MalformedUpload(Invalid):
    """A multipart body that breaks off or cannot be read."""

    code = "malformed-upload"
    status = 400
    message = "The upload is not well-formed multipart/form-data."


class ParagraphChanged(Conflict):
    """Someone else edited the paragraph since it was read; `details.revision` is the present one."""

    code = "paragraph-changed"
    message = "The paragraph was changed by someone else meanwhile."
    hint = "Read it again and repeat the edit."


class NoOriginal(Conflict):
    """The document was not made from a file."""

    code = "no-original"
    status = 404
    message = "This document was not made from a file."


class NoSuchPage(Invalid):
    """The document has no page of that number, or no pages at all."""

    code = "no-such-page"
    status = 404
    message = "The document has no such page."


class DrawingBusy(Unavailable):
    """More pages wait to be drawn than the server takes on; `details.retry_after_s` tells for how long."""

    code = "drawing-busy"
    message = "Too many pages are being drawn at once."
    hint = "Ask again in a moment."


class NotStopped(Conflict):
    """Only a failed or cancelled document can be retried."""

    code = "not-stopped"
    message = "Only a document that failed or was cancelled can be retried."


class NotRunning(Conflict):
    """Only a document that is being processed can be cancelled."""

    code = "not-running"
    message = "This document is not being processed."


class StillRunning(Conflict):
    """The document is being processed and cannot be changed this way now."""

    code = "still-running"
    message = "The document is being processed."
    hint = "Wait until it is ready, or cancel it first."


class EditedParagraphs(Conflict):
    """Splitting again would lose edits; `details.edited` counts them."""

    code = "edited-paragraphs"
    message = "Splitting again would discard edited paragraphs."
    hint = "Send discard_edits=true to split again all the same."


class ContentLost(AppError):
    """The stored file is gone, or its content is not what was stored."""

    code = "content-lost"
    message = "The stored file is incomplete."
    hint = "Upload the file again."


class VersionIsCurrent(Conflict):
    """The version that is to be brought back is the present one."""

    code = "version-is-current"
    message = "This version is the present one already."


class NoVersionsYet(Conflict):
    """A draft has no versions: it is imported first."""

    code = "draft-has-no-versions"
    message = "A preview has no versions."
    hint = "Import it first; from then on every new file makes a version."


class ParagraphDeleted(NotFound):
    """Somebody deleted the paragraph or joined it with another; `details` tell when and in which document."""

    code = "paragraph-deleted"
    message = "This paragraph was deleted, or joined with another one, by hand."
    hint = "Its document shows what is there now; an earlier version may still have it."


class NotEdited(Conflict):
    """The paragraph says what the file says, or is not from a file: there is nothing to go back to."""

    code = "not-edited"
    message = "This paragraph has no other text to go back to."


class NoEditConflict(Conflict):
    """There is no edit of the document, or none of those that are named, that its file disagrees with."""

    code = "no-edit-conflict"
    message = "No edit waits for a decision here."


class SplitOffsetInvalid(Invalid):
    """A paragraph is to be cut where one of the halves would be empty."""

    code = "split-offset-invalid"
    message = "The paragraph cannot be cut there: one half would be empty."
    hint = "Cut between its first and its last visible character."


class NoNextParagraph(Conflict):
    """The last paragraph of a document has no next one to be joined with."""

    code = "no-next-paragraph"
    message = "This is the last paragraph of the document."


class ParagraphTooLong(Invalid):
    """Two paragraphs would make one that is longer than paragraphs may be."""

    code = "paragraph-too-long"
    message = "The paragraph would be longer than paragraphs may be."


class BlankQuestion(Invalid):
    """A question of white space only."""

    code = "blank-question"
    message = "A question needs at least one visible character."


class QuestionTooLong(Invalid):
    """A question over the limit; `details.max_chars` tells it."""

    code = "attached-question-too-long"
    message = "A question attached to paragraphs has at most 500 characters."


class QuestionTaken(Conflict):
    """The base has a question of this text; `details.question_id` is its id."""

    code = "question-taken"
    message = "There is already a question of this text."
    hint = "Attach the existing question to the paragraph instead."


class TooManyDrafts(Conflict):
    """A knowledge base holds as many previews as it may; `details.max_drafts` tells how many."""

    code = "too-many-drafts"
    message = "There are too many previews in this knowledge base."
    hint = "Import or delete some of them."


class DraftNotReady(Conflict):
    """A preview that is to be imported is not complete: it is being read, or could not be."""

    code = "draft-not-ready"
    message = "This preview is not ready to be imported."
    hint = "Wait until it has been read, retry it, or leave it out."


class MetaInvalid(Invalid):
    """Metadata whose value does not fit its key; `details` name the key and what it takes."""

    code = "meta-invalid"
    message = "A value of the metadata does not fit its key."
