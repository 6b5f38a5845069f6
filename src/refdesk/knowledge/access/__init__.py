"""Who may see which documents of a base: folders, access lists, and their effect on the index.

Owns `folders`, `access_lists`, `access_list_members` and `removed_documents`. Must not search; retrieval
asks it for the lists a caller is on. Repositories of the room take their condition from here, so this package
imports none of what builds on them (`routes`, `jobs`); the room does.
"""

from refdesk.knowledge.access.errors import HiddenDocuments
from refdesk.knowledge.access.visibility import (
    EVERYONE,
    hidden_of_removed,
    keep_restriction,
    may_see,
    may_see_item,
    may_see_owner_of_paragraph,
    require_whole,
    sees_all,
    sees_whole,
    visible_lists,
)

__all__ = [
    "EVERYONE",
    "HiddenDocuments",
    "hidden_of_removed",
    "keep_restriction",
    "may_see",
    "may_see_item",
    "may_see_owner_of_paragraph",
    "require_whole",
    "sees_all",
    "sees_whole",
    "visible_lists",
]
