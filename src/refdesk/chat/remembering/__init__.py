"""What is kept of conversations beyond their last turns: running summaries, and notes of people who agreed.

Owns both tables, the jobs that fill them and the HTTP of notes. A summary knows the runs it was made from;
who may no longer see one of these is not told of it. Notes are made of a person's own words only.
"""

from refdesk.chat.remembering.notes import NOTE, Note, NoteRepository, forget_notes
from refdesk.chat.remembering.summaries import SUMMARISE, Summary, SummaryRepository

__all__ = [
    "NOTE",
    "SUMMARISE",
    "Note",
    "NoteRepository",
    "Summary",
    "SummaryRepository",
    "forget_notes",
]
