"""Why someone is not let in, or a change to people and workspaces is refused."""

from uuid import UUID

from refdesk.kit.errors import AppError, Conflict, Forbidden, Invalid, NotFound, Unauthenticated


class SetupRequired(AppError):
    """Nothing else answers until the first administrator exists."""

    code = "setup-required"
    status = 503
    message = "The first administrator has not been set up."
    hint = (
        "Open the page with the one-time token printed in the terminal, or run `refdesk user create --admin`."
    )


class SetupDone(Conflict):
    """The first administrator exists already; the set-up token is worth nothing any more."""

    code = "setup-done"
    message = "The first administrator has been set up already."
    hint = "Sign in instead."


class SetupTokenWrong(Forbidden):
    """The set-up token is not the one printed at the last start."""

    code = "setup-token-wrong"
    message = "This set-up token is not valid."
    hint = "Use the token of the last start; every start prints a new one."


class SignInFailed(Unauthenticated):
    """Wrong password, unknown address or disabled account: the same answer on purpose."""

    code = "sign-in-failed"
    message = "The email address or the password is wrong."


class SignInThrottled(AppError):
    """Too many failed attempts for this account or from this address; `retry_after` is in seconds."""

    code = "sign-in-throttled"
    status = 429
    message = "Too many failed attempts."
    hint = "Wait and try again, or ask an administrator for a reset link."


class InvalidApiKey(Unauthenticated):
    """The key is unknown, revoked or expired, or its creator may not enter any more."""

    code = "invalid-api-key"
    message = "This API key is not valid."
    hint = "It may be revoked or expired, or its creator may have lost access."


class CsrfFailed(Forbidden):
    """A change with a cookie came without its `X-CSRF-Token`, or from another site."""

    code = "csrf-failed"
    message = "The request did not come from this server's own page."
    hint = "Send the token from GET /api/v1/session as X-CSRF-Token."


class KeysMayNot(Forbidden):
    """This is for people and the local operator; API keys are refused whatever their scopes."""

    code = "not-by-api-key"
    message = "This cannot be done with an API key."


class BoundKey(Forbidden):
    """The key is bound to one knowledge base or application, and this reaches beyond it."""

    code = "key-bound"
    message = "This key is bound to one thing and cannot be used here."
    hint = "Use the key with the knowledge base or application named in the details, or one bound to nothing."

    @classmethod
    def of(cls, kind: str, resource_id: UUID) -> "BoundKey":
        """`kind`: `knowledge_base` or `application`."""
        text = f"This key is bound to the {kind.replace('_', ' ')} {resource_id} and cannot be used here."
        return BoundKey(text, bound_to=kind, resource_id=str(resource_id))


class NoWorkspace(Forbidden):
    """The caller is signed in but belongs to no workspace."""

    code = "no-workspace"
    message = "You belong to no workspace."
    hint = "Ask an administrator or a workspace owner to add you."


class LinkNotFound(NotFound):
    """The link's token is unknown, used or expired."""

    code = "link-not-valid"
    message = "This link is not valid any more."
    hint = "Ask for a new one."


class UserNotFound(NotFound):
    """Nobody by that id or address."""

    code = "user-not-found"
    message = "There is no such user."
    hint = "Invite people who have no account yet."


class UserDisabled(Conflict):
    """The account is disabled; enable it first."""

    code = "user-disabled"
    message = "This account is disabled."
    hint = "Enable it first."


class LastAdministrator(Conflict):
    """The installation would be left without an active administrator."""

    code = "last-administrator"
    message = "This is the last active administrator."
    hint = "Make someone else administrator first."


class LastOwner(Conflict):
    """The workspace would be left without an owner."""

    code = "last-owner"
    message = "This is the workspace's last owner."
    hint = "Make another member owner first."


class AlreadyMember(Conflict):
    """The user is a member of the workspace already."""

    code = "already-member"
    message = "This user is a member already."
    hint = "Change the member's role instead."


class NameTaken(Conflict):
    """Another one in this workspace has that name."""

    code = "name-taken"
    message = "That name is taken."


class ScopeTooWide(Forbidden):
    """A key may not be given more than its creator's role allows."""

    code = "scope-too-wide"
    message = "A key cannot be allowed more than you are."


class PasswordUnsuitable(Invalid):
    """The password is too easy to guess."""

    code = "password-unsuitable"
    message = "This password is too easy to guess."
    hint = "Use at least 10 characters, not your address or one repeated character."
