"""What can go wrong with folders and access lists."""

from refdesk.kit.errors import Conflict, Forbidden, Invalid, NotFound


class FolderNotFound(NotFound):
    """No folder by that id in this workspace, or one that the caller may not see."""

    code = "folder-not-found"
    message = "There is no such folder."


class FolderNameTaken(Conflict):
    """A folder lies where another of the same name lies already."""

    code = "folder-name-taken"
    message = "There is a folder of this name already."


class FolderNameInvalid(Invalid):
    """A folder's name is empty once what cannot be shown is taken out, or it holds a slash."""

    code = "folder-name-invalid"
    message = "This cannot be the name of a folder."
    hint = "A name has letters or digits and no slash."


class FolderMoveInvalid(Invalid):
    """A folder cannot be moved into itself, into one below it, or into another knowledge base."""

    code = "folder-move-invalid"
    message = "The folder cannot be moved there."


class FolderTooDeep(Invalid):
    """Folders lie in one another at most so many levels deep."""

    code = "folder-too-deep"
    message = "Folders cannot lie that deep in one another."


class TooManyFolders(Conflict):
    """The knowledge base holds as many folders as it may."""

    code = "too-many-folders"
    message = "The knowledge base holds as many folders as it may."


class RestrictedFolderNotEmpty(Conflict):
    """A folder with a list of its own still holds something: deleting it would let more people see that."""

    code = "restricted-folder-not-empty"
    message = "The folder restricts who may see what lies in it, and something lies in it."
    hint = "Move or delete what lies in it, or lift the restriction first."


class HiddenDocuments(Forbidden):
    """What is asked for takes in documents that the caller may not see, so it is refused as a whole."""

    code = "hidden-documents"
    message = "This takes in documents that you may not see."
    hint = "Ask an owner of the workspace."


class UnknownPeople(Invalid):
    """A list names users who are no members of the workspace, or groups that are not there."""

    code = "unknown-people"
    message = "Not all of these people and groups are in this workspace."
