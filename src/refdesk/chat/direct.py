"""Stage `answer` where a document asks for its paragraphs as they are: no model, not a word changed.

For prices, rules and whatever else must not be rephrased. The nearest such paragraph is the whole answer.
"""

from refdesk.chat.context import RunContext
from refdesk.chat.evidence import Verdict
from refdesk.chat.stages.retrieve.found import Found, citation_of
from refdesk.chat.verification import sentence_record
from refdesk.retrieval import Hit


def direct_hit(found: Found) -> Hit | None:
    """The nearest hit that is to be returned directly."""
    direct = [hit for hit in found.hits if hit.returns_directly]
    return max(direct, key=lambda hit: hit.similarity, default=None)


async def return_directly(context: RunContext, hit: Hit, found: Found) -> None:
    """Write the paragraph with its citation."""
    recorder = context.recorder
    async with recorder.stage("answer") as detail:
        detail |= {"returned_directly": str(hit.paragraph_id), "similarity": round(hit.similarity, 4)}
        recorder.citation(citation_of(hit, 1, hit.content, offset=0, source=found.hits.index(hit) + 1))
        # A fence or a table must stay the last thing on its line.
        gap = "\n\n" if hit.content.rstrip().endswith(("|", "```")) else " "
        recorder.delta(f"{hit.content.rstrip()}{gap}[1]")
        answer = recorder.answer
        recorder.sentences.append(sentence_record(answer, (0, len(answer)), Verdict(True, 1.0, "verbatim")))
