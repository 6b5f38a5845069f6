"""What this process's calls came to since it began, for scraping: counted in memory, a few microseconds each.

The record in the database tells of single calls and of all processes; this tells of one process, at once, and
also while the database is away.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from uuid import UUID

from refdesk.gateway.usage.records import CallRecord
from refdesk.kit.prometheus import Family

BOUNDS_S = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)

type ModelKey = tuple[UUID, UUID, str]
"""Workspace, model, kind."""


@dataclass(slots=True)
class _Spread:
    """How values are spread over the bounds, and their sum."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS_S) + 1))
    total_s: float = 0.0

    def add(self, milliseconds: int) -> None:
        seconds = milliseconds / 1000
        self.counts[bisect_left(BOUNDS_S, seconds)] += 1
        self.total_s += seconds


class CallMeter:
    """Counts calls. One a process."""

    def __init__(self) -> None:
        self._calls: defaultdict[tuple[ModelKey, str, str], int] = defaultdict(int)
        self._cached: defaultdict[ModelKey, int] = defaultdict(int)
        self._failed_tries: defaultdict[tuple[ModelKey, str], int] = defaultdict(int)
        self._tokens: defaultdict[tuple[ModelKey, str], int] = defaultdict(int)
        self._latencies: defaultdict[ModelKey, _Spread] = defaultdict(_Spread)
        self._first_tokens: defaultdict[ModelKey, _Spread] = defaultdict(_Spread)

    def add(self, call: CallRecord) -> None:
        """Count a call that is over."""
        workspace_id = call.scope.workspace_id
        key = (workspace_id, call.model_id, call.kind)
        self._calls[key, call.purpose.path, call.code] += 1
        for tried in call.failed:
            self._failed_tries[(workspace_id, tried.model_id, call.kind), tried.code] += 1
        if call.is_cached:
            self._cached[key] += 1
            return  # no model was asked: its times and tokens are not these
        if call.usage is not None:
            self._tokens[key, "input"] += call.usage.input_tokens
            self._tokens[key, "output"] += call.usage.output_tokens
            self._tokens[key, "cached"] += call.usage.cached_tokens
        if call.code == "ok":
            self._latencies[key].add(call.latency_ms)
            if call.first_token_ms is not None:
                self._first_tokens[key].add(call.first_token_ms)

    def families(self, name_of: Callable[[UUID], str]) -> list[Family]:
        """All of it; models under their present names."""

        def labels(key: ModelKey) -> dict[str, str]:
            workspace_id, model_id, kind = key
            return {"workspace": str(workspace_id), "model": name_of(model_id), "kind": kind}

        calls = Family("refdesk_model_calls_total", "counter", "Calls that are over, by outcome.")
        for (key, path, code), count in self._calls.items():
            calls.add(count, **labels(key), path=path, code=code)
        cached = Family(
            "refdesk_model_cached_answers_total", "counter", "Calls answered from the response cache."
        )
        for key, count in self._cached.items():
            cached.add(count, **labels(key))
        tries = Family(
            "refdesk_model_failed_tries_total", "counter", "Tries that failed and were followed by another."
        )
        for (key, code), count in self._failed_tries.items():
            tries.add(count, **labels(key), code=code)
        tokens = Family(
            "refdesk_model_tokens_total", "counter", "Tokens by direction; cached ones are a part of input."
        )
        for (key, direction), count in self._tokens.items():
            tokens.add(count, **labels(key), direction=direction)
        whole = Family(
            "refdesk_model_call_seconds", "histogram", "Whole calls that succeeded, queueing included."
        )
        first = Family(
            "refdesk_model_first_token_seconds", "histogram", "Until the first token, queueing included."
        )
        for family, spreads in ((whole, self._latencies), (first, self._first_tokens)):
            for key, spread in spreads.items():
                family.add_histogram(BOUNDS_S, spread.counts, spread.total_s, labels(key))
        return [calls, cached, tries, tokens, whole, first]
