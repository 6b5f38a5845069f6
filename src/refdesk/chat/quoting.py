"""Stage `answer` without a language model: the sentences of the found paragraphs that best answer, verbatim.

Each quotation is a span of a paragraph and carries its own citation, so a reader sees exactly these words in
their place. That no model is connected is told beside the answer, as the warning `no-language-model`; the
answer itself holds nothing but original wording.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import structlog

from refdesk.chat.answering import citation_of
from refdesk.chat.context import RunContext
from refdesk.chat.evidence import Verdict
from refdesk.chat.selection import Candidate, Likeness, candidates, select
from refdesk.chat.verification import sentence_record
from refdesk.gateway import ModelError
from refdesk.retrieval import Hit, SearchResult

log = structlog.get_logger(__name__)

# The nearest candidates by words that are embedded: 4 ms CPU each with the embedded model.
MOST_EMBEDDED = 24


@dataclass(frozen=True, slots=True)
class Quotation:
    """A span of a hit's content, and how it is written in Markdown."""

    hit: Hit
    start: int
    end: int
    markdown: str


async def quote_answer(context: RunContext, query: str, result: SearchResult) -> None:
    """Write the quotations. Without an embedder that answers, words alone choose."""
    recorder = context.recorder
    recorder.warning("no-language-model", _notice(context))
    async with recorder.stage("answer") as detail:
        pool = candidates(query, result.hits)
        likeness = await _likeness(context, query, pool)
        chosen = select(query, pool, likeness)
        quotations = [_quotation(part) for part in _joined(chosen)]
        detail |= {"candidates": len(pool), "quotations": len(quotations), "embedded": likeness is not None}
        for n, quotation in enumerate(quotations, 1):
            source = result.hits.index(quotation.hit) + 1
            text = quotation.hit.content[quotation.start : quotation.end]
            recorder.citation(citation_of(quotation.hit, n, text, offset=quotation.start, source=source))
            before = len(recorder.answer)
            lead = "\n\n" if before else ""
            recorder.delta(f"{lead}{quotation.markdown}{_gap(quotation.markdown)}[{n}]")
            answer = recorder.answer
            recorder.sentences.append(
                sentence_record(answer, (before + len(lead), len(answer)), Verdict(True, 1.0, "verbatim"))
            )


async def _likeness(context: RunContext, query: str, pool: Sequence[Candidate]) -> Likeness | None:
    nearest = sorted(range(len(pool)), key=lambda at: -pool[at].lexical)[:MOST_EMBEDDED]
    if not nearest:
        return None
    try:
        embedder = await context.embedders.embedder(context.scope, pool[nearest[0]].hit.knowledge_base_id)
        query_vector = (await embedder.embed_queries([query]))[0]
        vectors = await embedder.embed_passages([pool[at].text_in_context for at in nearest])
    except ModelError as error:
        log.warning("chat.quoting-without-embedder", code=error.code)
        return None
    cosines = vectors @ query_vector
    return {
        at: (float(embedder.calibration.calibrate(float(cosine))), vector)
        for at, cosine, vector in zip(nearest, cosines, vectors, strict=True)
    }


def _joined(chosen: Sequence[Candidate]) -> list[list[Candidate]]:
    """Neighbours in one paragraph become one quotation; the best one's place in the order counts."""
    groups: list[list[Candidate]] = []
    for candidate in chosen:
        for group in groups:
            if any(candidate.follows(other) or other.follows(candidate) for other in group):
                group.append(candidate)
                group.sort(key=lambda part: part.unit.start)
                break
        else:
            groups.append([candidate])
    return groups


def _quotation(parts: Sequence[Candidate]) -> Quotation:
    first, last = parts[0], parts[-1]
    content = first.hit.content
    start, end = first.unit.start, last.unit.end
    text = content[start:end]
    if first.unit.kind == "row":
        head = content[slice(*first.unit.head)] + "\n" if first.unit.head else ""
        return Quotation(first.hit, start, end, f"{head}{text}\n")
    if first.unit.kind == "code":
        return Quotation(first.hit, start, end, f"```{first.unit.language}\n{text}\n```\n")
    title = f"**{first.heading}**\n\n" if first.needs_heading else ""
    return Quotation(first.hit, start, end, title + text)


def _gap(markdown: str) -> str:
    """A table or code block is closed by an empty line before its mark."""
    return "\n" if markdown.endswith("\n") else " "


def _notice(context: RunContext) -> str:
    if context.language == "zh":
        return "尚未连接语言模型：以下是从文档中摘录的原文，连接模型后可获得归纳式的回答。"
    return (
        "No language model is connected: these are passages quoted from the documents. "
        "Connect a model to get written answers."
    )
