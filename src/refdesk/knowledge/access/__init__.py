"""Who may see which documents of a base: folders, access lists, and their effect on the index.

Owns `folders`, `access_lists` and `access_list_members`. Must not search; retrieval asks it for the lists a
caller is on.
"""
