"""Splitting: blocks → paragraphs that carry their chain of titles, and text → sentences and index pieces.

Everything works on offsets into `Parsed.text` in linear time. Paragraphs never overlap; index pieces do.
Must not know file formats, the database or how paragraphs are indexed.
"""

from refdesk.knowledge.splitting.errors import PatternInvalid, PatternTooSlow, SettingsInvalid
from refdesk.knowledge.splitting.leads import Passage, lead, lead_chars, leads
from refdesk.knowledge.splitting.paragraphs import split
from refdesk.knowledge.splitting.patterns import PatternMatch, check_patterns
from refdesk.knowledge.splitting.pieces import pieces
from refdesk.knowledge.splitting.sentences import sentences
from refdesk.knowledge.splitting.settings import (
    ParagraphDraft,
    Profile,
    SplitResult,
    SplitSettings,
    Unit,
    overlap_of,
)
from refdesk.knowledge.splitting.titles import clean_title, display_title

__all__ = [
    "ParagraphDraft",
    "Passage",
    "PatternInvalid",
    "PatternMatch",
    "PatternTooSlow",
    "Profile",
    "SettingsInvalid",
    "SplitResult",
    "SplitSettings",
    "Unit",
    "check_patterns",
    "clean_title",
    "display_title",
    "lead",
    "lead_chars",
    "leads",
    "overlap_of",
    "pieces",
    "sentences",
    "split",
]
