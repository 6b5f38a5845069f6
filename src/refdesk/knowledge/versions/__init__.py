"""Versions of a document: a new file in the place of the old one, an earlier version again, what differs.

A version that is replaced stays as a snapshot, so that answers that cite it can still be checked.
"""

from refdesk.knowledge.versions.pruning import cited_paragraphs, prune
from refdesk.knowledge.versions.records import (
    OriginNames,
    ParagraphRecord,
    fresh_records,
    origin_of,
    record_of,
)
from refdesk.knowledge.versions.replacing import read_again, replace_file, restore, split_again
from refdesk.knowledge.versions.repository import VersionRepository, add_document, new_version
from refdesk.knowledge.versions.switching import CONFLICT, NewText, bring_back, conflict_message, take_text

__all__ = [
    "CONFLICT",
    "NewText",
    "OriginNames",
    "ParagraphRecord",
    "VersionRepository",
    "add_document",
    "bring_back",
    "cited_paragraphs",
    "conflict_message",
    "fresh_records",
    "new_version",
    "origin_of",
    "prune",
    "read_again",
    "record_of",
    "replace_file",
    "restore",
    "split_again",
    "take_text",
]
