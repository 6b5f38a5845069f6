"""Term bases: words that are kept whole, and words of one meaning.

Owns `terms` and `term_states`, their CSV form, and the background job that has the index follow a change.
What a question or a text is read with is a `TermBase`. Must not know how questions are ranked.
"""

from refdesk.knowledge.terms import jobs as jobs
from refdesk.knowledge.terms.archived import bring_in
from refdesk.knowledge.terms.errors import TermInvalid
from refdesk.knowledge.terms.repository import TermRepository
from refdesk.knowledge.terms.routes import router
from refdesk.knowledge.terms.service import Terms, follow_terms
from refdesk.knowledge.terms.tables import TermState
from refdesk.knowledge.terms.term_base import NO_TERM_BASE, TermBase, term_base
from refdesk.knowledge.terms.words import MAX_WORDS, CleanTerm, clean_term

__all__ = [
    "MAX_WORDS",
    "NO_TERM_BASE",
    "CleanTerm",
    "TermBase",
    "TermInvalid",
    "TermRepository",
    "TermState",
    "Terms",
    "bring_in",
    "clean_term",
    "follow_terms",
    "jobs",
    "router",
    "term_base",
]
