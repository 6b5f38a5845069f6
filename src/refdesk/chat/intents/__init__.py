"""Intents: what the questions of an application can mean, as a tree that people edit, and which one is meant.

Owns the tree, its examples and their vectors, the classification by a model or by the examples, and the
answers of SYSTEM intents. Must not search and must not call tools: it only says what a question is about.
"""

from refdesk.chat.intents.resolving import THRESHOLD, kept_questions, outcome_of, record_of, resolve_intents
from refdesk.chat.intents.tree import AskedIntents, Intent, IntentKind, IntentOutcome, IntentTree

__all__ = [
    "THRESHOLD",
    "AskedIntents",
    "Intent",
    "IntentKind",
    "IntentOutcome",
    "IntentTree",
    "kept_questions",
    "outcome_of",
    "record_of",
    "resolve_intents",
]
