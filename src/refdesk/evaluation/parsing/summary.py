"""Totals by kind, level and expectation, and every failure."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TypedDict

from refdesk.evaluation.parsing.running import Outcome


class Count(TypedDict):
    """How many rows, and how many of them hold."""

    total: int
    passed: int


class Row(TypedDict):
    """One file in the report."""

    file: str
    kind: str
    level: str
    expect: str
    outcome: str
    seconds: float
    coverage: float | None
    warnings: list[str]
    faults: list[str]


class Summary(TypedDict):
    """The JSON that `--json` prints."""

    total: int
    passed: int
    failed: int
    by_kind: dict[str, Count]
    by_level: dict[str, Count]
    by_expect: dict[str, Count]
    seconds: float
    failures: list[Row]
    rows: list[Row]


def summary(outcomes: Sequence[Outcome]) -> Summary:
    """What came out, counted."""
    rows = [_row(outcome) for outcome in outcomes]
    passed = sum(outcome.holds for outcome in outcomes)
    return {
        "total": len(rows),
        "passed": passed,
        "failed": len(rows) - passed,
        "by_kind": _counts(outcomes, lambda o: o.expectation.kind),
        "by_level": _counts(outcomes, lambda o: o.expectation.level),
        "by_expect": _counts(outcomes, lambda o: o.expectation.expect),
        "seconds": round(sum(outcome.seconds for outcome in outcomes), 1),
        "failures": [row for row in rows if row["faults"]],
        "rows": rows,
    }


def _row(outcome: Outcome) -> Row:
    return {
        "file": outcome.expectation.file,
        "kind": outcome.expectation.kind,
        "level": outcome.expectation.level,
        "expect": outcome.expectation.expect,
        "outcome": outcome.code or "text",
        "seconds": round(outcome.seconds, 2),
        "coverage": None if outcome.coverage is None else round(outcome.coverage, 5),
        "warnings": list(outcome.warnings),
        "faults": list(outcome.faults),
    }


def _counts(outcomes: Sequence[Outcome], key: Callable[[Outcome], str]) -> dict[str, Count]:
    counts: dict[str, Count] = defaultdict(lambda: {"total": 0, "passed": 0})
    for outcome in outcomes:
        counts[key(outcome)]["total"] += 1
        counts[key(outcome)]["passed"] += outcome.holds
    return dict(sorted(counts.items()))
