"""Stage `evidence`: each sentence of a written answer is compared with what was in the prompt.

Sentences without support are marked in the record, never removed. The comparison runs in a thread: a long
answer takes tens of milliseconds, which the other streams of the process should not wait for.
"""

import asyncio
import re
from collections.abc import Sequence
from typing import Any

import structlog

from refdesk.chat.context import RunContext
from refdesk.chat.evidence import Evidence, Source, Verdict
from refdesk.chat.refusals import exact_refusal, is_refusal
from refdesk.gateway import ModelError
from refdesk.knowledge.splitting import sentences

log = structlog.get_logger(__name__)

# Sentences and sources that are embedded at most, for answers in another language than their evidence.
MOST_EMBEDDED = 32

_FENCE = re.compile(r"^(`{3,}|~{3,})[^\n]*\n.*?(?:^\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_MARKS = re.compile(r"(?:\s*\[\d{1,3}\])+")
_NUMBER = re.compile(r"\[(\d{1,3})\]")


def statements(answer: str) -> list[tuple[int, int]]:
    """Spans of the sentences of an answer. A code block is one; marks stay with what they follow."""
    spans: list[tuple[int, int]] = []
    at = 0
    for fence in _FENCE.finditer(answer):
        spans += _prose(answer, at, fence.start())
        spans.append((fence.start(), fence.end()))
        at = fence.end()
    spans += _prose(answer, at, len(answer))
    return spans


def _prose(answer: str, start: int, end: int) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for left, right in sentences(answer[start:end]):
        left, right = left + start, right + start
        marks = _MARKS.match(answer, left, right)
        if marks is not None and spans:
            spans[-1] = (spans[-1][0], marks.end())
            left = marks.end()
            while left < right and answer[left].isspace():
                left += 1
        if left < right:
            spans.append((left, right))
    return spans


async def verify(context: RunContext, sources: Sequence[Source]) -> None:
    """Fill the record's sentences. An answer that is nothing but "not found" gets the exact wording of that
    where it can still be changed."""
    recorder = context.recorder
    wording = exact_refusal(recorder.answer, context.language)
    if wording is not None and context.models.purpose.may_restart and not context.profile.empty_reply:
        recorder.restart()
        recorder.delta(wording)
    answer = recorder.answer
    async with recorder.stage("evidence") as detail:
        detail["refusal"] = is_refusal(answer)
        spans = statements(answer)
        evidence = Evidence(sources)
        likeness = await _likeness(context, evidence, [answer[a:b] for a, b in spans])
        verdicts = await asyncio.to_thread(_judge, answer, spans, evidence, likeness)
        recorder.sentences = [
            sentence_record(answer, span, verdict) for span, verdict in zip(spans, verdicts, strict=True)
        ]
        detail["sentences"] = len(verdicts)
        detail["unsupported"] = sum(not verdict.supported for verdict in verdicts)


def sentence_record(answer: str, span: tuple[int, int], verdict: Verdict) -> dict[str, Any]:
    """A sentence as the run's record holds it; offsets count characters of the answer."""
    start, end = span
    text = answer[start:end]
    return {
        "text": text,
        "start": start,
        "end": end,
        "supported": verdict.supported,
        "score": round(verdict.score, 3),
        "reason": verdict.reason,
        "citations": sorted({int(n) for n in _NUMBER.findall(text)}),
    }


def unchecked(answer: str) -> list[dict[str, Any]]:
    """The sentences of an answer that was never compared with its evidence, marked so."""
    verdict = Verdict(False, 0.0, "not-checked")
    return [sentence_record(answer, span, verdict) for span in statements(answer)]


def _judge(
    answer: str, spans: Sequence[tuple[int, int]], evidence: Evidence, likeness: Sequence[float | None]
) -> list[Verdict]:
    verdicts: list[Verdict] = []
    for (start, end), similar in zip(spans, likeness, strict=True):
        text = answer[start:end]
        verdicts.append(evidence.check_code(text) if _FENCE.match(text) else evidence.check(text, similar))
    return verdicts


async def _likeness(context: RunContext, evidence: Evidence, texts: Sequence[str]) -> Sequence[float | None]:
    """Calibrated similarity of each sentence to its best source, where words alone cannot tell."""
    none: list[float | None] = [None] * len(texts)
    wanted = [at for at, text in enumerate(texts) if evidence.is_foreign(text)][:MOST_EMBEDDED]
    bases = context.profile.knowledge_base_ids
    if not wanted or not evidence.sources or not bases:
        return none
    try:
        embedder = await context.embedders.embedder(context.scope, bases[0])
        queries = await embedder.embed_queries([texts[at] for at in wanted])
        passages = await embedder.embed_passages([source.text for source in evidence.sources[:MOST_EMBEDDED]])
    except ModelError as error:
        log.warning("chat.likeness-failed", code=error.code)
        return none
    best = (queries @ passages.T).max(axis=1)
    for at, cosine in zip(wanted, best, strict=True):
        none[at] = float(embedder.calibration.calibrate(float(cosine)))
    return none
