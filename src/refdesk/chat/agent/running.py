"""One run of an agent: its tools, its messages, the loop, the check of what it wrote, what is remembered."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, cast

from refdesk.chat.agent.approvals import AGENT, form_of, from_state, to_state
from refdesk.chat.agent.builtin import Corpus, corpus_tools, graph_tools
from refdesk.chat.agent.builtin.corpus import Searching
from refdesk.chat.agent.calling import SHOWN_CHARS, CallDesk, unnumbered
from refdesk.chat.agent.cleaning import search_form
from refdesk.chat.agent.loop import CORPUS, AgentLoop, Limits, Price, Waiting
from refdesk.chat.agent.memory import AgentTurnRepository, past_turns
from refdesk.chat.agent.policy import system_prompt
from refdesk.chat.agent.sources import SourceBook, ToolAnswer
from refdesk.chat.agent.transcript import PastTurn, Round
from refdesk.chat.agent.writing import AnswerWriter
from refdesk.chat.context import RunContext
from refdesk.chat.evidence import Source
from refdesk.chat.faults import unavailable
from refdesk.chat.language import Language
from refdesk.chat.pending import Pending
from refdesk.chat.profile import Turn
from refdesk.chat.prompts import NOTE_LINES, SUMMARY_LINES, defused
from refdesk.chat.stages.memory import LoadMemory, Memory
from refdesk.chat.stages.stage import perform
from refdesk.chat.verification import verify
from refdesk.chat.workdir import directory_tools
from refdesk.gateway import Completer, load_prices
from refdesk.skills import Package, Shelf, skill_tools
from refdesk.tools import Toolbox, ToolSpec
from refdesk.tools.sandbox import Sandbox

# Commands and scripts of all runs of this process share its turns.
_SANDBOX = Sandbox()

_OWN_WORDS: dict[Language, str] = {
    "zh": "此回答没有查阅文档。",
    "en": "No document was consulted for this answer.",
}
# Tools whose passages are numbered: their results are evidence by themselves.
_PASSAGES = frozenset(("builtin:search_documents", "builtin:read_section", "builtin:find_paths"))


async def run_agent(context: RunContext, completer: Completer) -> None:
    """Answer a question, or ask for agreement to a call. Raises `AppError`s; text written so far stays."""
    memory = await perform(LoadMemory(), context, None)
    resumed = context.resumed
    asking = resumed.pending.run_id if resumed is not None else None
    turns = [turn for turn in memory.turns if turn.run_id is None or turn.run_id != asking]
    past, book = await _remembered(context, turns)
    skills = await Shelf(context.database).packages(context.scope, context.profile.agent.skills)
    toolbox = await _toolbox(context, book, skills)
    loop = _loop(context, completer, toolbox, book, past, skills, memory)
    if context.profile.agent.max_cost is not None:
        loop.price = await _price(context, completer)
    if resumed is not None and resumed.pending.state.get("by") == AGENT:
        waiting, loop.rounds = from_state(resumed.pending.state, toolbox, book)
        ended = await loop.go_on(waiting, approve=bool(resumed.approve))
    else:
        form = search_form(context.question, context.profile.agent.code_names)
        if form.text != context.question or form.keywords:
            async with context.recorder.stage("clean") as detail:
                detail |= {"search_form": form.text, "keywords": list(form.keywords)}
        ended = await loop.run()
    if ended is not None:
        await _ask(context, ended, loop.rounds, book)
        return
    evidence = _evidence(context, loop, book)
    await verify(context, evidence)
    if not evidence:
        _own_words(context)
    async with context.database.transaction() as session:
        await AgentTurnRepository(session, context.scope).add(context.run_id, loop.answer, loop.rounds, book)


def _own_words(context: RunContext) -> None:
    """Nothing was looked up, which is told once; then only figures, codes and names are marked as without
    support, not every courtesy."""
    context.recorder.warning("answered-without-documents", _OWN_WORDS[context.language])
    for sentence in context.recorder.sentences:
        if not sentence["supported"] and sentence["reason"] == "not-in-evidence":
            sentence |= {"supported": True, "reason": "no-claim"}


async def _remembered(context: RunContext, turns: Sequence[Turn]) -> tuple[list[PastTurn], SourceBook]:
    ids = [turn.run_id for turn in turns if turn.run_id is not None]
    if not ids:
        return [PastTurn(turn.question, turn.answer) for turn in turns], SourceBook()
    async with context.database.transaction() as session:
        past, passages = past_turns(turns, await AgentTurnRepository(session, context.scope).of_runs(ids))
    return past, SourceBook(passages)


async def _toolbox(context: RunContext, book: SourceBook, skills: Mapping[str, Package]) -> Toolbox:
    """The application's tools, those of skills, files and the corpus; of two with one name ours is kept."""
    profile, language = context.profile, context.language
    box = Toolbox()
    if profile.tools and context.tools is not None:
        box = await context.tools.toolbox(context.scope, profile.tools)
    for problem in box.problems:
        context.recorder.warning("tool-unavailable", unavailable(problem, language), each=True)
    corpus = Corpus(context.database, cast("Searching", context.searcher), profile, book)
    own = corpus_tools(corpus, language) + skill_tools(Shelf(context.database), skills, _SANDBOX, language)
    own += await graph_tools(corpus, context.scope, language)
    if profile.agent.working_directory:
        own += directory_tools(
            context.database, context.conversation_id, _SANDBOX, language, profile.agent.ask_before
        )
    return box.with_tools(own)


def _loop(
    context: RunContext,
    completer: Completer,
    toolbox: Toolbox,
    book: SourceBook,
    past: Sequence[PastTurn],
    skills: Mapping[str, Package],
    memory: Memory,
) -> AgentLoop:
    profile, language, recorder = context.profile, context.language, context.recorder
    lines = "\n".join(f"- {one.name}: {one.description}" for one in skills.values())
    system = system_prompt(language, profile.system_prompt, lines)
    if memory.notes:
        notes = "\n".join(f"- {defused(note)}" for note in memory.notes)
        system += "\n\n" + NOTE_LINES[language].format(text=notes)
    if memory.summary:
        system += "\n\n" + SUMMARY_LINES[language].format(text=defused(memory.summary))
    return AgentLoop(
        completer=completer,
        desk=CallDesk(toolbox, context.caller, recorder, language, number=partial(_number, book)),
        recorder=recorder,
        writer=AnswerWriter(recorder, book, language, may_take_back=context.models.purpose.may_restart),
        language=language,
        system=system,
        question=context.with_pictures(context.question),
        turns=past,
        limits=Limits(
            retrieval_rounds=profile.agent.rounds,
            other_rounds=profile.agent.tool_rounds,
            max_tokens=profile.agent.max_tokens,
            max_cost=profile.agent.max_cost,
        ),
        temperature=profile.temperature,
        max_answer_tokens=profile.max_tokens,
        after_round=lambda: _tell_sources(context, book),
    )


def _is_cited(spec: ToolSpec) -> bool:
    return spec.id not in CORPUS and spec.origin != "skill"


def _number(book: SourceBook, spec: ToolSpec, text: str) -> int | None:
    """The number by which a tool's answer is cited. Corpus tools number passages; a skill gives steps."""
    if not _is_cited(spec) or not text.strip():
        return None
    return book.add(ToolAnswer(spec.name, spec.title or spec.name, text[:SHOWN_CHARS]))


async def _price(context: RunContext, completer: Completer) -> Price:
    """What tokens of the model cost today, for the ceiling."""
    async with context.database.transaction() as session:
        book = await load_prices(session)

    def price(input_tokens: int, output_tokens: int) -> float | None:
        cost = book.cost(context.scope.workspace_id, completer.model_id, input_tokens, output_tokens)
        return float(cost.amount) if cost is not None else None

    return price


def _tell_sources(context: RunContext, book: SourceBook) -> None:
    """What the tools gave so far, as the search of other modes is recorded."""
    passages = book.passages(book.found)
    if not book.candidates and not passages:
        return
    profile = context.profile
    found = bool(passages)
    decision: dict[str, Any] | None = None
    if not found:
        decision = {
            "gate": "absolute",
            "score": round(book.best, 4),
            "threshold": profile.similarity,
            "below": book.candidates,
        }
    context.recorder.sources(
        {
            "found": found,
            "decision": decision,
            "best": round(book.best, 4),
            "threshold": profile.similarity,
            "mode": profile.mode,
            "candidates": book.candidates,
            "unready": 0,
            "timings_ms": {},
            "hits": [
                passage.to_json() | {"score": passage.similarity, "rerank_score": None}
                for _, passage in passages
            ],
        }
    )


def _evidence(context: RunContext, loop: AgentLoop, book: SourceBook) -> list[Source]:
    """What the answer may rest on: all passages, and results of other tools."""
    numbered = {spec.name for spec in loop.desk.toolbox.specs if spec.id in _PASSAGES}
    rounds = [one for turn in loop.turns for one in turn.rounds] + loop.rounds
    cited = {spec.name for spec in loop.desk.toolbox.specs if _is_cited(spec)}
    other = [
        unnumbered(call.result) if call.name in cited else call.result
        for one in rounds
        for call in one.calls
        if call.name not in numbered
    ]
    return [*book.evidence(), *(Source(text=text) for text in other)]


async def _ask(context: RunContext, waiting: Waiting, rounds: list[Round], book: SourceBook) -> None:
    form = form_of(waiting, context.language)
    await context.pending.put(
        Pending(context.run_id, "approval", context.question, to_state(waiting, rounds, book))
    )
    context.recorder.delta(form["text"])
    context.recorder.form(form)
