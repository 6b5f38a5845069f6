"""Retrieval test sets in the BEIR form: a corpus, queries, and which passages are relevant to which query."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from refdesk.evaluation.errors import TestSetEmpty, TestSetUnreadable


@dataclass(frozen=True, slots=True)
class Passage:
    """A line of the corpus."""

    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class JudgedQuery:
    """A query and the grades of what is relevant to it (all above 0)."""

    id: str
    text: str
    relevance: dict[str, float]


@dataclass(frozen=True, slots=True)
class RetrievalSet:
    """Passages, the queries that have a relevant one among them, and those that are said to have none."""

    passages: tuple[Passage, ...]
    queries: tuple[JudgedQuery, ...]
    unanswerable: tuple[JudgedQuery, ...] = ()


def load_retrieval_set(
    corpus: Path, queries: Path, qrels: Path, *, sample: int | None = None
) -> RetrievalSet:
    """Read the three files. `sample` keeps that many queries, evenly spread, always the same.

    A query with `"nothing": true` has no answer in the corpus; one without relevant passages is left out.

    Raises `TestSetUnreadable` or `TestSetEmpty`.
    """
    passages = tuple(
        Passage(_field(line, "id", corpus), str(line.get("title") or ""), _field(line, "text", corpus))
        for line in _lines(corpus)
    )
    known = {passage.id for passage in passages}
    relevance = _relevance(qrels)
    judged: list[JudgedQuery] = []
    unanswerable: list[JudgedQuery] = []
    for line in _lines(queries):
        query_id = _field(line, "id", queries)
        grades = {key: grade for key, grade in relevance.get(query_id, {}).items() if key in known}
        if line.get("nothing") is True:
            unanswerable.append(JudgedQuery(query_id, _field(line, "text", queries), {}))
        elif grades:
            judged.append(JudgedQuery(query_id, _field(line, "text", queries), grades))
    if not judged:
        raise TestSetEmpty(passages=len(passages))
    if sample is not None and 0 < sample < len(judged):
        judged = [judged[i * len(judged) // sample] for i in range(sample)]
    return RetrievalSet(passages, tuple(judged), tuple(unanswerable))


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with path.open(encoding="utf-8-sig") as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                record = json.loads(line)
                if not isinstance(record, dict):
                    raise TestSetUnreadable(file=str(path), line=number)
                yield record
    except (OSError, ValueError) as error:
        raise TestSetUnreadable(file=str(path), reason=str(error)) from error


def _field(record: dict[str, Any], name: str, path: Path) -> str:
    value = record.get(name, record.get("_id") if name == "id" else None)
    if value is None:
        raise TestSetUnreadable(file=str(path), missing=name)
    return str(value)


def _relevance(path: Path) -> dict[str, dict[str, float]]:
    relevance: dict[str, dict[str, float]] = {}
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, ValueError) as error:
        raise TestSetUnreadable(file=str(path), reason=str(error)) from error
    for number, line in enumerate(lines, 1):
        cells = line.split("\t")
        if not line.strip() or (number == 1 and cells[0].strip().lower() in ("query-id", "query_id", "qid")):
            continue
        try:
            query_id, passage_id, grade = cells[0], cells[1], float(cells[2]) if len(cells) > 2 else 1.0
        except (IndexError, ValueError) as error:
            raise TestSetUnreadable(file=str(path), line=number) from error
        if grade > 0:
            relevance.setdefault(query_id, {})[passage_id] = grade
    return relevance
