"""Errors of replies to what a conversation waits for."""

from refdesk.kit.errors import Conflict, Invalid


class FormClosed(Conflict):
    """The form was answered already (in another tab, say), or another question was asked since."""

    code = "form-closed"
    message = "That question of the desk has been answered or withdrawn."
    hint = "Load the conversation again, and ask anew where it is still needed."


class ReplyInvalid(Invalid):
    """A reply that does not fit what was asked: an unknown option, a missing field, no yes or no."""

    code = "reply-invalid"
    message = "The reply does not fit what was asked."
    hint = "Send one of the options, every required field, or whether you agree."
