"""Stage `answer` without a language model: the sentences of the found paragraphs that best answer, verbatim,
and what tools answered, as it stands.

Each quotation is a span of a paragraph and carries its own citation, so a reader sees exactly these words in
their place. That no model is connected is told beside the answer, as the warning `no-language-model`; the
answer itself holds nothing but original wording.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import structlog

from refdesk.chat.context import RunContext
from refdesk.chat.evidence import Verdict
from refdesk.chat.language import Language
from refdesk.chat.recorder import RunRecorder
from refdesk.chat.rendering import rendered
from refdesk.chat.selection import Candidate, Likeness, candidates, select
from refdesk.chat.stages.retrieve.found import Found, PartFound, ToolAnswer, citation_of, tool_citation
from refdesk.chat.verification import sentence_record
from refdesk.gateway import ModelError
from refdesk.retrieval import Hit

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


async def quote_answer(context: RunContext, found: Found) -> None:
    """Write the quotations and the tools' answers. Without an embedder that answers, words alone choose."""
    recorder = context.recorder
    if context.completer is None:
        recorder.warning("no-language-model", _notice(context))
    async with recorder.stage("answer") as detail:
        detail |= {"candidates": 0, "quotations": 0, "embedded": False, "tools": len(found.answers)}
        sources = {hit.paragraph_id: n for n, hit in enumerate(found.hits, 1)}
        writer = _Writer(recorder, sources, context.language)
        several = len([part for part in found.parts if part.hits or part.answers]) > 1
        for part in found.parts:
            quotations = await _quotations(context, part, detail)
            if several and (quotations or part.answers):
                writer.heading(part.question)
            for answer in part.answers:
                writer.tool(answer)
            for quotation in quotations:
                writer.quote(quotation)


async def _quotations(context: RunContext, part: PartFound, detail: dict[str, Any]) -> list[Quotation]:
    if not part.hits:
        return []
    direct = [hit for hit in part.hits if hit.returns_directly]
    if direct:  # such a paragraph is quoted whole
        hit = max(direct, key=lambda one: one.similarity)
        detail["returned_directly"] = str(hit.paragraph_id)
        return [Quotation(hit, 0, len(hit.content), hit.content)]
    pool = candidates(part.question, part.hits)
    likeness = await _likeness(context, part.question, pool)
    quotations = [_quotation(chosen) for chosen in _joined(select(part.question, pool, likeness))]
    detail["candidates"] += len(pool)
    detail["quotations"] += len(quotations)
    detail["embedded"] = detail["embedded"] or likeness is not None
    return quotations


@dataclass(slots=True)
class _Writer:
    """Writes verbatim pieces, each with its citation and marked as carried by it. `sources` numbers the
    paragraphs that were found; tools come after them."""

    recorder: RunRecorder
    sources: Mapping[UUID, int]
    language: Language
    n: int = 0

    def heading(self, question: str) -> None:
        self.recorder.delta(f"{self._lead()}**{question}**")

    def quote(self, quotation: Quotation) -> None:
        text = quotation.hit.content[quotation.start : quotation.end]
        source = self.sources[quotation.hit.paragraph_id]
        self.n += 1
        self.recorder.citation(
            citation_of(quotation.hit, self.n, text, offset=quotation.start, source=source)
        )
        self._write(quotation.markdown)

    def tool(self, answer: ToolAnswer) -> None:
        text = rendered(answer.result, self.language)
        self.n += 1
        source = len(self.sources) + self.n
        self.recorder.citation(
            tool_citation(answer.name, answer.title, answer.result.text, self.n, source=source)
        )
        self._write(f"**{answer.title}**\n\n{text}")

    def _write(self, markdown: str) -> None:
        lead, before = self._lead(), len(self.recorder.answer)
        self.recorder.delta(f"{lead}{markdown}{_gap(markdown)}[{self.n}]")
        answer = self.recorder.answer
        self.recorder.sentences.append(
            sentence_record(answer, (before + len(lead), len(answer)), Verdict(True, 1.0, "verbatim"))
        )

    def _lead(self) -> str:
        return "\n\n" if self.recorder.answer else ""


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
