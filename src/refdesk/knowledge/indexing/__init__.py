"""The index: paragraphs → entries with vectors and BM25 weights, their statistics, and where they live.

Owns `indexes`, `index_entries`, `indexed_paragraphs`, `term_frequencies` and `lexical_deltas`, and the
tokenizer that indexing and queries share. Must not know embedders, documents' states or how results are
ranked.
"""

from refdesk.knowledge.indexing import jobs as jobs
from refdesk.knowledge.indexing.access import follow_access
from refdesk.knowledge.indexing.bm25 import idf
from refdesk.knowledge.indexing.entries import (
    SMALLEST_PIECE,
    EntryKind,
    ParagraphText,
    PreparedEntries,
    piece_spans,
    prepare_entries,
)
from refdesk.knowledge.indexing.errors import IndexNotFound, VectorsInvalid, VectorsMismatch
from refdesk.knowledge.indexing.folding import fold
from refdesk.knowledge.indexing.homes import (
    HALFVEC_HNSW_LIMIT,
    sweep_homes,
    table_of,
    vector_index_expression,
)
from refdesk.knowledge.indexing.maintenance import settle
from refdesk.knowledge.indexing.relexing import Relexed, match_questions, relex
from refdesk.knowledge.indexing.repository import (
    HOMES_LOCK,
    SHARED_HOME,
    create_index,
    drop_index,
    drop_indexes_of_base,
    hold_off_writers,
    indexes_of_base,
)
from refdesk.knowledge.indexing.scripts import Script, dominant_script, query_scripts
from refdesk.knowledge.indexing.shared_graph import in_graph, shared_graphs
from refdesk.knowledge.indexing.statistics import Statistics, StatisticsRepository
from refdesk.knowledge.indexing.tables import IndexBuild, KnowledgeIndex
from refdesk.knowledge.indexing.terms import salt_of, term_of
from refdesk.knowledge.indexing.tokens import NO_TERMS, exact_codes, identifiers, tokenize, whole_token
from refdesk.knowledge.indexing.vocabulary import Vocabulary, key_of
from refdesk.knowledge.indexing.wire import halfvec_text, sparsevec_text
from refdesk.knowledge.indexing.writer import IndexWriter, Written

__all__ = [
    "HALFVEC_HNSW_LIMIT",
    "HOMES_LOCK",
    "NO_TERMS",
    "SHARED_HOME",
    "SMALLEST_PIECE",
    "EntryKind",
    "IndexBuild",
    "IndexNotFound",
    "IndexWriter",
    "KnowledgeIndex",
    "ParagraphText",
    "PreparedEntries",
    "Relexed",
    "Script",
    "Statistics",
    "StatisticsRepository",
    "VectorsInvalid",
    "VectorsMismatch",
    "Vocabulary",
    "Written",
    "create_index",
    "dominant_script",
    "drop_index",
    "drop_indexes_of_base",
    "exact_codes",
    "fold",
    "follow_access",
    "halfvec_text",
    "hold_off_writers",
    "identifiers",
    "idf",
    "in_graph",
    "indexes_of_base",
    "key_of",
    "match_questions",
    "piece_spans",
    "prepare_entries",
    "query_scripts",
    "relex",
    "salt_of",
    "settle",
    "shared_graphs",
    "sparsevec_text",
    "sweep_homes",
    "table_of",
    "term_of",
    "tokenize",
    "vector_index_expression",
    "whole_token",
]
