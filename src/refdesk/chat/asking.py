"""The message that asks a model for the answer: what it is told, in which order, within how many tokens.

Pure: what goes in is data, what comes out is the exact request, so that it can be shown before it is sent.
Everything fetched is fenced as data; the rules hold whatever an application's own prompt says.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from refdesk.chat.language import Language
from refdesk.chat.packing import estimated_tokens, pack, pack_text
from refdesk.chat.profile import RunProfile, Turn
from refdesk.chat.prompts import (
    ANSWER_PROMPTS,
    NOTE_LINES,
    PART_LINES,
    RULE_LINES,
    SUMMARY_LINES,
    SYSTEM_PROMPTS,
    TOOL_RULES,
    Situation,
    defused,
    fill,
)
from refdesk.chat.stages.memory import Memory
from refdesk.chat.stages.retrieve.found import Found, PartFound, Passage, Piece, ToolText
from refdesk.gateway import CompletionRequest, Content, ImagePart, Message, TextPart
from refdesk.retrieval import Hit

# Part of the context kept for the answer, and the least and most of it.
ANSWER_SHARE, ANSWER_LEAST, ANSWER_MOST = 0.25, 256, 4_096
MAX_HISTORY_ANSWER_CHARS = 1_200
# What tools answered takes at most this much of the room for evidence where documents want some too.
TOOL_SHARE = 0.5
LEAST_EVIDENCE_TOKENS = 200


@dataclass(frozen=True, slots=True)
class AnswerRequest:
    """The request, and what its numbers stand for: `pieces[n - 1]` is source `n`."""

    request: CompletionRequest
    pieces: tuple[Piece, ...]
    situation: Situation
    left_out: int


def situation_of(found: Found) -> Situation:
    """What there is to answer from."""
    if not found.hits:
        return "tools" if found.answers else "empty"
    return "both" if found.answers else "knowledge"


def answer_request(
    profile: RunProfile,
    language: Language,
    found: Found,
    memory: Memory,
    *,
    context_tokens: int,
    pictures: Sequence[ImagePart] = (),
) -> AnswerRequest:
    """The request for the answer to what was found."""
    situation = situation_of(found)
    reserved = profile.max_tokens or int(min(max(context_tokens * ANSWER_SHARE, ANSWER_LEAST), ANSWER_MOST))
    system = system_prompt(profile, language, situation, memory, found.rules)
    template = template_of(profile, language, situation)
    fixed = estimated_tokens(system) + estimated_tokens(template) + estimated_tokens(found.question)
    left = context_tokens - reserved - fixed - 64
    history = history_messages(memory.turns, left // 3)
    left -= sum(estimated_tokens(message.text) for message in history)
    groups = _packed(found, profile.max_context_chars, max(left, LEAST_EVIDENCE_TOKENS))
    asked = fill(template, data=_data(groups, language), question=found.question)
    pieces = tuple(piece for _, group in groups for piece in group)
    content: Content = (*pictures, TextPart(asked)) if pictures else asked
    return AnswerRequest(
        CompletionRequest(
            messages=[Message("system", system), *history, Message("user", content)],
            temperature=profile.temperature,
            max_tokens=profile.max_tokens,
        ),
        pieces,
        situation,
        left_out=len(found.hits) + len(found.answers) - len(pieces),
    )


def system_prompt(
    profile: RunProfile, language: Language, situation: Situation, memory: Memory, rules: Sequence[str] = ()
) -> str:
    """The application's own prompt, the rules, which always hold, and what is known beside the sources."""
    blocks = [profile.system_prompt, SYSTEM_PROMPTS[language]]
    if situation in ("tools", "both"):
        blocks.append(TOOL_RULES[language])
    if rules:
        blocks.append(RULE_LINES[language].format(text="\n".join(f"- {rule}" for rule in rules)))
    if memory.notes:
        notes = "\n".join(f"- {defused(note)}" for note in memory.notes)
        blocks.append(NOTE_LINES[language].format(text=notes))
    if memory.summary:
        blocks.append(SUMMARY_LINES[language].format(text=defused(memory.summary)))
    return "\n\n".join(block for block in blocks if block)


def template_of(profile: RunProfile, language: Language, situation: Situation) -> str:
    """The application's template of a situation, else the built-in one."""
    own: str = getattr(profile.prompts, situation)
    return own or ANSWER_PROMPTS[situation][language]


def _packed(found: Found, max_chars: int, max_tokens: int) -> list[tuple[PartFound, list[Piece]]]:
    """What fits of each part: tools first, then its documents, each in reading order."""
    tools: dict[str, str] = {}
    tool_tokens = int(max_tokens * TOOL_SHARE) if found.hits else max_tokens
    answers = found.answers
    for at, answer in enumerate(answers):
        # What the earlier ones left is shared among those that are still to come.
        text = pack_text(answer.result.text, max_tokens=tool_tokens // (len(answers) - at))
        tools[answer.id] = text
        tool_tokens -= estimated_tokens(text)
    spent = sum(estimated_tokens(text) for text in tools.values())
    texts = {
        hit.paragraph_id: text
        for hit, text in pack(_in_turn(found), max_chars=max_chars, max_tokens=max(0, max_tokens - spent))
    }
    groups: list[tuple[PartFound, list[Piece]]] = []
    for part in found.parts:
        pieces: list[Piece] = [ToolText(answer, tools[answer.id]) for answer in part.answers]
        own = [hit for hit in part.hits if hit.paragraph_id in texts]
        pieces += [Passage(hit, texts.pop(hit.paragraph_id)) for hit in in_reading_order(own)]
        if pieces:
            groups.append((part, pieces))
    return groups


def _in_turn(found: Found) -> list[Hit]:
    """The best of each question, then the second of each: no question takes all the room."""
    lists = [part.hits for part in found.parts]
    distinct: dict[object, Hit] = {}
    for rank in range(max((len(hits) for hits in lists), default=0)):
        for hits in lists:
            if rank < len(hits):
                distinct.setdefault(hits[rank].paragraph_id, hits[rank])
    return list(distinct.values())


def in_reading_order(hits: Sequence[Hit]) -> list[Hit]:
    """Documents in the order of their best hit, the paragraphs of each as they stand in it."""
    first = {hit.document_id: rank for rank, hit in reversed(list(enumerate(hits)))}
    return sorted(hits, key=lambda hit: (first[hit.document_id], hit.position))


def _data(groups: Sequence[tuple[PartFound, Sequence[Piece]]], language: Language) -> str:
    lines: list[str] = []
    n = 0
    for number, (part, pieces) in enumerate(groups, 1):
        if len(groups) > 1:
            lines.append(PART_LINES[language].format(n=number, question=part.question))
        for piece in pieces:
            n += 1
            lines.append(piece.fenced(n))
    return "\n".join(lines)


def history_messages(turns: Sequence[Turn], max_tokens: int) -> list[Message]:
    """The latest turns that fit, oldest first, long answers cut."""
    messages: list[Message] = []
    for turn in reversed(turns):
        answer = turn.answer[:MAX_HISTORY_ANSWER_CHARS]
        max_tokens -= estimated_tokens(turn.question) + estimated_tokens(answer)
        if max_tokens < 0:
            break
        messages[:0] = [Message("user", turn.question), Message("assistant", answer)]
    return messages
