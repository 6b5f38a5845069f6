"""The evidence check: does what was in the prompt carry each sentence of the answer?

Rules over words, no model and no I/O. It marks; it never changes an answer.
"""

from refdesk.chat.evidence.check import Evidence, Reason, Source, Verdict

__all__ = ["Evidence", "Reason", "Source", "Verdict"]
