"""Stage `answer` where a document asks for its paragraphs as they are: no model, not a word changed.

For prices, rules and whatever else must not be rephrased. The nearest such paragraph is the whole answer.
"""

from refdesk.chat.answering import citation_of
from refdesk.chat.context import RunContext
from refdesk.chat.evidence import Verdict
from refdesk.chat.verification import sentence_record
from refdesk.retrieval import Hit, SearchResult


def direct_hit(result: SearchResult) -> Hit | None:
    """The nearest hit that is to be returned directly."""
    direct = [hit for hit in result.hits if hit.returns_directly]
    return max(direct, key=lambda hit: hit.similarity, default=None)


async def return_directly(context: RunContext, hit: Hit, result: SearchResult) -> None:
    """Write the paragraph with its citation."""
    recorder = context.recorder
    async with recorder.stage("answer") as detail:
        detail |= {"returned_directly": str(hit.paragraph_id), "similarity": round(hit.similarity, 4)}
        recorder.citation(citation_of(hit, 1, hit.content, offset=0, source=result.hits.index(hit) + 1))
        # A fence or a table must stay the last thing on its line.
        gap = "\n\n" if hit.content.rstrip().endswith(("|", "```")) else " "
        recorder.delta(f"{hit.content.rstrip()}{gap}[1]")
        answer = recorder.answer
        recorder.sentences.append(sentence_record(answer, (0, len(answer)), Verdict(True, 1.0, "verbatim")))
