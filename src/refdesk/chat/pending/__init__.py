"""What a conversation waits for: a choice, missing parameters or an agreement, kept in the database.

Owns the waiting step (one a conversation, so it outlives the process and is the same in every tab) and the
reading of replies to it. Knows nothing of what the question was about: whoever asks puts its own state in.
"""

from refdesk.chat.pending.errors import FormClosed, ReplyInvalid
from refdesk.chat.pending.replies import Resumed, reply_text, resume, typed_value
from refdesk.chat.pending.repository import ConversationPending, Pending, PendingKind, PendingRepository

__all__ = [
    "ConversationPending",
    "FormClosed",
    "Pending",
    "PendingKind",
    "PendingRepository",
    "ReplyInvalid",
    "Resumed",
    "reply_text",
    "resume",
    "typed_value",
]
