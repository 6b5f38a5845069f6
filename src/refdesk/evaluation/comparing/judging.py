"""What came of one answer, and the figures of many. Pure: what goes in is data.

An answer is judged by what it cites, not by what the search found: a reader sees the former.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from refdesk.chat import RunOut, is_refusal
from refdesk.evaluation import metrics
from refdesk.evaluation.cases import Expected

AnswerOutcome = Literal["right", "elsewhere", "missed", "refused", "answered", "asked", "unjudged", "failed"]
"""`right`: something expected is cited. `elsewhere`: an answer, but nothing expected is cited. `missed`: it
says that nothing was found, though there is something. `refused`: it rightly says so. `answered`: an answer
to a question that has none. `asked`: the person is asked something instead. `unjudged`: nothing is expected,
or nothing of it is there for the caller. `failed`: the run ended with an error."""

ANSWERABLE = ("right", "elsewhere", "missed")
UNANSWERABLE = ("refused", "answered")


@dataclass(frozen=True, slots=True)
class Judged:
    """One answer. `recall` is the share of what is expected that is cited, None where nothing is or the run
    failed; `sentences` are those checked against the evidence. `error` is the code of what failed."""

    outcome: AnswerOutcome
    recall: float | None = None
    citations: int = 0
    sentences: int = 0
    unsupported: int = 0
    elapsed_ms: float = 0.0
    input_tokens: int = 0
    output_tokens: int = 0
    error: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The figures, without the outcome."""
        figures = asdict(self)
        del figures["outcome"]
        return figures


def judge_answer(expected: Expected, run: RunOut) -> Judged:
    """What came of a run that has ended. The time is that of the work, not of waiting for a turn."""
    begun, ended = run.started_at or run.created_at, run.finished_at or run.created_at
    elapsed_ms = round((ended - begun).total_seconds() * 1000, 2)
    tokens = (run.usage.input_tokens, run.usage.output_tokens)
    if run.state != "finished":
        code = run.error.code if run.error is not None else run.state
        return Judged(
            "failed", elapsed_ms=elapsed_ms, input_tokens=tokens[0], output_tokens=tokens[1], error=code
        )
    relevance = expected.relevance()
    cited = _cited(run, expected)
    refused = refuses(run)
    return Judged(
        _outcome(expected, asked=run.form is not None, refused=refused, hit=bool(cited & relevance.keys())),
        recall=len(cited & relevance.keys()) / len(relevance) if relevance else None,
        citations=len(run.citations),
        sentences=0 if refused else len(run.sentences),
        unsupported=0 if refused else sum(not sentence.supported for sentence in run.sentences),
        elapsed_ms=elapsed_ms,
        input_tokens=tokens[0],
        output_tokens=tokens[1],
    )


def refuses(run: RunOut) -> bool:
    """Whether the answer is that nothing was found: the stage for that wrote it, or the model says so."""
    if run.citations or run.form is not None:
        return False
    wrote_empty = any(stage.name == "empty" and stage.state == "finished" for stage in run.stages)
    return wrote_empty or is_refusal(run.answer)


def _cited(run: RunOut, expected: Expected) -> set[str]:
    """What the citations count as: the expected paragraph each is, and its document."""
    keys: set[str] = set()
    for one in run.citations:
        if one.paragraph_id is not None and one.paragraph_id in expected.paragraph_ids:
            keys.add(f"p:{one.paragraph_id}")
        if one.document_id is not None:
            keys.add(f"d:{one.document_id}")
    return keys


def _outcome(expected: Expected, *, asked: bool, refused: bool, hit: bool) -> AnswerOutcome:
    if not expected.is_judged:
        return "unjudged"
    if asked:
        return "asked"
    if expected.is_unanswerable:
        return "refused" if refused else "answered"
    if hit:
        return "right"
    return "missed" if refused else "elsewhere"


@dataclass(frozen=True, slots=True)
class VariantFigures:
    """The figures of one variant over the questions asked of it so far; None where there is no question to
    take a mean over. Latency is of runs that did not fail. `costs` are sums by currency; `uncosted` counts
    answers whose tokens have no known price."""

    asked: int
    answerable: int
    unanswerable: int
    unjudged: int
    asked_back: int
    failed: int
    right: float | None
    recall: float | None
    missed: float | None
    refused_when_not: float | None
    sentences: int
    unsupported: int
    p50_ms: float
    p95_ms: float
    input_tokens: int
    output_tokens: int
    costs: Mapping[str, float]
    uncosted: int
    errors: Mapping[str, int]


def figures_of(answers: Sequence[tuple[str, Mapping[str, Any]]]) -> VariantFigures:
    """Of answers as `(outcome, figures)`."""
    answerable = [(outcome, one) for outcome, one in answers if outcome in ANSWERABLE]
    unanswerable = [outcome for outcome, _ in answers if outcome in UNANSWERABLE]
    times = [one["elapsed_ms"] for outcome, one in answers if outcome != "failed"]
    costs: dict[str, float] = {}
    errors: dict[str, int] = {}
    for _, one in answers:
        for currency, amount in one.get("costs", {}).items():
            costs[currency] = costs.get(currency, 0.0) + amount
        if one["error"] is not None:
            errors[one["error"]] = errors.get(one["error"], 0) + 1
    return VariantFigures(
        asked=len(answers),
        answerable=len(answerable),
        unanswerable=len(unanswerable),
        unjudged=sum(outcome == "unjudged" for outcome, _ in answers),
        asked_back=sum(outcome == "asked" for outcome, _ in answers),
        failed=sum(outcome == "failed" for outcome, _ in answers),
        right=_mean([outcome == "right" for outcome, _ in answerable]),
        recall=_mean([one["recall"] or 0.0 for _, one in answerable]),
        missed=_mean([outcome == "missed" for outcome, _ in answerable]),
        refused_when_not=_mean([outcome == "refused" for outcome in unanswerable]),
        sentences=sum(one["sentences"] for _, one in answers),
        unsupported=sum(one["unsupported"] for _, one in answers),
        p50_ms=metrics.percentile(times, 0.5),
        p95_ms=metrics.percentile(times, 0.95),
        input_tokens=sum(one["input_tokens"] for _, one in answers),
        output_tokens=sum(one["output_tokens"] for _, one in answers),
        costs=costs,
        uncosted=sum(bool(one["input_tokens"]) and not one.get("costs") for _, one in answers),
        errors=errors,
    )


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None
