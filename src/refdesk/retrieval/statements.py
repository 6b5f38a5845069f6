"""The SQL of both legs over any number of indexes: one statement an embedder.

Homes are named as the tables they are, not through their parent: nothing else is locked, and with no
condition on `home` the planner cannot take the primary key for a way to read the whole of one. Everything but
home numbers and dimensions is a parameter.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from refdesk.knowledge.indexing import (
    HALFVEC_HNSW_LIMIT,
    SHARED_HOME,
    EntryKind,
    halfvec_text,
    in_graph,
    table_of,
    vector_index_expression,
)
from refdesk.retrieval.query import CANDIDATE_LIMIT, WeightedQuery

EF_SEARCH = 100
"""pgvector's default of 40 lost up to 20 % of the nearest on hard data."""

_MAX_EF_SEARCH = 1_000

# A larger graph must be searched more widely: of 1,000,000 entries 100 finds 0.911 of the ten nearest, 200
# 0.939, 400 0.973 (11.6 ms against 10.1); of 100,000 the 100 find 0.998.
_WIDTH_SIZE, _WIDTH_GROWTH = 100_000, 0.6
_BINARY_OVERSAMPLING = 10

# A walk that leaves out what may not be seen ends with whatever else it comes by first: where a question lies
# among what is hidden, half of 100,000 entries, 0.904 of the ten nearest were found, and with this 0.964.
_FILTERED_OVERSAMPLING = 4
_INNER = "id, index_id, paragraph_id, kind, script, start_, end_, embedding, bm25"


# One entry visited in a graph costs as much as so many rows compared (12 µs against 1.5, 384 dimensions).
_GRAPH_STEP = 8
WORTH_A_GRAPH = EF_SEARCH * _GRAPH_STEP
"""Rows up to which comparing them is always quicker."""

# A graph is walked so much further than evenly spread rows would need, then the rows are compared after all.
_GRAPH_PATIENCE = 4

_SCAN_TUPLES = 20_000
"""pgvector's default of how far a filtered graph is walked."""

_LEAST_SHARE = 0.001


@dataclass(frozen=True, slots=True)
class Target:
    """An index to search, as the transaction's snapshot has it. `entries` as of the last fold."""

    index_id: UUID
    home: int
    dimensions: int
    entries: int = 0


@dataclass(frozen=True, slots=True)
class Filters:
    """What rows may be seen. `acl_ids` are the access lists, None for all there are.

    `scan_exactly`: so few rows are left that each is compared. `share` is how many of all rows the lists
    leave, 0–1.

    `shared_graphs` are the dimensions with a graph over the shared home, and how many vectors each holds.
    """

    acl_ids: Sequence[int] | None = None
    document_ids: Sequence[UUID] | None = None
    ignore_questions: bool = False
    scan_exactly: bool = False
    share: float = 1.0
    shared_graphs: Mapping[int, int] = field(default_factory=dict[int, int])

    def visits(self, targets: Sequence[Target], limit: int) -> int | None:
        """Entries to visit in the shared home's graph for `limit` hits of these small indexes.

        None where comparing their rows is quicker: the graph holds all small indexes, and the fewer of its
        entries are theirs, the further it must be walked.
        """
        wanted = int(sum(target.entries for target in targets) * self.share)
        held = self.shared_graphs.get(targets[0].dimensions, 0) if targets else 0
        if self.scan_exactly or self.document_ids is not None or held <= 0 or wanted <= 0:
            return None
        visits = max(EF_SEARCH, limit * held // wanted)
        return visits if visits * _GRAPH_STEP < wanted else None


@dataclass(slots=True)
class _Builder:
    filters: Filters
    limit: int
    words: WeightedQuery | None = None
    parameters: dict[str, Any] = field(default_factory=dict[str, Any])
    parts: list[str] = field(default_factory=list[str])

    def where(self, home: int, targets: Sequence[Target]) -> str:
        conditions = ["is_active"]
        if self.filters.acl_ids is not None:
            self.parameters["acl_ids"] = list(self.filters.acl_ids)
            conditions.append("acl_id = ANY(CAST(:acl_ids AS bigint[]))")
        if home == SHARED_HOME:
            self.parameters["shared"] = [target.index_id for target in targets]
            conditions.append("index_id = ANY(CAST(:shared AS uuid[]))")
        if self.filters.ignore_questions:
            conditions.append(f"kind <> {EntryKind.QUESTION:d}")
        if self.filters.document_ids is not None:
            self.parameters["document_ids"] = list(self.filters.document_ids)
            conditions.append("document_id = ANY(CAST(:document_ids AS uuid[]))")
        return " AND ".join(conditions)

    def score(self, column: str) -> str:
        if self.words is None:
            return "0::float8"
        expression, parameters = self.words.score(column)
        self.parameters |= parameters
        return expression

    def exactness(self, column: str) -> str:
        if self.words is None:
            return "false"
        expression, parameters = self.words.exactness(column)
        self.parameters |= parameters
        return expression

    def add(self, home: int, inner: str, *, has_vector: bool) -> None:
        # The outer expressions are computed for the few rows that the inner LIMIT leaves.
        cosine = "-(x.embedding <#> CAST(:vector AS halfvec))" if has_vector else "NULL::float8"
        self.parts.append(
            f"SELECT {home:d} AS home, x.id, x.index_id, x.paragraph_id, x.kind, x.script,"
            f" x.start_, x.end_, {cosine} AS cosine,"
            f" {self.score('x.bm25')} AS words, {self.exactness('x.bm25')} AS is_exact FROM ({inner}) x"
        )


def candidates_statement(
    targets: Sequence[Target],
    filters: Filters,
    limit: int,
    *,
    vector: NDArray[np.float32] | None,
    words: WeightedQuery | None,
    propose_dense: bool = True,
    propose_lexical: bool = True,
) -> tuple[str, dict[str, Any]] | None:
    """SQL and parameters of the nearest `limit` entries by each leg, or None if nothing can be found.

    Rows may come twice, once from each leg, with the same scores. `targets` share their dimensions if
    `vector` is given.
    """
    builder = _Builder(filters, limit, words)
    builder.parameters["limit"] = limit
    homes: dict[int, list[Target]] = {}
    for target in targets:
        homes.setdefault(target.home, []).append(target)
    if vector is not None:
        builder.parameters["vector"] = halfvec_text(vector)
    for home, in_home in sorted(homes.items()):
        if vector is not None and propose_dense:
            builder.add(home, _dense(builder, home, in_home), has_vector=True)
        if words is not None and propose_lexical:
            inner = _lexical(builder, home, in_home, words)
            if inner is not None:
                builder.add(home, inner, has_vector=vector is not None)
    if not builder.parts:
        return None
    return "\nUNION ALL ".join(builder.parts), builder.parameters


def _dense(builder: _Builder, home: int, targets: Sequence[Target]) -> str:
    where = builder.where(home, targets)
    exact = (
        f"SELECT {_INNER} FROM {table_of(home)} WHERE {where}"
        " ORDER BY embedding <#> CAST(:vector AS halfvec) LIMIT :limit"
    )
    if builder.filters.scan_exactly:
        return exact
    if home == SHARED_HOME and builder.filters.visits(targets, builder.limit) is None:
        return exact
    graph = _by_graph(builder, home, where, targets[0].dimensions)
    if home != SHARED_HOME and builder.filters.acl_ids is None:
        return graph
    return _graph_or_all(builder, targets, graph, exact)


def _graph_or_all(builder: _Builder, targets: Sequence[Target], graph: str, exact: str) -> str:
    """What the graph gives, and the comparison of all rows where it ends before there are enough.

    The shared graph ends so for a small index among many; that of a home, where what the caller may see lies
    far from the question.
    """
    visible = int(sum(target.entries for target in targets) * builder.filters.share)
    enough = min(builder.limit, visible)
    # The count is known before the second part begins: as a rule that is never executed.
    return (
        f"WITH near AS MATERIALIZED ({graph}) SELECT {_INNER} FROM near UNION ALL"
        f" SELECT {_INNER} FROM ({exact}) e WHERE (SELECT count(*) FROM near) < {enough:d}"
    )


def _by_graph(builder: _Builder, home: int, where: str, dimensions: int) -> str:
    expression = vector_index_expression(dimensions)
    if dimensions <= HALFVEC_HNSW_LIMIT:
        order = f"{expression} <#> CAST(:vector AS halfvec({dimensions:d}))"
        if home == SHARED_HOME or builder.filters.acl_ids is None:
            return _in_order(home, where, dimensions, order, builder.limit)
        near = _in_order(home, where, dimensions, order, builder.limit * _FILTERED_OVERSAMPLING)
    else:
        order = (
            f"{expression} <~> binary_quantize(CAST(:vector AS halfvec({dimensions:d})))::bit({dimensions:d})"
        )
        near = _in_order(home, where, dimensions, order, builder.limit * _BINARY_OVERSAMPLING)
    return f"SELECT {_INNER} FROM ({near}) b ORDER BY embedding <#> CAST(:vector AS halfvec) LIMIT :limit"


def _in_order(home: int, where: str, dimensions: int, order: str, limit: int) -> str:
    table = table_of(home)
    if home != SHARED_HOME:
        return f"SELECT {_INNER} FROM {table} WHERE {where} ORDER BY {order} LIMIT {limit:d}"
    # OFFSET 0 keeps the other conditions out, so that the graph alone can give this order.
    rows = f"SELECT * FROM {table} WHERE {in_graph(dimensions)} ORDER BY {order} OFFSET 0"
    return f"SELECT {_INNER} FROM ({rows}) g WHERE {where} LIMIT {limit:d}"


def _lexical(builder: _Builder, home: int, targets: Sequence[Target], words: WeightedQuery) -> str | None:
    exactly = builder.filters.scan_exactly
    keys = words.keys([target.index_id for target in targets], of_all=exactly)
    if not keys:
        return None
    name = f"keys_{home:d}"
    builder.parameters[name] = keys
    # OFFSET 0 keeps the other conditions out, so that no index but the terms' own can be chosen.
    # A query of frequent words only is ranked over as many entries as its rarest words may bring in.
    where, holds = builder.where(home, targets), f"terms && CAST(:{name} AS integer[])"
    if exactly:
        inner, outer = f"{where} OFFSET 0", holds
    elif words.reached <= CANDIDATE_LIMIT:
        inner, outer = f"{holds} OFFSET 0", where
    else:  # what the caller may not see must not take the place of what they may
        inner, outer = f"{holds} AND {where} LIMIT {CANDIDATE_LIMIT:d}", "true"
    source = f"SELECT {_INNER} FROM (SELECT * FROM {table_of(home)} WHERE {inner}) t WHERE {outer}"
    # By id too: which of equal scores are candidates must not depend on where rows lie.
    return f"{source} ORDER BY {builder.score('bm25')} DESC, id LIMIT :limit"


def ef_search(entries: int) -> int:
    """How widely a graph of so many entries is searched."""
    return max(EF_SEARCH, round(EF_SEARCH * (entries / _WIDTH_SIZE) ** _WIDTH_GROWTH))


def scan_settings(targets: Sequence[Target], filters: Filters, limit: int) -> dict[str, str]:
    """Settings of the searching transaction.

    JIT costs 100 ms where a search takes 5. The planner takes the comparison of term arrays for as cheap as
    one of integers and prefers it on every row to the GIN index: 790 ms against 24 for 20,000 rows.
    """
    settings = {"jit": "off", "enable_seqscan": "off"}
    own = [target for target in targets if target.home != SHARED_HOME]
    by_dimensions: dict[int, list[Target]] = {}
    for target in targets:
        if target.home == SHARED_HOME:
            by_dimensions.setdefault(target.dimensions, []).append(target)
    visits = [
        most for shared in by_dimensions.values() if (most := filters.visits(shared, limit)) is not None
    ]
    wide = False
    if own or visits:
        wide = any(target.dimensions > HALFVEC_HNSW_LIMIT for target in targets)
        wanted = limit * _BINARY_OVERSAMPLING if wide else limit
        # So many entries have to be come by for the wanted ones among them: better in one walk than in many.
        passed = int(wanted / max(filters.share, _LEAST_SHARE))
        largest = max(target.entries for target in own) if own else max(filters.shared_graphs.values())
        settings["hnsw.ef_search"] = str(min(max(ef_search(largest), passed), _MAX_EF_SEARCH))
        # strict_order would drop what a later walk finds nearer than what an earlier one gave. Each home is
        # limited by itself, and all its candidates are put in order afterwards.
        settings["hnsw.iterative_scan"] = "relaxed_order"
    if visits and not own:
        settings["hnsw.max_scan_tuples"] = str(max(visits) * _GRAPH_PATIENCE)
    elif own and filters.acl_ids is not None:
        wanted = limit * (_BINARY_OVERSAMPLING if wide else 1) / max(filters.share, _LEAST_SHARE)
        settings["hnsw.max_scan_tuples"] = str(max(int(wanted * _GRAPH_PATIENCE), _SCAN_TUPLES))
    return settings
